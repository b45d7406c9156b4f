"""A daemon with directories of its own, for tests and benchmarks. It is ended by its id."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from vivavoce.cli.client import Client
from vivavoce.directories import Directories, directories

START_SECONDS = 30.0
END_SECONDS = 15.0


class PrivateDaemon:
    """`vivavoce serve` below `home`; as a context manager it is started and ended."""

    def __init__(
        self, home: Path, *, env: Mapping[str, str] | None = None, **settings: str
    ) -> None:
        self.home = home
        names = {f"VIVAVOCE_{name.upper()}": value for name, value in settings.items()}
        self.env = {**_clean(os.environ), **(env or {}), **_private(home), **names}
        self.program = [sys.executable, "-m", "vivavoce", "serve"]
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    @property
    def where(self) -> Directories:
        """Its directories."""
        return directories(self.env, os.getuid())

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        """Start it and wait until it listens. Raises `RuntimeError` with its own words."""
        reading, writing = os.pipe()
        self.process = subprocess.Popen(
            self.program,
            env={**self.env, "VIVAVOCE_READY_FD": str(writing)},
            pass_fds=(writing,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        os.close(writing)
        with os.fdopen(reading) as pipe:
            told = pipe.readline()
        if told != "ready\n":
            self.end()
            raise RuntimeError(f"the daemon did not start: {told!r}")

    def end(self) -> bytes:
        """End it in order; returns what it wrote to standard error."""
        if self.process is None:
            return b""
        self.process.send_signal(signal.SIGTERM)
        try:
            _, errors = self.process.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
        self.process = None
        return errors

    def kill(self) -> None:
        """End it with SIGKILL, as a crash does."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()
        self.process = None

    def client(self, what: str = "test", **hello: object) -> Client:
        """A greeted client."""
        return Client.at(self.where.daemon_socket, what, **hello)

    def run(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the `vivavoce` command with these arguments against it."""
        return subprocess.run(
            [sys.executable, "-m", "vivavoce", *arguments],
            env={**self.env, **(env or {})},
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )


def _private(home: Path) -> dict[str, str]:
    names = {"CONFIG": "config", "DATA": "data", "STATE": "state", "RUNTIME": "run"}
    made = {f"VIVAVOCE_{name}_DIR": str(home / folder) for name, folder in names.items()}
    return {**made, "HOME": str(home)}


def _clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without settings of whoever runs the tests."""
    ours = ("VIVAVOCE_", "VOICEMODE_", "XDG_")
    return {name: value for name, value in environ.items() if not name.startswith(ours)}
