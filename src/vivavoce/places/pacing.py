"""What the places share that play in real time: a ring, the position in it, and reports.

A device takes blocks on a thread of its own; the event loop looks how far the sound has got, each
`LOOK_SECONDS` while a run goes on. Waking the loop from the device's thread for each block would
cost more and tell nothing sooner.
"""

import asyncio
import threading
import time
from collections.abc import Callable

from vivavoce.sound.heard import HeardPosition
from vivavoce.sound.ring import PlaybackRing
from vivavoce.vocabulary.audio import Fence
from vivavoce.vocabulary.place import Drained, Played, SpeakerLost, SpeakerReport

LOOK_SECONDS = 0.02


class PacedSpeaker:
    """The half of a `Speaker` that does not touch a device. Used on one event loop."""

    _report: Callable[[SpeakerReport], None] | None = None

    def __init__(self, fade: bool = True) -> None:
        self._ring = PlaybackRing(fade=fade)
        self._position = HeardPosition()
        self._lock = threading.Lock()
        self._look_timer: asyncio.TimerHandle | None = None
        self._told = 0

    def now(self) -> float:
        """Seconds on the clock that paces this place."""
        return time.monotonic()

    # -- what the conductor asks -----------------------------------------------------------------

    def start(self, fence: Fence) -> None:
        """Begin a run, not paused; what is unheard of an older one is discarded at once."""
        if self._report is None:
            return
        with self._lock:
            begun = self._ring.start(fence)
            if begun:
                self._position.restart()
        if begun:
            self._told = 0
            self._begun()
            self._keep_looking()

    def write(self, fence: Fence, pcm: bytes) -> int:
        """Take house-format PCM and return how many bytes were taken."""
        with self._lock:
            return self._ring.write(fence, pcm)

    def finish(self, fence: Fence) -> None:
        """The run has no more PCM: `Drained` is reported when the last sample was heard."""
        with self._lock:
            self._ring.finish(fence)

    def clear(self, fence: Fence) -> None:
        """End the run; what is in the device already still sounds, so it counts as heard."""
        with self._lock:
            current = self._ring.is_current(fence)
            if current:
                self._ring.end()
        if current:
            self._tell(Played(fence, self._ring.taken))
            self._ended()

    def pause(self) -> None:
        """Fall silent as soon as the device has played what it holds; no sample is lost."""
        with self._lock:
            self._ring.pause()

    def resume(self) -> None:
        """Go on with the next sample."""
        with self._lock:
            self._ring.resume()

    def set_volume(self, volume: float) -> None:
        """Loudness from 0.0 (silent) to 1.0 (as synthesised)."""
        with self._lock:
            self._ring.set_volume(volume)

    # -- what a device does ----------------------------------------------------------------------

    def _take(self, frames: int, sounds_at: float) -> bytes:
        """The next block; its first sample leaves the device at the second `sounds_at`."""
        with self._lock:
            taken = self._ring.take(frames)
            at = sounds_at + taken.offset / self._position.rate
            self._position.mark(at, taken.first, taken.samples)
            return taken.pcm

    # -- what a place adds -----------------------------------------------------------------------

    def _begun(self) -> None:
        """A run has begun."""

    def _ended(self) -> None:
        """A run has ended: drained, cleared or lost."""

    def _advance(self) -> None:
        """Time has passed."""

    # -- looking how far it got ------------------------------------------------------------------

    def _keep_looking(self) -> None:
        if self._look_timer is None:
            loop = asyncio.get_running_loop()
            self._look_timer = loop.call_later(LOOK_SECONDS, self._look)

    def _stop_looking(self) -> None:
        if self._look_timer is not None:
            self._look_timer.cancel()
            self._look_timer = None

    def _look(self) -> None:
        self._look_timer = None
        self._advance()
        now = self.now()
        with self._lock:
            fence, active = self._ring.fence, self._ring.active
            heard = self._position.heard(now)
            drained = self._ring.spent and now >= self._position.silent_at
            if active and drained:
                self._ring.end()
                heard = self._ring.taken
        if fence is None or not active:
            return
        self._progress(fence, heard)
        if drained:
            self._tell(Drained(fence, heard))
            self._ended()
        if self._ring.active:
            self._keep_looking()

    def _progress(self, fence: Fence, heard: int) -> None:
        if heard > self._told:
            self._told = heard
            self._tell(Played(fence, heard))

    def _silence(self) -> None:
        """End the run and report nothing more."""
        with self._lock:
            self._ring.end()
        self._stop_looking()
        self._report = None

    def _abandon(self, reason: str) -> None:
        """The device is gone: tell how far the run was heard, and that."""
        with self._lock:
            fence, active = self._ring.fence, self._ring.active
            heard = self._position.heard(self.now())
            self._ring.end()
        self._stop_looking()
        if active and fence is not None:
            self._progress(fence, heard)
        self._tell(SpeakerLost(reason))

    def _tell(self, report: SpeakerReport) -> None:
        if self._report is not None:
            self._report(report)
