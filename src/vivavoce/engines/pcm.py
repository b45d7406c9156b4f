"""Sound from programs and servers, on its way to the house format: WAV headers and resampling.

numpy and soxr are imported when the first sound comes.
"""

from importlib import import_module
from struct import unpack_from

from vivavoce.errors import EngineFailed
from vivavoce.vocabulary.audio import HOUSE_FORMAT, PcmFormat

_MAX_HEADER_BYTES = 1 << 16
_INTEGER_PCM = (1, 0xFFFE)


def wav_header(data: bytes) -> tuple[PcmFormat, int] | None:
    """Format of a WAV file and where its samples begin; None: its beginning is not all here yet.

    Lengths are not believed, since programs that stream write a made-up one. Raises `EngineFailed`.
    """
    form = None
    at = 12
    while at + 8 <= min(len(data), _MAX_HEADER_BYTES):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if kind == b"data":
            if form is None:
                break
            return form, at + 8
        if kind == b"fmt ":
            if len(data) < at + 24:
                return None
            form = _format(data, at + 8)
        at += 8 + size + size % 2
    if at >= _MAX_HEADER_BYTES or (data[at : at + 4] == b"data" and form is None):
        raise EngineFailed("The engine sent a WAV file that cannot be read.")
    return None


def _format(data: bytes, at: int) -> PcmFormat:
    coding, channels, rate = unpack_from("<HHI", data, at)
    (bits,) = unpack_from("<H", data, at + 14)
    if coding not in _INTEGER_PCM or bits != 16 or channels not in (1, 2) or not rate:
        raise EngineFailed("The engine sent sound that is not 16-bit PCM.")
    return PcmFormat(rate, channels)


class Resampler:
    """Turns 16-bit PCM of any rate, one or two channels, into the house format as it comes."""

    def __init__(self, source: PcmFormat) -> None:
        self._source = source
        self._rest = b""
        self._stream = None
        if source.rate != HOUSE_FORMAT.rate:
            soxr = import_module("soxr")
            self._stream = soxr.ResampleStream(source.rate, HOUSE_FORMAT.rate, 1, dtype="int16")

    def feed(self, data: bytes, *, last: bool = False) -> bytes:
        """House-format PCM made of the data; `last` gives what is still inside, too."""
        data = self._rest + data
        whole = len(data) - len(data) % self._source.frame_bytes
        data, self._rest = data[:whole], data[whole:]
        if self._stream is None and self._source.channels == 1:
            return data
        return self._convert(data, last)

    def _convert(self, data: bytes, last: bool) -> bytes:
        import numpy as np

        samples = np.frombuffer(data, "<i2")
        if self._source.channels == 2:
            samples = samples.reshape(-1, 2).mean(axis=1).astype("<i2")
        if self._stream is not None:
            samples = self._stream.resample_chunk(samples, last=last)
        return bytes(samples.tobytes())


def house_pcm(wav: bytes) -> bytes:
    """A whole WAV file in the house format. Raises `EngineFailed`."""
    header = wav_header(wav) if wav.startswith(b"RIFF") else None
    if header is None:
        raise EngineFailed("The engine sent no sound.")
    source, start = header
    return Resampler(source).feed(wav[start:], last=True)
