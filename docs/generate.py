"""Draws the pages of docs/reference from the code; `--check` only tells whether they are fresh."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path

from vivavoce.cli import parser
from vivavoce.floor import TABLE as FLOOR_TABLE
from vivavoce.floor import Floor
from vivavoce.playback.life import TABLE as LIFE_TABLE
from vivavoce.playback.life import Stage
from vivavoce.playback.player import TABLE as PLAYER_TABLE
from vivavoce.playback.player import Player
from vivavoce.settings import SETTINGS, Settings, environment_name
from vivavoce.wire.control import TABLE as LINE_TABLE
from vivavoce.wire.control import Flood, Line, LineState

REFERENCE = Path(__file__).parent / "reference"
MARK = "<!-- Made by docs/generate.py; do not edit. -->"
NOTHING = {"_stay", "_nothing", "_skip"}
"""Transitions that do nothing are not drawn."""
HELP_COLUMNS = "80"

Arrow = tuple[str, str, str]
"""From a state, by an event, to a state."""


def main(argv: list[str]) -> int:
    """Write the pages, or check them: 1 and one line if one of them is not fresh."""
    stale = [path for path, text in pages() if _text_of(path) != text]
    if argv == ["--check"]:
        if stale:
            names = ", ".join(path.name for path in stale)
            sys.stderr.write(f"docs/reference is not fresh: {names}. Mend: ./dev docs\n")
        return 1 if stale else 0
    if argv:
        sys.stderr.write("usage: docs/generate.py [--check]\n")
        return 2
    REFERENCE.mkdir(exist_ok=True)
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
    return 0


def pages() -> Iterator[tuple[Path, str]]:
    """Each page's path and what belongs in it."""
    for name, lines in PAGES.items():
        yield REFERENCE / name, "\n".join([MARK, "", *lines()]) + "\n"


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


# -- state machines


def states() -> Iterator[str]:
    """The state machines as Mermaid diagrams."""
    yield "# State machines"
    yield ""
    yield "Each is a table in the code, `(state, event) -> (what is done, the states that may"
    yield "follow)`; what changes nothing is not drawn. Where several arrows of one event leave a"
    yield "state, what happened before decides."
    machines = (
        ("The floor of one listener", Floor().state.value, _with_targets(FLOOR_TABLE)),
        ("The player of one listener", Player().state.value, _with_targets(PLAYER_TABLE)),
        ("The life of an utterance", Stage.WAITING.value, _life()),
        ("A connection to the control socket", LineState.READING.value, _lines()),
    )
    for title, first, arrows in machines:
        yield from ("", f"## {title}", "", "```mermaid")
        yield from _diagram(first, list(arrows))
        yield "```"


def _with_targets(table: object) -> Iterator[Arrow]:
    assert isinstance(table, dict)
    for (state, event), (transition, targets) in table.items():
        if transition.__name__ not in NOTHING:
            for target in _in_order(targets, type(state)):
                yield state.value, event.__name__, target.value


def _in_order(targets: Iterable[Enum], states: type[Enum]) -> list[Enum]:
    return sorted(targets, key=list(states).index)


def _life() -> Iterator[Arrow]:
    yield Stage.WAITING.value, "first sample heard", Stage.SOUNDING.value
    for (stage, cause), end in LIFE_TABLE.items():
        yield stage.value, cause.value, end.value
    for end in dict.fromkeys(LIFE_TABLE.values()):
        yield end.value, "", "[*]"


def _lines() -> Iterator[Arrow]:
    events: dict[type[Line | Flood], Line | Flood] = {Line: Line(b""), Flood: Flood()}
    for (state, event), transition in LINE_TABLE.items():
        if transition.__name__ not in NOTHING:
            yield state.value, event.__name__, transition(events[event])[1].value


def _diagram(first: str, arrows: list[Arrow]) -> Iterator[str]:
    """One arrow for each pair of states, with all its events."""
    yield "stateDiagram-v2"
    names = dict.fromkeys(name for source, _, target in arrows for name in (source, target))
    for name in names:
        if _key(name) != name and name != "[*]":
            yield f'    state "{name}" as {_key(name)}'
    yield f"    [*] --> {_key(first)}"
    drawn: dict[tuple[str, str], list[str]] = {}
    for source, event, target in arrows:
        drawn.setdefault((source, target), []).append(event)
    for (source, target), events in drawn.items():
        label = ", ".join(filter(None, events))
        yield f"    {_key(source)} --> {_key(target)}" + (f" : {label}" if label else "")


def _key(state: str) -> str:
    return state.replace("-", "_")


# -- the command line


def commands() -> Iterator[str]:
    """What `--help` tells of each command."""
    os.environ["COLUMNS"] = HELP_COLUMNS  # argparse wraps at the terminal's width
    top = parser()
    yield "# Commands"
    yield ""
    yield "Exit codes: 0 done, 1 not done, 2 wrong use."
    for name, command in (("", top), *_subcommands(top)):
        yield from ("", f"## vivavoce {name}".rstrip(), "", "```text")
        yield command.format_help().rstrip()
        yield "```"


def _subcommands(top: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in top._actions:  # noqa: SLF001 - argparse has no public list of them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            yield from action.choices.items()


# -- settings


def settings() -> Iterator[str]:
    """All settings in a table."""
    defaults = Settings()
    yield "# Settings"
    yield ""
    yield "Later layers win: defaults, `config.toml`, a project's `.vivavoce.toml` (settings of a"
    yield "session only), the environment. `VOICEMODE_` is accepted in place of `VIVAVOCE_`."
    yield "`vivavoce config` shows each value and where it came from."
    yield ""
    yield "| Key | Environment | Default | Allowed | Scope | What it is |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for key, setting in SETTINGS.items():
        default = setting.shown(getattr(defaults, key))
        cells = (
            f"`{key}`",
            f"`{environment_name(key)}`",
            f"`{default}`" if default else "empty",
            setting.kind.allowed,
            setting.scope,
            setting.about,
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "states.md": states,
    "commands.md": commands,
    "settings.md": settings,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
