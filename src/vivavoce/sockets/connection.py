"""What both sockets share: connections of the same user, counted, closed with the server."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from vivavoce.sockets.listening import listen
from vivavoce.sockets.peer import peer_uid

READ_BYTES = 64 * 1024
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class LocalServer:
    """Serves connections at a Unix socket to the same user and to nobody else."""

    def __init__(self, path: Path, serve: Serve, turn_away: bytes, most: int) -> None:
        self.path = path
        self._serve = serve
        self._turn_away = turn_away
        self._most = most
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Listen. Raises `SocketTaken`."""
        self._server = await asyncio.start_unix_server(self._accepted, sock=listen(self.path))

    async def close(self) -> None:
        """Stop listening, end all connections, remove the socket. Idempotent."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self.path.unlink(missing_ok=True)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if not _is_ours(writer):
                return
            if len(self._connections) > self._most:
                writer.write(self._turn_away)
                return
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # The peer went away, or the daemon ends: there is nobody to tell.
        finally:
            self._connections.discard(task)
            writer.close()


def _is_ours(writer: asyncio.StreamWriter) -> bool:
    return peer_uid(writer.get_extra_info("socket")) == os.getuid()
