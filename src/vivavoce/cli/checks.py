"""The doctor's checks: each looks at one thing and yields what it finds."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import shutil
import socket
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce import __version__
from vivavoce.cli import mends
from vivavoce.cli.findings import Finding, Patient, State
from vivavoce.errors import NoVoice, ProtocolError, SettingError
from vivavoce.settings import SOCKET_PATH_BYTES, Settings
from vivavoce.vocabulary.audio import Synthesize
from vivavoce.wire.framing import FrameReader, encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vivavoce.engines.settings import EngineSettings
    from vivavoce.vocabulary.audio import Voice

_FULL = {errno.ENOSPC, errno.EDQUOT}
_LANGUAGES = ("en", "de", "zh")
"""What people who use this are known to write."""
_FETCH = "vivavoce models fetch"
_PATIENCE_S = 2.0
"""How long a daemon may take to answer."""


# -- settings and directories


def command(patient: Patient) -> Iterator[Finding]:
    """The mends below call `vivavoce`, so a shell must find it."""
    if shutil.which("vivavoce", path=patient.environ.get("PATH", "")):
        yield Finding("command", State.OK, f"vivavoce {__version__} is on the PATH.")
        return
    home = shlex.quote(str(Path(sys.executable).parent))
    yield Finding("command", State.NOTE, "No shell finds vivavoce.", f'export PATH={home}":$PATH"')


def config(patient: Patient) -> Iterator[Finding]:
    """Each fault of the settings has its own line."""
    for error in patient.loaded.errors:
        yield Finding("config", State.FAULT, f"{error.message}.", error.mend)
    if not patient.loaded.errors:
        yield Finding("config", State.OK, "The settings are in order.")


def state(patient: Patient) -> Iterator[Finding]:
    """The journal must be able to grow, or nothing is accepted."""
    folder = Path(patient.directories.state)
    try:
        mends.write_probe(folder)
    except OSError as error:
        if error.errno in _FULL:
            yield Finding("state", State.FAULT, f"The disk of {folder} is full.", _freed(folder))
            return
        reason = error.strerror or str(error)
        yield Finding(
            "state",
            State.FAULT,
            f"Nothing can be written in {folder}: {reason}.",
            mends.elsewhere("VIVAVOCE_STATE_DIR"),
        )
    else:
        yield Finding("state", State.OK, f"{folder} takes what is written.")


def _freed(folder: Path) -> str:
    """Empty our own log if that is enough, else go to another disk."""
    logs = [log for log in folder.glob("*.log*") if log.stat().st_size >= mends.PROBE_BYTES]
    if logs:
        return " && ".join(f": > {shlex.quote(str(log))}" for log in logs)
    return mends.elsewhere("VIVAVOCE_STATE_DIR")


def runtime(patient: Patient) -> Iterator[Finding]:
    """The sockets' directory must be ours alone, and its name short enough for an address."""
    folder = Path(patient.directories.runtime)
    fault = _runtime_fault(folder)
    if fault:
        yield Finding("runtime", State.FAULT, *fault)
    else:
        yield Finding("runtime", State.OK, f"{folder} is ours alone.")


def _runtime_fault(folder: Path) -> tuple[str, str] | None:
    elsewhere = mends.elsewhere("VIVAVOCE_RUNTIME_DIR")
    if len(os.fsencode(folder)) + len("/control.sock") > SOCKET_PATH_BYTES:
        return f"{folder} is too long for a socket's address.", elsewhere
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except FileExistsError:
        return f"{folder} is not a directory.", mends.aside(str(folder))
    except OSError as error:
        return f"{folder} cannot be made: {error.strerror}.", elsewhere
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return f"{folder} is not a directory of yours.", elsewhere
    if found.st_mode & 0o077:
        return f"Others can reach into {folder}.", f"chmod 700 {shlex.quote(str(folder))}"
    return None


# -- sockets and the daemon


def sockets(patient: Patient) -> Iterator[Finding]:
    """Where our sockets belong there is a daemon of ours, or nothing that stands in its way."""
    control = patient.loaded.settings.control_socket or patient.directories.control_socket
    questions = {control: _STATUS, patient.directories.daemon_socket: encode(_HELLO)}
    for path, question in questions.items():
        fault = _squatter(path, question)
        if fault:
            yield Finding("sockets", State.FAULT, fault, mends.aside(path))
        else:
            yield Finding("sockets", State.OK, f"{path} is free, or ours.")


def _squatter(path: str, question: bytes) -> str:
    """What stands in the way, as a sentence, or empty."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return ""
    if not stat.S_ISSOCK(mode):
        return f"{path} is taken: it is not a socket."
    try:
        answer = _ask(path, question)
    except ConnectionRefusedError:
        return ""  # left by a daemon that died; the next one takes its place
    except OSError as error:
        return f"{path} is taken by a program that does not answer: {error.strerror or error}."
    return "" if b'"ok":' in answer else f"{path} is taken by another program."


_STATUS = b'{"command":"status"}\n'
_HELLO = {"op": "hello", "what": "doctor", "version": __version__}


def _ask(path: str, question: bytes) -> bytes:
    """Raises `OSError` where nothing answers in time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_PATIENCE_S)
        line.connect(path)
        line.sendall(question)
        return line.recv(65_536)


def daemon(patient: Patient) -> Iterator[Finding]:
    """A daemon that runs is of our version."""
    try:
        (answer,) = FrameReader().receive(_ask(patient.directories.daemon_socket, encode(_HELLO)))
    except (OSError, ValueError, ProtocolError):
        yield Finding("daemon", State.OK, "No daemon runs; the first that needs one starts it.")
        return
    version = answer.get("version")
    if version == __version__:
        yield Finding("daemon", State.OK, f"The daemon is of this version, {version}.")
        return
    yield Finding(
        "daemon",
        State.FAULT,
        f"The daemon is of version {version}, this is {__version__}.",
        "vivavoce stop && vivavoce serve --detach",
    )


# -- engines


def weights(patient: Patient) -> Iterator[Finding]:
    """The model files of the engine that comes along are there, and the pinned ones."""
    from vivavoce.engines.models import Condition, check

    if "hibari" not in patient.loaded.settings.engines:
        return
    for found in check(_engine_settings(patient)):
        name = found.weights.distribution
        if found.condition is Condition.PRESENT:
            yield Finding("weights", State.OK, f"The weights of {name} are the pinned ones.")
        else:
            sentence = f"The weights of {name} are {found.condition}."
            yield Finding("weights", State.FAULT, sentence, _fetched(patient))


def _fetched(patient: Patient) -> str:
    """Fetch weights, where they can be kept."""
    try:
        mends.write_probe(Path(patient.directories.data))
    except OSError:
        return f"{mends.elsewhere('VIVAVOCE_DATA_DIR')} && {_FETCH}"
    return _FETCH


def voices(patient: Patient) -> Iterator[Finding]:
    """Some engine can speak, and each of the usual languages has a voice."""
    try:
        known = asyncio.run(_voices(patient))
    except SettingError as error:
        every = ",".join(Settings().engines)
        mend = mends.change(patient.loaded, patient.directories, "engines", every)
        yield Finding("voices", State.FAULT, str(error), mend)
        return
    ready = [voice for voice in known if voice.ready]
    mute = [language for language in _LANGUAGES if not _speaks(known, language)]
    if not ready:
        yield Finding("voices", State.FAULT, "No engine can speak.", _any_voice(patient))
    elif mute:
        sentence = f"No voice speaks {', '.join(mute)}; such text is shown, not spoken."
        yield Finding("voices", State.NOTE, sentence, _any_voice(patient))
    else:
        engines = ", ".join(dict.fromkeys(voice.engine for voice in ready))
        yield Finding("voices", State.OK, f"{', '.join(_LANGUAGES)} have a voice ({engines}).")


def _engine_settings(patient: Patient) -> EngineSettings:
    from vivavoce.house import engine_settings

    return engine_settings(patient.loaded.settings, patient.directories)


async def _voices(patient: Patient) -> tuple[Voice, ...]:
    """Raises `SettingError` for an engine that is not known."""
    from vivavoce.engines.company import hire

    company = hire(_engine_settings(patient))
    try:
        return await company.voices()
    finally:
        await company.close()


def _speaks(known: tuple[Voice, ...], language: str) -> bool:
    from vivavoce.engines.casting import cast

    try:
        return cast(known, Synthesize("", language)).ready
    except NoVoice:
        return False


def _any_voice(patient: Patient) -> str:
    """Bring in the engine that speaks most languages."""
    engines = patient.loaded.settings.engines
    if not shutil.which("espeak-ng", path=patient.environ.get("PATH", "")):
        return mends.install("espeak-ng")
    more = ",".join(dict.fromkeys((*engines, "espeak")))
    return mends.change(patient.loaded, patient.directories, "engines", more)


CHECKS = (command, config, state, runtime, sockets, daemon, weights, voices)
