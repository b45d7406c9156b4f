"""The header of a WAV file of 16-bit PCM (RIFF, `fmt ` and `data` chunks)."""

import struct

from vivavoce.vocabulary.audio import HOUSE_FORMAT, PcmFormat

HEADER_BYTES = 44
MAX_DATA_BYTES = 0xFFFF_FFFF - (HEADER_BYTES - 8)
"""RIFF counts in 32 bits: a file of the house format ends after a day of speech."""


def wav_header(data_bytes: int, pcm_format: PcmFormat = HOUSE_FORMAT) -> bytes:
    """The 44 bytes before `data_bytes` bytes of PCM. Raises ValueError when they are too many."""
    if not 0 <= data_bytes <= MAX_DATA_BYTES:
        raise ValueError(f"a WAV file cannot hold {data_bytes} bytes of sound")
    frame = pcm_format.frame_bytes
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        data_bytes + HEADER_BYTES - 8,
        b"WAVE",
        b"fmt ",
        16,
        1,  # integer PCM
        pcm_format.channels,
        pcm_format.rate,
        pcm_format.rate * frame,
        frame,
        16,
        b"data",
        data_bytes,
    )
