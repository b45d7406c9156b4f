"""`./dev` sets up what is missing, once, and only that. The installer is a stand-in that tells how
it was called; the script, its venv and its interpreter are real."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMANDS = ("run", "test", "lint", "fix", "bench", "docs")

INSTALLER = """#!/bin/sh
echo "$*" >>"{calls}"
if [ -e "{fault}" ]; then echo "no space left"; exit 1; fi
cp "{vivavoce}" .venv/bin/vivavoce
"""

VIVAVOCE = """#!/bin/sh
echo "$*"
case "$*" in
"models check") [ ! -e "{no_weights}" ] ;;
"models fetch") echo "no network"; exit 1 ;;
esac
"""


@dataclass(frozen=True)
class Checkout:
    """A checkout in a folder with a space in its name, whose benchmark prints its arguments."""

    path: Path
    tools: Path

    def dev(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Call `./dev` from another folder, with the stand-in first on the PATH."""
        return subprocess.run(
            [self.path / "dev", *arguments],
            cwd="/",
            env={"PATH": f"{self.tools}:{os.defpath}", "PYTHON": sys.executable},
            capture_output=True,
            text=True,
            timeout=50,
        )

    def installed(self) -> list[str]:
        """What the installer was asked for since the last time: locks, and `-e` for ourselves."""
        calls = self.tools / "calls"
        lines = calls.read_text().splitlines() if calls.exists() else []
        calls.unlink(missing_ok=True)
        return [line.split()[-1] if "-r" in line.split() else "-e" for line in lines]

    @property
    def fault(self) -> Path:
        """While this file exists, the installer fails."""
        return self.tools / "fault"

    @property
    def no_weights(self) -> Path:
        """While this file exists, `vivavoce` finds no weights."""
        return self.tools / "no-weights"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "a checkout", tmp_path / "tools")
    made.path.mkdir()
    made.tools.mkdir()
    for name in ("dev", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, made.path / name)
    (made.path / "bench").mkdir()
    (made.path / "bench" / "__main__.py").write_text("import sys\nprint(sys.argv[1:])\n")
    vivavoce = made.tools / "stand-in"
    vivavoce.write_text(VIVAVOCE.format(no_weights=made.no_weights))
    uv = made.tools / "uv"
    uv.write_text(INSTALLER.format(calls=made.tools / "calls", fault=made.fault, vivavoce=vivavoce))
    for program in (vivavoce, uv):
        program.chmod(0o755)
    return made


def test_the_first_start_installs_and_the_second_does_nothing(checkout: Checkout) -> None:
    first = checkout.dev("bench", "say", "--json")
    assert (first.returncode, first.stdout) == (0, "['say', '--json']\n")
    assert checkout.installed() == ["requirements-dev.lock", "-e"]
    assert "Installing requirements-dev.lock" in first.stderr

    second = checkout.dev("bench", "two words")
    assert (second.returncode, second.stdout, second.stderr) == (0, "['two words']\n", "")
    assert checkout.installed() == []


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements-dev.lock"])
def test_what_changed_is_installed_again(checkout: Checkout, name: str) -> None:
    checkout.dev("bench")
    checkout.installed()
    with (checkout.path / name).open("a") as file:
        file.write("# changed\n")
    assert checkout.dev("bench").returncode == 0
    assert checkout.installed() == ["requirements-dev.lock", "-e"]


def test_a_failed_installation_is_shown_and_tried_again(checkout: Checkout) -> None:
    checkout.fault.touch()
    failed = checkout.dev("bench")
    assert failed.returncode == 1
    assert "no space left" in failed.stderr
    assert failed.stdout == ""
    checkout.installed()

    checkout.fault.unlink()
    assert checkout.dev("bench").returncode == 0
    assert checkout.installed() == ["requirements-dev.lock", "-e"]


def test_a_half_made_venv_is_made_anew(checkout: Checkout) -> None:
    programs = checkout.path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to("/nonexistent/python")
    assert checkout.dev("bench").returncode == 0
    assert checkout.installed() == ["requirements-dev.lock", "-e"]


def test_a_venv_that_was_moved_is_made_anew(checkout: Checkout) -> None:
    checkout.dev("bench")
    checkout.installed()
    moved = Checkout(checkout.path.rename(checkout.path.with_name("moved")), checkout.tools)
    assert moved.dev("bench").returncode == 0
    assert moved.installed() == ["requirements-dev.lock", "-e"]
    assert str(moved.path) in (moved.path / ".venv" / "pyvenv.cfg").read_text()


def test_run_installs_no_more_than_running_needs_and_says_hello(checkout: Checkout) -> None:
    started = checkout.dev("run")
    assert (started.returncode, started.stdout) == (0, "serve --hello\n")
    assert checkout.installed() == ["requirements.lock", "-e"]


def test_what_tests_installed_is_enough_to_run(checkout: Checkout) -> None:
    checkout.dev("bench")
    checkout.installed()
    assert checkout.dev("run").stdout == "serve --hello\n"
    assert checkout.installed() == []


def test_without_weights_it_starts_all_the_same_and_looks_again(checkout: Checkout) -> None:
    checkout.no_weights.touch()
    for _ in range(2):
        started = checkout.dev("run")
        assert (started.returncode, started.stdout) == (0, "serve --hello\n")
        assert "no network" in started.stderr
        assert "Going on without them." in started.stderr

    checkout.no_weights.unlink()
    assert checkout.dev("run").stderr == ""


def test_without_a_python_that_is_new_enough_one_line_says_so(checkout: Checkout) -> None:
    old = checkout.tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    answer = subprocess.run(
        [checkout.path / "dev", "bench"],
        env={"PATH": f"{checkout.tools}:{os.defpath}", "PYTHON": "python3"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert answer.returncode == 1
    assert answer.stderr == "dev: no Python 3.11 or newer is on the PATH.\n"


def test_the_usage_names_every_command(checkout: Checkout) -> None:
    usage = checkout.dev()
    assert usage.returncode == 0
    assert [name for name in COMMANDS if f"\n  {name} " not in usage.stdout] == []
    assert not (checkout.path / ".venv").exists()


def test_an_unknown_command_is_wrong_use(checkout: Checkout) -> None:
    answer = checkout.dev("tset")
    assert answer.returncode == 2
    assert "usage:" in answer.stderr


def test_the_guide_for_contributors_names_every_command() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`./dev {name}`" not in guide] == []
