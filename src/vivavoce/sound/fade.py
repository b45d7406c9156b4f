"""Loudness of 16-bit samples: constant gains and short ramps that keep a cut from clicking."""

from array import array

FADE_SAMPLES = 96
"""Samples of a fade; 4 ms at 24 kHz: too short to be heard as a fade, long enough not to click."""


def ramp(pcm: bytes, start: float, end: float) -> bytes:
    """Scale samples by a gain that moves evenly from `start` to `end`.

    Gains lie between 0.0 and 1.0, so nothing can clip.
    """
    samples = array("h", pcm)
    if start == end:
        return pcm if start == 1.0 else array("h", [int(s * start) for s in samples]).tobytes()
    step = (end - start) / max(1, len(samples))
    return array("h", [int(s * (start + step * i)) for i, s in enumerate(samples)]).tobytes()


def fade_in(pcm: bytes, done: int) -> bytes:
    """Raise the loudness of a sound of which `done` samples of the fade have passed already."""
    size = 2 * min(len(pcm) // 2, FADE_SAMPLES - done)
    if size <= 0:
        return pcm
    risen = ramp(pcm[:size], done / FADE_SAMPLES, (done + size // 2) / FADE_SAMPLES)
    return risen + pcm[size:]


def fade_out(pcm: bytes) -> bytes:
    """Let a short piece of sound go to silence over its whole length."""
    return ramp(pcm, 1.0, 0.0)
