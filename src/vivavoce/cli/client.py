"""A client of the daemon: one blocking socket. Hot: imports next to nothing."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from typing import Any, Self

from vivavoce import __version__
from vivavoce.directories import directories
from vivavoce.errors import NoDaemon, VivavoceError, WrongVersion
from vivavoce.wire.framing import FrameReader, encode

START_SECONDS = 20.0
HELLO_SECONDS = 3.0
ANSWER_SECONDS = 10.0
"""For answers that are not the end of an utterance."""

Answer = dict[str, Any]


class Client:
    """A connection to `daemon.sock`, greeted. Close it; as a context manager it closes itself."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._frames = FrameReader()
        self._arrived: list[Answer] = []
        self._seq = 0
        self.version = ""

    @classmethod
    def at(cls, path: str, what: str, **hello: object) -> Self:
        """A greeted client of the daemon that listens at `path`. Raises `NoDaemon`."""
        connection = _connected(path)
        if connection is None:
            raise NoDaemon("No daemon is running.", mend="vivavoce serve --detach")
        client = cls(connection)
        client.hello(what, **hello)
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def hello(self, what: str, **fields: object) -> Answer:
        """Say who we are. Raises `WrongVersion` for a daemon of another version."""
        told = {"what": what, "version": __version__, "pid": os.getpid(), "cwd": _cwd()}
        told["tmux_pane"] = os.environ.get("TMUX_PANE", "")
        answer = next(self.ask("hello", HELLO_SECONDS, **{**told, **fields}))
        self.version = answer["version"]
        return answer

    def same_version(self) -> Self:
        """Raises `WrongVersion` unless the daemon is of our version."""
        if self.version != __version__:
            raise WrongVersion(
                f"The daemon is vivavoce {self.version}, this is {__version__}.",
                mend="vivavoce stop && vivavoce serve --detach",
            )
        return self

    def ask(
        self, op: str, deadline: float | None = ANSWER_SECONDS, /, **fields: object
    ) -> Iterator[Answer]:
        """Send a request and yield its answers; `deadline` is in seconds for each, None: for ever.

        Raises `NoDaemon` when the daemon goes away, and what the daemon refuses as
        `VivavoceError` with the daemon's code.
        """
        self._seq += 1
        seq = self._seq
        self._connection.settimeout(deadline)
        try:
            self._connection.sendall(encode({"op": op, "seq": seq, **fields}))
            while True:
                yield self._answer(seq)
        except TimeoutError:
            raise NoDaemon(
                "What listens there does not answer.", code="no-answer", mend="vivavoce doctor"
            ) from None
        except OSError:
            raise _gone() from None

    def _answer(self, seq: int) -> Answer:
        while True:
            for index, answer in enumerate(self._arrived):
                if answer.get("seq", 0) in (seq, 0):
                    del self._arrived[index]
                    return _granted(answer)
            data = self._connection.recv(65536)
            if not data:
                raise _gone()
            self._arrived += self._frames.receive(data)


def _granted(answer: Answer) -> Answer:
    if answer.get("ok"):
        return answer
    raise VivavoceError(answer["message"], code=answer["code"], mend=answer.get("mend", ""))


def _gone() -> NoDaemon:
    return NoDaemon("The daemon has gone.", code="gone", mend="vivavoce catch-up")


def _cwd() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib costs a third of a bare start
    except OSError:
        return ""


def connect(what: str, *, start: bool = False, **hello: object) -> Client:
    """A greeted client; `start`: starts the daemon if there is none. Raises `NoDaemon`."""
    path = directories(os.environ, os.getuid()).daemon_socket
    try:
        return Client.at(path, what, **hello)
    except NoDaemon as error:
        if not start or error.code != NoDaemon.code:
            raise
    start_daemon()
    return _connect_soon(path, what, hello)


def _connect_soon(path: str, what: str, hello: dict[str, object]) -> Client:
    """A client of a daemon that somebody else is starting at this moment."""
    import time

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return Client.at(path, what, **hello)
        except NoDaemon as error:
            if error.code != NoDaemon.code or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _connected(path: str) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection


def start_daemon() -> None:
    """Start the daemon as a process of its own and wait until it listens. Raises `NoDaemon`."""
    import select
    import subprocess

    where = directories(os.environ, os.getuid())
    reading, writing = os.pipe()
    log = _log_file(where.state)
    try:
        subprocess.Popen(
            [sys.executable, "-m", "vivavoce", "serve"],
            cwd="/",
            env={**os.environ, "VIVAVOCE_READY_FD": str(writing)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(writing,),
            start_new_session=True,
        )
    finally:
        os.close(writing)
        os.close(log)
    try:
        ready, _, _ = select.select([reading], [], [], START_SECONDS)
        told = os.read(reading, 4096).decode() if ready else ""
    finally:
        os.close(reading)
    if told != "ready\n":
        raise NoDaemon(told.strip() or "The daemon did not start; see: vivavoce logs")


def _log_file(state: str) -> int:
    """A descriptor for what the daemon writes to standard error; a log that cannot be is none."""
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)  # noqa: PTH103
        return os.open(f"{state}/daemon.out", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def shown(answer: Answer) -> str:
    """An answer as one JSON line, without what belongs to the wire."""
    told = {name: value for name, value in answer.items() if name not in ("ok", "seq")}
    return json.dumps(told, ensure_ascii=False)
