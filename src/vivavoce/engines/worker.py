"""The process in which the engines run: `python -m vivavoce.engines.worker DESCRIPTOR`.

It speaks the protocol of `frames` over an inherited socket and ends when the other end closes.
Nothing that a library prints can come between the frames: standard output is not used.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import aclosing, suppress

from vivavoce.engines.company import Company, hire
from vivavoce.engines.frames import (
    WINDOW_BYTES,
    Decoder,
    Frame,
    Header,
    chunk_frames,
    encode,
    failed_header,
    request_of,
    voices_header,
)
from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import EngineFailed, ProtocolError, VivavoceError

_READ_BYTES = 1 << 16
_CLOSE_SECONDS = 1.0


class Window:
    """How many bytes of one request the reader has room for. The one who sends waits."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._widened = asyncio.Event()

    async def take(self, size: int) -> None:
        """Wait until there is some room, then use it; a piece may overdraw it once."""
        while self._room <= 0:
            self._widened.clear()
            await self._widened.wait()
        self._room -= size

    def widen(self, size: int) -> None:
        """The reader has taken so many bytes."""
        self._room += size
        self._widened.set()


class Worker:
    """Serves the requests of one daemon, many at once."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._company = Company({})
        self._misfortune: VivavoceError | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._windows: dict[int, Window] = {}
        self._work: Mapping[str, Callable[[Header], Coroutine[None, None, None]]] = {
            "voices": self._voices,
            "preload": self._preload,
            "synthesize": self._synthesize,
        }

    def handle(self, frame: Frame) -> None:
        """Take one frame of the daemon. Raises `ProtocolError`."""
        header = frame.header
        match header.get("do"):
            case "settings":
                self._hire(frame.payload.decode())
            case "took":
                if window := self._windows.get(header["id"]):
                    window.widen(header["bytes"])
            case "cancel":
                if task := self._tasks.get(header["id"]):
                    task.cancel()
            case str(verb) if verb in self._work:
                self._begin(header, self._work[verb])
            case verb:
                raise ProtocolError(f"The worker does not know how to do {verb!r}.")

    async def close(self) -> None:
        """Cancel what runs, and close the engines."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._company.close()

    def _hire(self, settings: str) -> None:
        try:
            self._company = hire(EngineSettings.from_json(settings))
        except VivavoceError as error:
            # Each request is answered with it: that is where somebody reads.
            self._misfortune = error

    def _begin(self, header: Header, work: Callable[[Header], Coroutine[None, None, None]]) -> None:
        request_id = header["id"]
        if self._misfortune is not None:
            self._writer.write(encode(failed_header(request_id, self._misfortune)))
            return
        self._windows[request_id] = Window(WINDOW_BYTES)
        task = self._tasks[request_id] = asyncio.create_task(work(header))
        task.add_done_callback(lambda done: self._end(request_id, done))

    def _end(self, request_id: int, task: asyncio.Task[None]) -> None:
        """Tell how a request has ended; of one that was cancelled nobody waits to hear."""
        del self._tasks[request_id], self._windows[request_id]
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._writer.write(encode({"is": "done", "id": request_id}))
            return
        if not isinstance(error, VivavoceError):
            # Its text is not passed on: nobody knows what a library puts into it.
            error = EngineFailed(f"The speech engine failed unexpectedly ({type(error).__name__}).")
        self._writer.write(encode(failed_header(request_id, error)))

    async def _voices(self, header: Header) -> None:
        self._writer.write(encode(voices_header(header["id"], await self._company.voices())))

    async def _preload(self, header: Header) -> None:
        await self._company.preload(header["language"])

    async def _synthesize(self, header: Header) -> None:
        request_id = header["id"]
        window = self._windows[request_id]
        async with aclosing(self._company.synthesize(request_of(header))) as chunks:
            async for chunk in chunks:
                for frame in chunk_frames(request_id, chunk):
                    await window.take(len(frame.payload))
                    self._writer.write(encode(frame.header, frame.payload))
                    await self._writer.drain()


async def serve(channel: socket.socket) -> None:
    """Serve the other end of a socket until it closes."""
    reader, writer = await asyncio.open_unix_connection(sock=channel)
    worker = Worker(writer)
    decoder = Decoder()
    try:
        while data := await reader.read(_READ_BYTES):
            for frame in decoder.feed(data):
                worker.handle(frame)
    finally:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await worker.close()
        writer.close()


def main() -> None:
    """Run until the daemon's end closes."""
    # An interrupt from the terminal is the daemon's to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve_and_exit(socket.socket(fileno=int(sys.argv[1]))))


async def _serve_and_exit(channel: socket.socket) -> None:
    with suppress(ConnectionError, TimeoutError):
        await serve(channel)
    # Returning would wait for threads that are in the middle of a model.
    os._exit(0)


if __name__ == "__main__":
    main()
