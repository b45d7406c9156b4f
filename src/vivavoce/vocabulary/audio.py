"""Sound as numbers: the house format, chunks from an engine, times of words, fences."""

from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.vocabulary.speech import Span


@dataclass(frozen=True, slots=True)
class PcmFormat:
    """Signed 16-bit little-endian PCM."""

    rate: int
    """Samples a second, in Hertz."""
    channels: int = 1

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of all channels."""
        return 2 * self.channels

    def samples(self, seconds: float) -> int:
        """Samples in so many seconds, rounded."""
        return round(seconds * self.rate)

    def seconds(self, samples: int) -> float:
        """Seconds that so many samples last."""
        return samples / self.rate


HOUSE_FORMAT = PcmFormat(rate=24_000)
"""What engines deliver and places take: 24 kHz, mono, signed 16-bit little-endian.

An engine with another rate is resampled in its worker, a device with another rate at its place."""


class Fence(NamedTuple):
    """The number that a place checks: it only grows, and audio with an older one is refused."""

    grant: int
    """The floor's grant."""
    run: int
    """The stretch of unbroken playing within the grant; a seek or a replay begins a new one."""


@dataclass(frozen=True, slots=True)
class WordTime:
    """When one word of a synthesised text sounds."""

    span: Span
    """In the text that was synthesised."""
    start: int
    """Samples from the beginning of the text's audio."""
    end: int
    """Samples from the beginning of the text's audio, exclusive."""


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """A piece of synthesised speech, in the house format, in order."""

    pcm: bytes
    words: tuple[WordTime, ...] = ()
    """Words whose times this chunk makes known, on the clock of the whole text's audio. They may
    lie outside of the chunk's own samples."""
    exact: bool = True
    """Whether the engine told the word times; False: estimated from the length of the words."""


@dataclass(frozen=True, slots=True)
class Synthesize:
    """A wish to an engine: speak one segment."""

    text: str
    language: str
    """BCP 47 primary tag."""
    voice: str = ""
    """A voice's name; empty: the engine's default for the language."""
    engine: str = ""
    """An engine's name; empty: the first that has the voice."""
    speed: float = 1.0
    """1.0 is the voice's own pace; 0.5 to 2.0."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice that an engine here can speak with."""

    name: str
    engine: str
    languages: tuple[str, ...]
    """BCP 47 primary tags, the best first."""
    description: str = ""
    ready: bool = True
    """Whether it can speak now; False: something is missing, see `why`."""
    why: str = ""
    """What is missing and the command that mends it."""
    local: bool = True
    """Whether the text stays on this machine."""
