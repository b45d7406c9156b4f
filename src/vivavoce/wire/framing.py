"""The frames of `daemon.sock`: four bytes of length, big-endian, then that many bytes of JSON.

Light on purpose: clients import this and nothing heavier.
"""

import struct
from collections.abc import Iterator, Mapping

from vivavoce.errors import ProtocolError
from vivavoce.wire.notation import JsonObject, read, write

MAX_FRAME = 8 * 1024 * 1024
"""Bytes of JSON in one frame."""

_LENGTH = struct.Struct(">I")


def encode(message: Mapping[str, object]) -> bytes:
    """One frame. Raises `ProtocolError` when it is larger than `MAX_FRAME`."""
    body = write(message)
    if len(body) > MAX_FRAME:
        raise ProtocolError(
            f"The message has {len(body)} bytes; at most {MAX_FRAME} are allowed.", code="too-large"
        )
    return _LENGTH.pack(len(body)) + body


class FrameReader:
    """Cuts a stream of bytes into messages, whatever the pieces it comes in."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def receive(self, data: bytes) -> Iterator[JsonObject]:
        """Take bytes and yield each message that is whole. Raises `ProtocolError`; then close."""
        self._buffer += data
        while (body := self._next_body()) is not None:
            message = read(body)
            if not isinstance(message, dict):
                raise ProtocolError("A frame is not a JSON object.")
            yield message

    def _next_body(self) -> bytes | None:
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > MAX_FRAME:
            raise ProtocolError(
                f"A frame of {length} bytes; at most {MAX_FRAME} are allowed.", code="too-large"
            )
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return body
