"""`control.sock`: the small public protocol, for keys, buttons and scripts."""

import asyncio
from pathlib import Path

from vivavoce.conductor.control import Controls
from vivavoce.errors import HouseError, VivavoceError
from vivavoce.sockets.connection import READ_BYTES, LocalServer
from vivavoce.wire.control import (
    MAX_CONNECTIONS,
    Command,
    ControlStream,
    Refusal,
    answer,
    refusal,
)

_FULL = refusal(
    Refusal(HouseError(f"At most {MAX_CONNECTIONS} connections.", code="too-many-connections"))
)


def control_server(path: Path, controls: Controls) -> LocalServer:
    """The server of `control.sock`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        stream = ControlStream()
        while data := await reader.read(READ_BYTES):
            for line in stream.receive(data):
                writer.write(await _answer(line, controls))
            await writer.drain()

    return LocalServer(path, serve, _FULL, MAX_CONNECTIONS)


async def _answer(line: Command | Refusal, controls: Controls) -> bytes:
    if isinstance(line, Refusal):
        return refusal(line)
    try:
        return answer(line.request_id, **await controls.do(line))
    except VivavoceError as error:
        return refusal(Refusal(error, line.request_id))
