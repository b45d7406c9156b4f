"""`vivavoce config`: each setting, where it came from, and what is wrong. Needs no daemon."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from vivavoce.settings import SETTINGS, Loaded, read

if TYPE_CHECKING:
    import argparse


def main(args: argparse.Namespace) -> int:
    """Run `config show`, or `config check`, which ends with 1 if something is wrong."""
    loaded = read(os.environ, working_directory())
    if args.action == "show":
        print(show(loaded, as_json=args.json))
        return 0
    print(check(loaded, as_json=args.json))
    return 1 if loaded.errors else 0


def working_directory() -> str:
    """Tell where this process runs; empty if that directory was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - a string is what the settings take
    except FileNotFoundError:
        return ""


def show(loaded: Loaded, *, as_json: bool) -> str:
    """Tell each setting's value, secrets masked, and its source; then what is wrong."""
    values = {
        key: (setting.shown(getattr(loaded.settings, key)), loaded.sources[key])
        for key, setting in SETTINGS.items()
    }
    if as_json:
        told = {
            key: {"value": _plain(loaded, key), "source": source.kind, "where": source.where}
            for key, (_, source) in values.items()
        }
        return _json({"settings": told, "errors": _faults(loaded)})
    key_width = max(len(key) for key in values)
    value_width = max(len(value) for value, _ in values.values())
    lines = [
        f"{key:<{key_width}}  {value:<{value_width}}  {source}"
        for key, (value, source) in values.items()
    ]
    return "\n".join([*lines, *_fault_lines(loaded)])


def check(loaded: Loaded, *, as_json: bool) -> str:
    """Tell only what is wrong."""
    if as_json:
        return _json({"errors": _faults(loaded)})
    return "\n".join(_fault_lines(loaded)) or "The settings are in order."


def _plain(loaded: Loaded, key: str) -> object:
    """A value as JSON has it, a secret masked."""
    value = getattr(loaded.settings, key)
    return SETTINGS[key].shown(value) if SETTINGS[key].secret else value


def _faults(loaded: Loaded) -> list[dict[str, str]]:
    return [
        {"code": error.code, "message": error.message, "mend": error.mend}
        for error in loaded.errors
    ]


def _fault_lines(loaded: Loaded) -> list[str]:
    return [f"{error.message} Mend: {error.mend}" for error in loaded.errors]


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2)
