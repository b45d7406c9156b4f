"""One worker process, seen from the daemon: start it, converse with it, end it."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from itertools import count
from typing import Self

from vivavoce.engines.frames import Decoder, Frame, Header, encode, error_of
from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import EngineFailed, ProtocolError

_READ_BYTES = 1 << 16
_END_SECONDS = 2.0
"""How long a worker may take to end by itself."""
_PATIENCE_SECONDS = 90.0
"""A worker that says nothing about a request for so long hangs, and is ended."""
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
"""One core is enough for speech, and the machine is not ours alone."""


class WorkerGone(Exception):
    """The worker has ended before it has answered."""


class WorkerLink:
    """A running worker. Answers to a request come in a queue that the worker's window bounds."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.gone = False
        self._process = process
        self._writer = writer
        self._ids = count(1)
        self._answers: dict[int, asyncio.Queue[Frame | None]] = {}
        self._listening = asyncio.create_task(self._listen(reader))

    @classmethod
    async def start(cls, settings: EngineSettings) -> Self:
        """Start a worker; what it has to load it loads when it is asked. Raises `EngineFailed`."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", "vivavoce.engines.worker", str(theirs.fileno())),
                    pass_fds=(theirs.fileno(),),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    env=os.environ | _ONE_THREAD,
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise EngineFailed(f"The speech engines cannot start: {error.strerror}.") from error
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        link = cls(process, reader, writer)
        # Over the socket, since arguments and environment of a process can be read by others.
        writer.write(encode({"do": "settings"}, settings.to_json().encode()))
        return link

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    async def ask(self, header: Header) -> AsyncGenerator[Frame, None]:
        """Send a request and give its answers to the last; closing the generator cancels it.

        Raises `WorkerGone` and what the worker has raised.
        """
        request_id = next(self._ids)
        answers = self._answers[request_id] = asyncio.Queue()
        finished = False
        try:
            if self.gone:
                raise WorkerGone
            self._send({**header, "id": request_id})
            while (frame := await self._next(answers)).header["is"] != "done":
                if frame.header["is"] == "failed":
                    finished = True
                    raise error_of(frame.header)
                yield frame
                self._send({"do": "took", "id": request_id, "bytes": len(frame.payload)})
            finished = True
        finally:
            del self._answers[request_id]
            if not finished:
                self._send({"do": "cancel", "id": request_id})

    async def close(self) -> None:
        """End the process: it ends by itself when our end closes, else it is killed. Idempotent."""
        self.gone = True
        self._writer.close()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()
        await self._listening

    def _send(self, header: Header) -> None:
        if not self.gone:
            self._writer.write(encode(header))

    async def _next(self, answers: "asyncio.Queue[Frame | None]") -> Frame:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                frame = await answers.get()
        except TimeoutError:
            self._kill()
            raise EngineFailed("The speech engines do not answer.") from None
        if frame is None:
            raise WorkerGone
        return frame

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        decoder = Decoder()
        try:
            while data := await reader.read(_READ_BYTES):
                for frame in decoder.feed(data):
                    if answers := self._answers.get(frame.header["id"]):
                        answers.put_nowait(frame)
        except (ConnectionError, ProtocolError):
            self._kill()
        finally:
            self.gone = True
            self._writer.close()
            for answers in self._answers.values():
                answers.put_nowait(None)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
