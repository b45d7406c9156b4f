"""The rules of the house that no contract of import-linter can say."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import vivavoce

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "vivavoce"

QUIET = {
    "announcing",
    "commands",
    "conversation",
    "floor",
    "gates",
    "playback",
    "rendering",
    "sound",
    "turns",
    "wire",
}
"""Rooms that decide and do nothing: time and sound in, decisions out."""

NOISY = {"asyncio", "multiprocessing", "selectors", "socket", "subprocess", "threading"}
OUTSIDE = NOISY | {"concurrent", "io", "os", "pathlib", "signal", "tempfile", "time"}
"""What a quiet room never imports itself: doing, waiting, files and clocks."""

LIBRARIES = {
    "markdown_it": "import markdown_it",
    "pydantic": "import pydantic; pydantic.create_model('Frame')",
}
"""Libraries that quiet rooms may use, and how. They import locks, or look for plugins through
modules that import sockets, and start nothing of it; that much is excused."""

NEVER = {"asyncio", "multiprocessing", "subprocess"}
"""What is not excused, whoever brings it."""

NOUNS_ONLY = {"vocabulary", "errors", "ports"}
TYPING = {"__future__", "abc", "collections", "dataclasses", "enum", "types", "typing"}
"""What the vocabulary may know of the standard library."""


def modules() -> list[str]:
    walk = pkgutil.walk_packages([str(SOURCE)], "vivavoce.")
    return ["vivavoce", *(module.name for module in walk if not module.name.endswith("__main__"))]


def rooms(wanted: set[str]) -> list[str]:
    """Those of the wanted rooms that have been built."""
    return sorted(name for name in wanted if f"vivavoce.{name}" in modules())


def sources(room: str) -> list[Path]:
    module = SOURCE / f"{room}.py"
    return [module] if module.exists() else sorted((SOURCE / room).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module or ""


@cache
def loaded_by(statement: str) -> frozenset[str]:
    """All modules that a fresh interpreter has after this statement."""
    command = [sys.executable, "-c", f"{statement}\nimport sys; print(*sys.modules)"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return frozenset(answer.stdout.split())


@pytest.mark.parametrize("room", rooms(QUIET))
def test_a_quiet_room_brings_no_noise_along(room: str) -> None:
    inside = [name for name in modules() if f"{name}.".startswith(f"vivavoce.{room}.")]
    loaded = loaded_by(f"import {', '.join(inside)}")
    used = [LIBRARIES[library] for library in sorted(LIBRARIES.keys() & loaded)]
    excused = loaded_by("; ".join(used)) - NEVER if used else set()
    assert loaded & NOISY <= excused


@pytest.mark.parametrize("room", rooms(QUIET))
def test_a_quiet_room_imports_no_doing_no_waiting_no_files_and_no_clock(room: str) -> None:
    found = {
        (path.name, name)
        for path in sources(room)
        for name in imported(path)
        if name.partition(".")[0] in OUTSIDE
    }
    assert not found


@pytest.mark.parametrize("room", sorted(NOUNS_ONLY))
def test_the_vocabulary_imports_typing_dataclasses_and_itself(room: str) -> None:
    allowed = TYPING | {f"vivavoce.{name}" for name in NOUNS_ONLY}
    found = {
        (path.name, name)
        for path in sources(room)
        for name in imported(path)
        if not any(name == one or name.startswith(f"{one}.") for one in allowed)
    }
    assert not found


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").exists()]


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_it_is(name: str) -> None:
    assert importlib.import_module(name).__doc__


@pytest.mark.parametrize("name", modules())
def test_every_exported_name_exists_and_is_documented(name: str) -> None:
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", ())
    assert len(set(exported)) == len(exported)
    for export in exported:
        value = getattr(module, export)
        if callable(value) or isinstance(value, type):
            assert value.__doc__, f"{name}.{export}"


def test_the_house_is_imported_without_its_rooms() -> None:
    loaded = loaded_by("import vivavoce")
    assert {name for name in loaded if name.startswith("vivavoce")} == {"vivavoce"}
    assert not loaded & NOISY
    assert re.fullmatch(r"\d+\.\d+\.\d+", vivavoce.__version__)


def kept_files() -> list[Path]:
    """What belongs to the repository, also where it was unpacked without git."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        answer = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
        )
        return [ROOT / name for name in answer.stdout.split("\0") if (ROOT / name).is_file()]
    return [path for path in SOURCE.rglob("*") if path.suffix == ".py"]


def test_no_file_holds_a_path_of_a_machine_or_the_host_of_a_registry() -> None:
    needles = [
        one.encode()
        for one in (
            "/wo" + "rk/",
            "/ro" + "ot/",
            "/tmp/" + "try",
            "../sha" + "red",
            "/opt/" + "pypi",
            "pypi." + "org",
            "pythonhosted" + ".org",
            "registry.npm" + "js.org",
        )
    ]
    found = [
        (path.relative_to(ROOT).as_posix(), needle.decode())
        for path in kept_files()
        for needle in needles
        if needle in path.read_bytes()
    ]
    assert not found


def pins(lock: str) -> dict[str, set[str]]:
    """Name -> versions in a lock file; a name can have one for each version of Python."""
    pinned: dict[str, set[str]] = {}
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([a-z0-9-]+)==(\S+)", line):
            pinned.setdefault(match[1], set()).add(match[2])
    return pinned


def test_tests_run_with_the_versions_that_people_run() -> None:
    tested = pins("requirements-dev.lock")
    assert pins("requirements.lock").items() <= tested.items()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_pin_has_a_hash_and_none_an_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert pins(lock)
    for pin in re.split(r"\n(?=\S)", text.rstrip()):
        assert "--hash=sha256:" in pin, pin
    assert not re.search(r"https?:|--(extra-)?index|--find-links", text)


def test_the_notice_names_everything_that_is_used() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    missing = [
        name for name in pins("requirements.lock") if not re.search(rf"^{name}\b", notice, re.M)
    ]
    assert not missing


def test_changelog_fragments_say_of_which_kind_they_are() -> None:
    kinds = {"added", "changed", "fixed", "removed", "security"}
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    for path in fragments:
        assert re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(kinds)})\.md", path.name)
        assert path.read_text(encoding="utf-8").strip()
