"""What the README shows is run, line by line, as a person would."""

import json
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.cli import parser
from vivavoce.testing.daemon import PrivateDaemon

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ELSEWHERE = ("git clone", "./dev", "vivavoce models fetch")
"""Run by the tests of the front door and of the engines."""
EXIT_CODES = {"vivavoce doctor": (0, 1)}
REPLY = "# Done\n\nThe build is **green**.\n\n```sh\nmake\n```\n"


def examples() -> list[tuple[str, str]]:
    """Each command of a console block, without its remark, and what it is said to print."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        lines = block.splitlines()
        for at, line in enumerate(lines):
            if line.startswith("$ "):
                command = re.sub(r"\s{2,}#.*", "", line[2:])
                after = lines[at + 1] if at + 1 < len(lines) else "$ "
                found.append((command, "" if after.startswith("$ ") or not after else after))
    return [(c, shown) for c, shown in found if not c.startswith(ELSEWHERE)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("readme")
    (home / "reply.md").write_text(REPLY)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(home)]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "Mend the login"]):
        subprocess.run([*git, *words], check=True)
    daemon = PrivateDaemon(home / "daemon", place="null", engines="tones", speed="2")
    yield home, daemon
    daemon.run("stop")


def run(home, daemon, command):
    """Run a line in a shell that finds our command; `nc` is a socket of ours."""
    env = {**daemon.env, "PATH": f"{Path(sys.executable).parent}:{daemon.env['PATH']}"}
    return subprocess.run(
        command, shell=True, cwd=home, env=env, capture_output=True, text=True, timeout=30
    )


def test_every_command_of_the_readme_does_what_it_says(home):
    folder, daemon = home
    assert len(examples()) > 20
    for command, shown in examples():
        if "| nc -U" in command:
            assert_the_socket_answers(daemon, command)
            continue
        said = run(folder, daemon, command)
        allowed = EXIT_CODES.get(command, (0,))
        assert said.returncode in allowed, (command, said.stdout, said.stderr)
        assert "Traceback" not in said.stderr, command
        if shown:
            assert said.stdout.strip() == shown, command


def assert_the_socket_answers(daemon, command):
    line = shlex.split(command)[1]
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(daemon.where.control_socket)
        connection.sendall(line.encode() + b"\n")
        assert json.loads(connection.recv(65536))["ok"]


def test_every_command_is_named_in_the_readme():
    (commands,) = parser()._subparsers._group_actions
    for name in commands.choices:
        assert f"vivavoce {name}" in README, name


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")], ids=str
)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target
