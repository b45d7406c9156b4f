"""The doctor's checks: each looks at one thing and yields what it finds."""

from __future__ import annotations

import asyncio
import ctypes.util
import errno
import json
import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce import __version__
from vivavoce.cli import mends
from vivavoce.cli.findings import Finding, Patient, State
from vivavoce.errors import (
    HouseError,
    PlaceError,
    SettingError,
    SocketTaken,
    StoreError,
    VivavoceError,
    WrongVersion,
)
from vivavoce.settings import SOCKET_PATH_BYTES, Settings
from vivavoce.sockets.listening import private_directory
from vivavoce.wire.framing import FrameReader, encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vivavoce.vocabulary.audio import Voice

_FULL = {errno.ENOSPC, errno.EDQUOT}
_LANGUAGES = ("en", "de", "zh")
"""What people who use this are known to write."""
_FETCH = "vivavoce models fetch"
_DESK_PATIENCE_S = 8.0
_PATIENCE_S = 1.0
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
        yield Finding("config", State.FAULT, error.message, error.mend)
    if not patient.loaded.errors:
        yield Finding("config", State.OK, "The settings are in order.")


def state(patient: Patient) -> Iterator[Finding]:
    """The journal must be able to grow, or nothing is accepted."""
    folder = Path(patient.directories.state)
    away = mends.followed(mends.elsewhere("VIVAVOCE_STATE_DIR"), patient.directories)
    try:
        mends.write_probe(folder)
    except OSError as error:
        if error.errno in _FULL:
            mend = "vivavoce logs --clear" if _logs_are_big(folder) else away
            raise StoreError(f"The disk of {folder} is full.", mend=mend) from None
        reason = error.strerror or str(error)
        raise StoreError(f"Nothing can be written in {folder}: {reason}.", mend=away) from None
    yield Finding("state", State.OK, f"{folder} takes what is written.")


def _logs_are_big(folder: Path) -> bool:
    """Whether it is enough to empty our own logs."""
    logs = [*folder.glob("vivavoce.log*"), *folder.glob("daemon.out")]
    return sum(log.stat().st_size for log in logs) >= mends.PROBE_BYTES


def runtime(patient: Patient) -> Iterator[Finding]:
    """The sockets' directory must be ours alone, and its name short enough for an address."""
    folder = Path(patient.directories.runtime)
    if len(os.fsencode(patient.directories.control_socket)) > SOCKET_PATH_BYTES:
        raise HouseError(
            f"{folder} is too long for a socket's address.",
            mend=mends.elsewhere("VIVAVOCE_RUNTIME_DIR"),
        )
    private_directory(folder)
    yield Finding("runtime", State.OK, f"{folder} is ours alone.")


# -- sockets and the daemon

_STATUS = b'{"command":"status"}\n'
_HELLO = {"op": "hello", "what": "doctor", "version": __version__}


def control(patient: Patient) -> Iterator[Finding]:
    """At the control socket a daemon of ours listens, or nothing stands in its way."""
    path = patient.loaded.settings.control_socket or patient.directories.control_socket
    whose = "ours" if _answer(path, _STATUS) else "free"
    yield Finding("control", State.OK, f"{path} is {whose}.")


def daemon(patient: Patient) -> Iterator[Finding]:
    """A daemon that runs is of our version."""
    answer = _answer(patient.directories.daemon_socket, encode(_HELLO))
    if not answer:
        yield Finding("daemon", State.OK, "No daemon runs; the first that needs one starts it.")
        return
    version = next(FrameReader().receive(answer)).get("version")
    if version != __version__:
        raise WrongVersion(
            f"The daemon is of version {version}, this is {__version__}.",
            mend="vivavoce stop && vivavoce serve --detach",
        )
    yield Finding("daemon", State.OK, f"The daemon is of this version, {version}.")


def _answer(path: str, question: bytes) -> bytes:
    """What a daemon of ours answers; empty where there is none. Raises `SocketTaken`."""
    mend = mends.aside(path)
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise SocketTaken(f"{path} is taken: it is not a socket.", mend=mend)
        answer = _ask(path, question)
    except (FileNotFoundError, ConnectionRefusedError):
        return b""  # what a dead daemon left is replaced by the next one
    except OSError as error:
        reason = error.strerror or error
        raise SocketTaken(f"{path} is taken, and does not answer: {reason}.", mend=mend) from None
    if b'"ok":' not in answer:
        raise SocketTaken(f"{path} is taken by another program.", mend=mend)
    return answer


def _ask(path: str, question: bytes) -> bytes:
    """Raises `OSError` where nothing answers in time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_PATIENCE_S)
        line.connect(path)
        line.sendall(question)
        return line.recv(65_536)


# -- sound


def sound(patient: Patient) -> Iterator[Finding]:
    """The place where speech goes can be reached."""
    settings = patient.loaded.settings
    if settings.place != "desk":
        yield Finding("sound", State.OK, f"Speech goes to {settings.place}: no sound card needed.")
        return
    told = _desk()
    if told["message"]:
        mend = _changed(patient, "place", "file")
        raise PlaceError(f"{told['message']} Speech can go to a file instead.", mend=mend)
    yield Finding("sound", State.OK, f"The desk speaks: {told['device'] or 'it opens'}.")


def _desk() -> dict[str, str]:
    """What the probe tells; a message if the desk does not speak."""
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "vivavoce.cli.desk_probe"],
            capture_output=True,
            text=True,
            timeout=_DESK_PATIENCE_S,
            check=True,
        )
        told: dict[str, str] = json.loads(ran.stdout)
    except subprocess.TimeoutExpired:
        return {"message": "The sound system does not answer."}
    except (subprocess.CalledProcessError, ValueError):
        return {"message": "The sound system fails."}
    return told


def portaudio(patient: Patient) -> Iterator[Finding]:
    """miniaudio, which comes along, plays at the desk; PortAudio is the second choice."""
    name = ctypes.util.find_library("portaudio")
    try:
        ctypes.CDLL(name or "libportaudio.so.2")
    except OSError:
        sentence = "PortAudio is missing; miniaudio takes over."
        yield Finding("portaudio", State.NOTE, sentence, mends.install("libportaudio2"))
    else:
        yield Finding("portaudio", State.OK, f"{name or 'PortAudio'} is here.")


# -- engines


def engines(patient: Patient) -> Iterator[Finding]:
    """Each engine that the settings name can speak, and each usual language has a voice."""
    try:
        known = asyncio.run(_voices(patient))
    except VivavoceError as error:
        if error.code != SettingError.code:
            raise
        mend = _changed(patient, "engines", ",".join(Settings().engines))
        raise SettingError(error.message, mend=mend) from None
    for engine in dict.fromkeys(voice.engine for voice in known):
        yield _engine(patient, [voice for voice in known if voice.engine == engine])
    mute = [language for language in _LANGUAGES if not _speaks(known, language)]
    if mute:
        sentence = f"No voice speaks {', '.join(mute)}: such text is shown, not spoken."
        yield Finding("languages", State.NOTE, sentence, _more_voices(patient))
    else:
        yield Finding("languages", State.OK, f"{', '.join(_LANGUAGES)} have a voice.")


async def _voices(patient: Patient) -> tuple[Voice, ...]:
    """Ask the worker, as the daemon does. Raises `SettingError` for an engine nobody knows."""
    from vivavoce.house import synthesizer

    worker = synthesizer(patient.loaded.settings, patient.directories)
    try:
        return await worker.voices()
    finally:
        await worker.close()


def _engine(patient: Patient, voices: list[Voice]) -> Finding:
    """An engine is as ready as its first voice; the others may be downloads."""
    first = voices[0]
    if first.ready:
        return Finding("engines", State.OK, f"{first.engine} is ready.")
    why, _, mend = first.why.partition("; run: ")
    if mend == _FETCH:
        return Finding("engines", State.FAULT, f"{why}.", _fetched(patient))
    others = [engine for engine in patient.loaded.settings.engines if engine != first.engine]
    state = State.NOTE if others else State.FAULT
    mend = mends.install("espeak-ng") if first.engine == "espeak" else mend
    return Finding("engines", state, f"{why}.", mend)


def _fetched(patient: Patient) -> str:
    """Fetch weights, where they can be kept."""
    try:
        mends.write_probe(Path(patient.directories.data))
    except OSError:
        away = f"{mends.elsewhere('VIVAVOCE_DATA_DIR')} && {_FETCH}"
        return mends.followed(away, patient.directories)
    return _FETCH


def _speaks(known: tuple[Voice, ...], language: str) -> bool:
    """Whether text in a language is spoken; it does not leave the machine for want of a voice."""
    voices = [voice for voice in known if language in voice.languages]
    return any(voice.ready and (voice.local or voice is voices[0]) for voice in voices)


def _more_voices(patient: Patient) -> str:
    """Bring in the engine that speaks most languages."""
    if not shutil.which("espeak-ng", path=patient.environ.get("PATH", "")):
        return mends.install("espeak-ng")
    more = ",".join(dict.fromkeys((*patient.loaded.settings.engines, "espeak")))
    return _changed(patient, "engines", more)


def _changed(patient: Patient, key: str, word: str) -> str:
    change = mends.change(patient.loaded, patient.directories, key, word)
    return mends.followed(change, patient.directories)


CHECKS = (command, config, state, runtime, control, daemon, sound, portaudio, engines)
