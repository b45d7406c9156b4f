"""The worker's protocol, without sockets: frames of a JSON header and a binary payload.

A frame is two lengths (unsigned, 32 bits, big-endian), the header in UTF-8, and the payload.

    daemon -> worker                          worker -> daemon
    settings   first, once; payload: JSON                    chunk   words, exact; payload: PCM
    voices     id                             voices  the answer
    preload    id, language                   done    the request has ended well
    synthesize id, request                    failed  kind, message, code, mend
    took       id, bytes: the reader has
               room for so many more
    cancel     id
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from struct import Struct
from typing import Any

from vivavoce.errors import (
    EngineError,
    EngineFailed,
    NoVoice,
    ProtocolError,
    VivavoceError,
    WeightsMissing,
)
from vivavoce.vocabulary.audio import SpeechChunk, Synthesize, Voice, WordTime
from vivavoce.vocabulary.speech import Span

Header = Mapping[str, Any]
"""What a frame says: "do" names a request, "is" an answer, "id" the request that both belong to."""

_LENGTHS = Struct(">II")
MAX_HEADER_BYTES = 1 << 20
MAX_PAYLOAD_BYTES = 1 << 18
PIECE_BYTES = 1 << 16
"""A long chunk travels in pieces of so many bytes, so that requests share the channel fairly."""
WINDOW_BYTES = 1 << 18
"""What the worker may send of one request before the reader has taken it: 5.4 s of speech."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    header: Header
    payload: bytes = b""


def encode(header: Header, payload: bytes = b"") -> bytes:
    """One frame as bytes. Raises `ProtocolError` for one that is too big."""
    head = json.dumps(header, separators=(",", ":")).encode()
    _check_sizes(len(head), len(payload))
    return _LENGTHS.pack(len(head), len(payload)) + head + payload


class Decoder:
    """Takes bytes as they come and gives whole frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Frames that are complete now. Raises `ProtocolError`."""
        self._buffer += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if len(self._buffer) < _LENGTHS.size:
            return None
        head_bytes, payload_bytes = _LENGTHS.unpack_from(self._buffer)
        _check_sizes(head_bytes, payload_bytes)
        body = _LENGTHS.size + head_bytes
        end = body + payload_bytes
        if len(self._buffer) < end:
            return None
        head, payload = self._buffer[_LENGTHS.size : body], bytes(self._buffer[body:end])
        del self._buffer[:end]
        return Frame(_parse(head), payload)


def _check_sizes(head_bytes: int, payload_bytes: int) -> None:
    if head_bytes > MAX_HEADER_BYTES or payload_bytes > MAX_PAYLOAD_BYTES:
        raise ProtocolError(f"A frame of {head_bytes} + {payload_bytes} bytes is too big.")


def _parse(head: bytes | bytearray) -> Header:
    try:
        header = json.loads(head)
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise ProtocolError("A frame's header is not a JSON object.")
    return header


def chunk_frames(request_id: int, chunk: SpeechChunk) -> Iterator[Frame]:
    """A chunk cut into pieces; its words travel with the first."""
    words = [[w.span.start, w.span.end, w.start, w.end] for w in chunk.words]
    for start in range(0, max(len(chunk.pcm), 1), PIECE_BYTES):
        header = {"is": "chunk", "id": request_id, "words": words, "exact": chunk.exact}
        yield Frame(header, chunk.pcm[start : start + PIECE_BYTES])
        words = []


def chunk_of(frame: Frame) -> SpeechChunk:
    """The piece of speech that a "chunk" frame carries."""
    words = tuple(WordTime(Span(a, b), start, end) for a, b, start, end in frame.header["words"])
    return SpeechChunk(frame.payload, words, frame.header["exact"])


def synthesize_header(request: Synthesize) -> Header:
    """The frame that asks for speech, but for its id."""
    return {"do": "synthesize", "request": asdict(request)}


def request_of(header: Header) -> Synthesize:
    """What a "synthesize" frame asks for."""
    return Synthesize(**header["request"])


def voices_header(request_id: int, voices: tuple[Voice, ...]) -> Header:
    """The frame that lists voices."""
    return {"is": "voices", "id": request_id, "voices": [asdict(voice) for voice in voices]}


def voices_of(header: Header) -> tuple[Voice, ...]:
    """What a "voices" frame lists."""
    return tuple(
        Voice(**{**fields, "languages": tuple(fields["languages"])}) for fields in header["voices"]
    )


def failed_header(request_id: int, error: VivavoceError) -> Header:
    """The frame that says why a request has failed."""
    return {
        "is": "failed",
        "id": request_id,
        "kind": type(error).__name__,
        "message": error.message,
        "code": error.code,
        "mend": error.mend,
    }


def error_of(header: Header) -> EngineError:
    """The error that a "failed" frame tells, of the type that was raised in the worker."""
    kind = _ERRORS.get(header["kind"], EngineFailed)
    return kind(header["message"], code=header["code"], mend=header["mend"])


_ERRORS: Mapping[str, type[EngineError]] = {
    kind.__name__: kind for kind in (EngineError, NoVoice, WeightsMissing, EngineFailed)
}
