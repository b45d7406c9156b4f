"""What the benchmarks of speech share: a daemon at a private sound server, with ears there."""

import socket
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.cli.client import Client
from vivavoce.testing.daemon import PrivateDaemon
from vivavoce.testing.soundserver import Recorder, SoundServer

QUIET_SECONDS = 0.35
"""A pause between two measurements, in which what is on its way arrives."""


@dataclass(frozen=True)
class Scene:
    """A warm daemon that plays at a null sink."""

    server: SoundServer
    daemon: PrivateDaemon
    recorder: Recorder

    def say(self, client: Client, text: str, **wish: object) -> tuple[float, Iterator[Any]]:
        """Ask for speech; returns when it was accepted, and the answers that follow."""
        answers = client.ask("say", 120.0, text=text, **wish)
        next(answers)
        return time.monotonic(), answers

    def first_sound(self, after: float, within: float = 3.0) -> float | None:
        """Seconds from `after` to the first audible sample; None: all was silent."""
        recording = self.recorder.wait_until(after + within, within + 10.0)
        sound = recording.first_sound(after)
        return None if sound is None else sound - after

    def last_sound(self, after: float, until: float) -> float:
        """Seconds from `after` to the last audible sample before `until`; below 0: before."""
        recording = self.recorder.wait_until(until, 15.0)
        sound = recording.last_sound(until)
        return (sound if sound is not None else after) - after

    def wait_for_sound(self, after: float) -> None:
        """Return once something is audible. Raises `TimeoutError` after five seconds."""
        deadline = after + 5.0
        while time.monotonic() < deadline:
            recording = self.recorder.wait_until(time.monotonic() - 0.01)
            if recording.first_sound(after) is not None:
                return
        raise TimeoutError("nothing is audible")


@contextmanager
def scene(**settings: str) -> Iterator[Scene]:
    """A daemon with these settings, warm: it has spoken once."""
    with tempfile.TemporaryDirectory(prefix="vivavoce-bench-") as folder:
        home = Path(folder)
        with (
            SoundServer(home / "sound") as server,
            PrivateDaemon(home / "daemon", env=server.env, **settings) as daemon,
        ):
            with daemon.client() as client:
                list(_ended(client, "Warm up, please."))
            with server.record() as recorder:
                yield Scene(server, daemon, recorder)


def _ended(client: Client, text: str) -> Iterator[Any]:
    answers = client.ask("say", 60.0, text=text)
    yield next(answers)
    yield next(answers)


@contextmanager
def control(daemon: PrivateDaemon) -> Iterator[socket.socket]:
    """A connection to the control socket, as a key or a button has it."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10.0)
        connection.connect(daemon.where.control_socket)
        yield connection


def send(connection: socket.socket, line: bytes) -> float:
    """Send a command, wait for its answer, and return when it was sent."""
    sent = time.monotonic()
    connection.sendall(line + b"\n")
    connection.recv(65536)
    return sent


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which `part` (0 to 1) of the values lie; the nearest that was measured."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(part * (len(ordered) - 1)))]


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def rss_mb(pid: int) -> float:
    """Resident memory of a process, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)
