"""A speech server on the loopback: real HTTP over a real socket, answers as scripted."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from vivavoce.testing.synthesizer import tones


@dataclass
class Answer:
    """What the server sends. `gate` holds it back after the first piece."""

    pieces: Sequence[bytes]
    status: int = 200
    kind: str = "audio/pcm"
    gate: asyncio.Event | None = None


@dataclass
class Loopback:
    """What the server was asked, and how to reach it."""

    answer: Callable[[dict], Answer]
    address: str = ""
    connections: int = 0
    requests: list[dict] = field(default_factory=list)
    headers: list[bytes] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    lines: dict[asyncio.StreamWriter, "asyncio.Task[None] | None"] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.lines[writer] = asyncio.current_task()
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.headers.append(head)
                lines = head.lower().split(b"\r\n")
                length = next(int(x.split(b":")[1]) for x in lines if b"content-length" in x)
                asked = json.loads(await reader.readexactly(length))
                self.requests.append(asked)
                await self.send(reader, writer, self.answer(asked))
        except (asyncio.IncompleteReadError, ConnectionError):
            self.hung_up.set()
        finally:
            writer.close()

    async def send(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer
    ) -> None:
        writer.write(
            f"HTTP/1.1 {answer.status} so\r\ncontent-type: {answer.kind}\r\n"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        for index, piece in enumerate(answer.pieces):
            if index and answer.gate is not None:
                await self.wait(reader, answer.gate)
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def wait(self, reader: asyncio.StreamReader, gate: asyncio.Event) -> None:
        """Wait for the gate, or notice that the client hangs up."""
        opened = asyncio.create_task(gate.wait())
        gone = asyncio.create_task(reader.readexactly(1))
        await asyncio.wait((opened, gone), return_when=asyncio.FIRST_COMPLETED)
        opened.cancel()
        if gone.done():
            gone.result()
        gone.cancel()


def speech(asked: dict) -> Answer:
    """The text as tones, in the house format, cut where no sample ends."""
    pcm, _ = tones(asked["input"], asked["speed"])
    return Answer([pcm[at : at + 4_001] for at in range(0, len(pcm), 4_001)])


@asynccontextmanager
async def loopback(answer: Callable[[dict], Answer] = speech) -> AsyncIterator[Loopback]:
    house = Loopback(answer)
    server = await asyncio.start_server(house.serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    house.address = f"http://{host}:{port}"
    try:
        async with server:
            yield house
    finally:
        for writer in house.lines:
            writer.close()
        await asyncio.gather(*house.lines.values())
