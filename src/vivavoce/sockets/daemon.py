"""`daemon.sock`: our own clients. The first frame is a hello; requests run side by side."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.errors import CallerError, HouseError, ProtocolError, VivavoceError
from vivavoce.sockets.connection import READ_BYTES, LocalServer
from vivavoce.wire import daemon as wire
from vivavoce.wire.framing import FrameReader, encode
from vivavoce.wire.notation import JsonObject

MAX_CONNECTIONS = 256
MAX_REQUESTS = 64
"""Requests of one connection that are under way; further ones wait in the socket."""

Fields = Mapping[str, object]
Tell = Callable[[Fields], Awaitable[None]]
Answer = Callable[[wire.Request, wire.Hello, Tell], Awaitable[Fields]]
"""Does a request and returns its last answer; `Tell` sends those before."""

_FULL = encode({"ok": False, "code": "too-many-connections", "message": "Too many clients."})
_BROKEN = HouseError("Something in vivavoce broke.", code="broken", mend="vivavoce logs")


@dataclass(slots=True)
class _Client:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    answer: Answer
    frames: FrameReader = field(default_factory=FrameReader)
    hello: wire.Hello | None = None
    under_way: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self) -> None:
        try:
            while data := await self.reader.read(READ_BYTES):
                for message in self.frames.receive(data):
                    await self._read(message)
        except ProtocolError as error:
            with contextlib.suppress(ConnectionError):
                await self._send(_refused(error, 0))
        finally:
            for task in tuple(self.under_way):
                task.cancel()
            await asyncio.gather(*self.under_way, return_exceptions=True)

    async def _read(self, message: JsonObject) -> None:
        try:
            request = wire.parse(message)
        except CallerError as error:
            seq = message.get("seq")
            await self._send(_refused(error, seq if isinstance(seq, int) else 0))
        else:
            await self._take(request)

    async def _take(self, request: wire.Request) -> None:
        if isinstance(request, wire.Hello):
            self.hello = request
        if self.hello is None:
            raise ProtocolError("The first frame is a hello.")
        while len(self.under_way) >= MAX_REQUESTS:
            await asyncio.wait(self.under_way, return_when=asyncio.FIRST_COMPLETED)
        task = asyncio.create_task(self._answer(request, self.hello))
        self.under_way.add(task)
        task.add_done_callback(self.under_way.discard)

    async def _answer(self, request: wire.Request, hello: wire.Hello) -> None:
        async def tell(fields: Fields) -> None:
            await self._send({"ok": True, "seq": request.seq, **fields})

        with contextlib.suppress(ConnectionError):
            try:
                await tell(await self.answer(request, hello, tell))
            except VivavoceError as error:
                await self._send(_refused(error, request.seq))
            except ConnectionError:
                raise
            except Exception:
                # Whoever asked must not wait for ever; the loop's handler tells the rest.
                await self._send(_refused(_BROKEN, request.seq))
                raise

    async def _send(self, fields: Fields) -> None:
        self.writer.write(encode(fields))
        await self.writer.drain()


def _refused(error: VivavoceError, seq: int) -> Fields:
    told = {"ok": False, "seq": seq, "code": error.code, "message": error.message}
    return {**told, "mend": error.mend} if error.mend else told


def daemon_server(path: Path, answer: Answer) -> LocalServer:
    """The server of `daemon.sock`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _Client(reader, writer, answer).serve()

    return LocalServer(path, serve, _FULL, MAX_CONNECTIONS)
