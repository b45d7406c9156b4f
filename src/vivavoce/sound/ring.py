"""The playback ring: what a place will play next, of one run, and how much of it has gone out.

One side writes as synthesis delivers, the other takes as the device asks. What the device takes
is always as long as it asked for: a pause, an underrun and the end sound as silence, and silence
is never counted as a sample of the run.
"""

from typing import NamedTuple

from vivavoce.sound.fade import FADE_SAMPLES, fade_in, fade_out, ramp
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Fence

SAMPLE_BYTES = HOUSE_FORMAT.frame_bytes
RING_SAMPLES = HOUSE_FORMAT.samples(2.0)


class Taken(NamedTuple):
    """A block for the device: silence or a fade, then samples of the run, then silence."""

    pcm: bytes
    offset: int
    """Samples in the block before the first one of the run."""
    first: int
    """The position in the run of the first sample that was taken."""
    samples: int
    """Samples of the run in the block."""


class PlaybackRing:
    """Holds the unheard PCM of the current run, up to a fixed number of samples."""

    def __init__(self, capacity: int = RING_SAMPLES, fade: bool = True) -> None:
        self.fence: Fence | None = None
        """The current run, or the last one that was; None before the first."""
        self.active = False
        """Whether the run goes on: neither cleared nor ended."""
        self.finished = False
        """Whether the run has all its PCM."""
        self.paused = False
        self.taken = 0
        """Samples of the run that went to the device."""
        self._capacity = capacity * SAMPLE_BYTES
        self._unheard = bytearray()
        self._fade = FADE_SAMPLES if fade else 0
        self._tail = b""
        self._lead_in = 0
        self._sounding = False
        self._risen = self._fade
        self._volume = 1.0
        self._gain = 1.0

    @property
    def waiting(self) -> int:
        """Samples of the run that are here and not taken yet."""
        return len(self._unheard) // SAMPLE_BYTES

    @property
    def spent(self) -> bool:
        """Whether all of a finished run has been taken."""
        return self.active and self.finished and not self._unheard

    def is_current(self, fence: Fence) -> bool:
        """Whether that run goes on here."""
        return self.active and fence == self.fence

    def start(self, fence: Fence) -> bool:
        """Begin a run and discard the one before; False for a fence that is not newer than all."""
        if self.fence is not None and fence <= self.fence:
            return False
        self.end()
        self.fence, self.active, self.finished, self.paused = fence, True, False, False
        self.taken, self._risen, self._lead_in = 0, self._fade, 0
        return True

    def lead_in(self, samples: int) -> None:
        """Let so many samples of silence go before the next sample of the run."""
        self._lead_in = samples

    def write(self, fence: Fence, pcm: bytes) -> int:
        """Take whole samples as far as there is room, and return the bytes that were taken."""
        if not self.is_current(fence) or self.finished:
            return 0
        room = self._capacity - len(self._unheard)
        size = min(len(pcm), room) // SAMPLE_BYTES * SAMPLE_BYTES
        self._unheard += pcm[:size]
        return size

    def finish(self, fence: Fence) -> bool:
        """The run has all its PCM; False when it is not the current one."""
        if not self.is_current(fence):
            return False
        self.finished = True
        return True

    def end(self) -> None:
        """End the run, and discard what was not taken but for a few samples that fade."""
        if self.active:
            self._keep_tail()
        self.active = False
        self._unheard.clear()
        self._lead_in = 0

    def pause(self) -> None:
        """Fall silent. The fade repeats the next samples softly; they stay untaken."""
        if not self.paused:
            self._keep_tail()
            self.paused = True

    def resume(self) -> None:
        """Go on with the first sample that was not taken, rising as the pause faded."""
        if self.paused:
            self.paused = False
            if not self._tail and self.taken:
                self._risen = 0
            self._tail = b""

    def set_volume(self, volume: float) -> None:
        """Loudness from 0.0 to 1.0, reached within the next block."""
        self._volume = min(1.0, max(0.0, volume))

    def take(self, frames: int) -> Taken:
        """The next `frames` samples for the device."""
        tail, self._tail = self._tail[: frames * SAMPLE_BYTES], b""
        offset = len(tail) // SAMPLE_BYTES
        count = 0
        sound = b""
        if self.active and not self.paused:
            silent = min(self._lead_in, frames - offset)
            self._lead_in -= silent
            offset += silent
            sound = self._next(frames - offset)
            count = len(sound) // SAMPLE_BYTES
        first, self.taken = self.taken, self.taken + count
        self._sounding = count > 0
        head = tail.ljust(offset * SAMPLE_BYTES, b"\0")
        pcm = (head + sound).ljust(frames * SAMPLE_BYTES, b"\0")
        return Taken(self._louden(pcm, offset + count), offset, first, count)

    def _next(self, samples: int) -> bytes:
        sound = bytes(self._unheard[: samples * SAMPLE_BYTES])
        del self._unheard[: len(sound)]
        if self._risen < self._fade and sound:
            risen = self._risen
            self._risen = min(self._fade, risen + len(sound) // SAMPLE_BYTES)
            return fade_in(sound, risen)
        return sound

    def _louden(self, pcm: bytes, audible: int) -> bytes:
        start, self._gain = self._gain, self._volume
        if not audible or start == self._gain == 1.0:
            return pcm
        return ramp(pcm, start, self._gain)

    def _keep_tail(self) -> None:
        if self._sounding and not self.paused:
            self._tail = fade_out(bytes(self._unheard[: self._fade * SAMPLE_BYTES]))
            self._sounding = False
