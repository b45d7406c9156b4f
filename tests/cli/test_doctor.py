"""The doctor against real faults: each is made, found, mended by the command that it prints, gone.

Each test has a house of its own: home, runtime directory and, where the fault needs it, mounts
that only its processes see, or an installation of its own.
"""

import fcntl
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import vivavoce

SITE = next(Path(p) for p in sys.path if p.endswith("site-packages"))
TOOLS = ("cat", "mkdir", "mktemp", "mv", "printf", "rm", "sed", "sh", "chmod")
INSTALLERS = ("PIP_", "UV_", "SSL_", "http_proxy", "https_proxy")
"""Variables that say how packages are fetched here."""
WELL_FORMED_INSTALL = re.compile(r"(sudo )?apt-get install -y [a-z0-9][a-z0-9.+-]+")


def can_mount() -> bool:
    return not subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, timeout=10
    ).returncode


@pytest.fixture(scope="module")
def mounting() -> None:
    if not shutil.which("unshare") or not can_mount():
        pytest.skip("mounting needs root and unshare")


@dataclass
class House:
    """What one person has on a machine."""

    root: Path
    environ: dict[str, str]
    mounts: list[str] = field(default_factory=list)
    """Shell commands that come before all others, in a mount namespace."""

    @property
    def state(self) -> Path:
        return self.root / "state/vivavoce"

    @property
    def runtime(self) -> Path:
        return self.root / "run/vivavoce"

    @property
    def config(self) -> Path:
        return self.root / "config/vivavoce/config.toml"

    def write_config(self, text: str) -> None:
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", "-c", "\n".join([*self.mounts, script])]
        if self.mounts:
            command = ["unshare", "-m", *command]
        return subprocess.run(
            command, capture_output=True, text=True, env=self.environ, cwd=self.root, timeout=55
        )

    def examine(self, check: str, mend: str = ":") -> list[dict[str, str]]:
        """Run a mend and then, in the same shell, one check; tell what is not in order."""
        ran = self.run(f"{mend}\n[ $? = 0 ] || exit 9\nvivavoce doctor --json {check}")
        assert ran.returncode in {0, 1}, (mend, ran.stdout, ran.stderr)
        findings: list[dict[str, str]] = json.loads(ran.stdout[ran.stdout.index("[\n") :])
        assert (ran.returncode == 1) == any(f["state"] == "fault" for f in findings)
        return [f for f in findings if f["state"] != "ok"]

    def find(self, check: str) -> dict[str, str]:
        """The one finding of a check that is not in order."""
        *_, found = self.examine(check)  # the last: what it leads to, where there are several
        assert "\n" not in found["sentence"]
        assert "broke off" not in found["sentence"]
        return found

    def mend(self, check: str) -> dict[str, str]:
        """Find a fault, run its mend, and see that it is gone."""
        found = self.find(check)
        assert self.examine(check, found["mend"]) == []
        return found


@pytest.fixture
def house() -> Iterator[House]:
    # Not tmp_path: a socket's address has a hundred bytes.
    root = Path(tempfile.mkdtemp(prefix="vv-"))
    for name in ("home", "run", "state", "config", "data"):
        (root / name).mkdir(mode=0o700)
    environ = {
        **{name: value for name, value in os.environ.items() if name.startswith(INSTALLERS)},
        "PATH": f"{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(root / "home"),
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": str(root / "run"),
        "XDG_STATE_HOME": str(root / "state"),
        "XDG_CONFIG_HOME": str(root / "config"),
        "XDG_DATA_HOME": str(root / "data"),
        "VIVAVOCE_PLACE": "null",
    }
    made = House(root, environ)
    yield made
    if (made.runtime / "daemon.sock").is_socket():
        made.run("vivavoce stop")
    if made.runtime.is_dir():
        wait_until_left(made.runtime)
    shutil.rmtree(root)


def wait_until_left(runtime: Path) -> None:
    """A daemon holds the lock of its directory until it has put everything away."""
    descriptor = os.open(runtime, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


@pytest.fixture
def few_tools(house: House) -> Path:
    """A PATH with nothing on it but what mends are made of."""
    tools = house.root / "bin"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(str(shutil.which(tool)))
    (tools / "vivavoce").symlink_to(Path(sys.executable).parent / "vivavoce")
    house.environ["PATH"] = str(tools)
    return tools


def test_a_house_in_order_has_no_fault_and_ends_with_0(house: House) -> None:
    ran = house.run("vivavoce doctor")
    assert ran.returncode == 0, ran.stdout
    assert ran.stderr == ""
    assert {line.split()[0] for line in ran.stdout.splitlines()} <= {"ok", "note"}


def test_each_finding_is_one_line_with_its_mend(house: House) -> None:
    house.write_config("speed = 9\n")
    ran = house.run("vivavoce doctor config")
    assert ran.returncode == 1
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("FAULT")]
    assert f"{house.config}:1: speed cannot be 9; allowed is a number from 0.5 to 2." in line
    assert line.endswith(f"Mend: sed -i.bak '1,1s/^/# /' {house.config}")


# -- settings


def test_a_broken_config_is_set_aside(house: House) -> None:
    house.write_config("speed = = 9\n")
    house.mend("config")
    assert house.config.with_name("config.toml.broken").read_text() == "speed = = 9\n"


def test_a_bad_value_is_taken_out_and_the_others_stay(house: House) -> None:
    house.write_config('voice = "heart"\nspeed = 9\n')
    house.mend("config")
    assert house.config.read_text() == 'voice = "heart"\n# speed = 9\n'


def test_a_bad_variable_is_unset(house: House) -> None:
    house.environ["VIVAVOCE_SPEED"] = "fast"
    assert house.mend("config")["mend"] == "unset VIVAVOCE_SPEED"


def test_a_command_that_no_shell_finds_is_put_on_the_path(house: House) -> None:
    module = f"{sys.executable} -m vivavoce doctor --json command"
    house.environ["PATH"] = "/usr/bin:/bin"
    (found,) = json.loads(house.run(module).stdout)
    assert house.examine("command", found["mend"]) == []


# -- directories


def test_a_read_only_home_is_left_for_another_directory(house: House, mounting: None) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        house.environ.pop(name)
    house.environ["HOME"] = home = str(house.root / "home")
    house.mounts = [f"mount -t tmpfs -o ro none {home}"]
    found = house.mend("state")
    assert found["sentence"].endswith("Read-only file system.")
    assert found["mend"].startswith("export VIVAVOCE_STATE_DIR=")


def test_a_home_that_nobody_can_write_is_left_for_another_directory(house: House) -> None:
    house.environ["XDG_STATE_HOME"] = "/proc/1/nowhere"
    house.mend("state")


def test_a_full_disk_is_left_for_another(house: House, mounting: None) -> None:
    house.mounts = [f"mount -t tmpfs -o size=16k none {house.root / 'state'}"]
    found = house.mend("state")
    assert found["sentence"] == f"The disk of {house.state} is full."


def test_a_disk_that_our_own_log_fills_is_freed_of_it(house: House, mounting: None) -> None:
    house.mounts = [
        f"mount -t tmpfs -o size=512k none {house.root / 'state'}",
        f"mkdir -p {house.state}",
        f"[ -e {house.state}/vivavoce.log ] || head -c 1M /dev/zero > {house.state}/vivavoce.log",
    ]
    assert house.mend("state")["mend"] == "vivavoce logs --clear"


def test_a_runtime_directory_that_others_can_reach_is_closed(house: House) -> None:
    house.runtime.mkdir(mode=0o755)
    house.mend("runtime")
    assert house.runtime.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="giving a directory away needs root")
def test_a_runtime_directory_of_another_user_is_left(house: House) -> None:
    house.runtime.mkdir(mode=0o700)
    os.chown(house.runtime, 12345, 12345)
    assert house.mend("runtime")["sentence"] == f"{house.runtime} is not a directory of yours."


def test_a_file_in_place_of_the_runtime_directory_is_left_alone(house: House) -> None:
    house.runtime.write_text("mine")
    house.mend("runtime")
    assert house.runtime.read_text() == "mine"


def test_a_runtime_directory_with_too_long_a_name_is_left(house: House) -> None:
    long = house.root / ("x" * 90)
    long.mkdir(mode=0o700)
    house.environ["XDG_RUNTIME_DIR"] = str(long)
    assert "too long" in house.mend("runtime")["sentence"]


# -- sockets and the daemon


@pytest.mark.parametrize("name", ["control.sock", "daemon.sock"])
def test_a_file_where_a_socket_belongs_is_moved_aside(house: House, name: str) -> None:
    house.runtime.mkdir(mode=0o700)
    (house.runtime / name).write_text("mine")
    house.mend(name.removesuffix(".sock"))
    assert (house.runtime / f"{name}.aside").read_text() == "mine"


@pytest.mark.parametrize("name", ["control.sock", "daemon.sock"])
def test_a_foreign_program_at_a_socket_is_moved_aside(house: House, name: str) -> None:
    house.runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as foreign:
        foreign.bind(str(house.runtime / name))
        foreign.listen()
        assert "does not answer" in house.mend(name.removesuffix(".sock"))["sentence"]


def test_what_a_dead_daemon_left_is_no_fault(house: House) -> None:
    house.runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(house.runtime / "control.sock"))
    assert house.examine("control") == []


def test_a_daemon_of_another_version_is_replaced(house: House) -> None:
    old = installation(house.root / "old", leave_out="_editable_impl_vivavoce")
    package = Path(shutil.copytree(Path(vivavoce.__file__).parent, old.site / "vivavoce"))
    package.joinpath("__init__.py").write_text('"""Old."""\n\n__version__ = "0.0.1"\n')
    path = house.environ["PATH"]
    house.environ["PATH"] = f"{old.bin}:{path}"
    assert house.run("vivavoce serve --detach").returncode == 0
    house.environ["PATH"] = path
    assert "of version 0.0.1" in house.mend("daemon")["sentence"]


# -- sound


@pytest.fixture
def silent(house: House) -> House:
    """A house whose sound server does not exist, on a machine without a sound card."""
    cards = Path("/proc/asound/cards")
    if cards.exists() and "no soundcards" not in cards.read_text():
        pytest.skip("this machine has a sound card")
    house.environ.pop("VIVAVOCE_PLACE")
    house.environ["PULSE_SERVER"] = f"unix:{house.root}/nowhere"
    return house


@pytest.mark.parametrize("before", ["", "speed = 1.5\n", 'place = "desk"\nspeed = 1.5\n'])
def test_without_a_sound_card_speech_goes_to_a_file(silent: House, before: str) -> None:
    if before:
        silent.write_config(before)
    assert silent.mend("sound")["state"] == "fault"
    assert 'place = "file"\n' in silent.config.read_text()
    assert before.endswith("speed = 1.5\n") == ("speed = 1.5\n" in silent.config.read_text())


def test_a_sound_library_that_dies_takes_only_its_own_process_along(silent: House) -> None:
    silent.environ["ALSA_CONFIG_PATH"] = "/nowhere"
    assert silent.find("sound")["state"] == "fault"


def test_a_place_that_the_environment_names_is_changed_there(silent: House) -> None:
    silent.environ["VIVAVOCE_PLACE"] = "desk"
    assert silent.mend("sound")["mend"] == "export VIVAVOCE_PLACE=file"


def test_without_portaudio_miniaudio_takes_over(house: House, mounting: None) -> None:
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, timeout=10)
    libraries = re.findall(r"=> (.*/libportaudio\.so\S*)", listed.stdout)
    if not libraries:
        pytest.skip("PortAudio is not here to be hidden")
    house.mounts = [f"mount --bind /dev/null {library}" for library in libraries]
    found = house.find("portaudio")
    assert (found["state"], found["sentence"]) == (
        "note",
        "PortAudio is missing; miniaudio takes over.",
    )
    assert WELL_FORMED_INSTALL.fullmatch(found["mend"])
    house.mounts = []
    assert house.examine("portaudio") == []


# -- engines


@dataclass
class Installation:
    bin: Path
    site: Path


def installation(root: Path, leave_out: str) -> Installation:
    """A virtual environment with all that ours has, except for what is left out."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    made = Installation(root / "bin", root / f"lib/{version}/site-packages")
    made.bin.mkdir(parents=True)
    made.site.mkdir(parents=True)
    (made.bin / "python").symlink_to(Path(sys.executable).resolve())
    (root / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    for entry in SITE.iterdir():
        if not entry.name.startswith(leave_out):
            (made.site / entry.name).symlink_to(entry)
    command = made.bin / "vivavoce"
    command.write_text(f'#!/bin/sh\nexec {made.bin}/python -m vivavoce "$@"\n')
    command.chmod(0o755)
    return made


@pytest.mark.parametrize("fault", ["missing", "damaged"])
def test_weights_that_are_not_there_are_fetched(house: House, fault: str) -> None:
    own = installation(house.root / "own", leave_out="hibari")
    if fault == "damaged":
        shutil.copytree(SITE / "hibari", own.site / "hibari")
        with (own.site / "hibari/assets/hibari.onnx").open("r+b") as model:
            model.write(b"broken")
    house.environ["PATH"] = f"{own.bin}:{house.environ['PATH']}"
    found = house.find("engines")
    assert found["sentence"] == f"The weights of hibari-tts are {fault}."
    assert found["mend"] == "vivavoce models fetch"
    fetched = house.run(found["mend"])
    if "No matching distribution" in fetched.stderr:
        pytest.skip("no registry is in reach")
    assert house.examine("engines") == []


def test_languages_without_a_voice_are_named(house: House, few_tools: Path) -> None:
    found = house.find("engines")
    assert found["state"] == "note"
    assert found["sentence"].startswith("No voice speaks de, zh:")
    assert WELL_FORMED_INSTALL.fullmatch(found["mend"])
    assert shlex.split(found["mend"])[-1] == "espeak-ng"


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="needs espeak-ng")
def test_languages_have_a_voice_again_when_the_program_is_there(
    house: House, few_tools: Path
) -> None:
    (few_tools / "espeak-ng").symlink_to(str(shutil.which("espeak-ng")))
    assert house.examine("engines") == []


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="needs espeak-ng")
def test_an_engine_that_is_there_but_not_asked_is_added(house: House) -> None:
    house.write_config('speed = 1.5\nengines = [\n  "hibari",\n]\nvolume = 0.5\n')
    house.mend("engines")
    assert house.config.read_text() == 'speed = 1.5\nengines = "hibari,espeak"\nvolume = 0.5\n'


def test_a_house_without_any_engine_is_a_fault(house: House, few_tools: Path) -> None:
    house.environ["VIVAVOCE_ENGINES"] = "espeak"
    found = house.examine("engines")[0]
    assert (found["state"], found["sentence"]) == ("fault", "espeak-ng is not installed.")


def test_an_engine_that_nobody_knows_is_a_fault(house: House) -> None:
    house.write_config('speed = 1.5\nengines = ["hibari", "hal"]\n')
    assert "'hal'" in house.mend("engines")["sentence"]


# -- what is said meanwhile


def read_only(house: House) -> None:
    house.environ["XDG_STATE_HOME"] = "/proc/1/nowhere"


def squatted(house: House) -> None:
    house.runtime.mkdir(mode=0o700)
    (house.runtime / "control.sock").write_text("mine")


def wide_open(house: House) -> None:
    house.runtime.mkdir(mode=0o755)


def long_name(house: House) -> None:
    house.environ["XDG_RUNTIME_DIR"] = str(house.root / ("x" * 90))


def without_weights(house: House) -> None:
    own = installation(house.root / "own", leave_out="hibari")
    house.environ |= {"PATH": f"{own.bin}:{house.environ['PATH']}", "VIVAVOCE_ENGINES": "hibari"}


def unknown_engine(house: House) -> None:
    house.environ["VIVAVOCE_ENGINES"] = "hal"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (squatted, "control.sock is not a socket of ours"),
        (wide_open, "Others can reach into"),
        (long_name, "Nothing can listen at"),
        (without_weights, "The weights of hibari-tts are missing"),
        (unknown_engine, "'hal' is no speech engine here"),
    ],
)
def test_what_cannot_be_said_is_told_in_one_line(
    house: House, fault: Callable[[House], None], sentence: str
) -> None:
    fault(house)
    ran = house.run("vivavoce say hello")
    (line,) = (ran.stdout + ran.stderr).splitlines()
    assert ran.returncode == 1
    assert sentence in line


@pytest.mark.parametrize("fault", [read_only, lambda house: house.write_config("speed = = 1")])
def test_speech_goes_on_where_it_can(house: House, fault: Callable[[House], None]) -> None:
    fault(house)
    ran = house.run("vivavoce say hello")
    assert (ran.returncode, ran.stdout) == (0, "heard: 1 word\n")
    assert len(ran.stderr.splitlines()) <= 1
