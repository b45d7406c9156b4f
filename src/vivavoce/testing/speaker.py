"""A speaker that plays into memory, moved by hand."""

from collections.abc import Callable

from vivavoce.errors import PlaceError
from vivavoce.sound.ring import RING_SAMPLES, PlaybackRing
from vivavoce.vocabulary.audio import Fence
from vivavoce.vocabulary.place import Drained, Place, Played, SpeakerLost, SpeakerReport


class MemoryPlace:
    """Keeps what was played, and plays only when `play` or `play_all` says so."""

    def __init__(self, capacity: int = RING_SAMPLES, place: Place | None = None) -> None:
        self.place = place or Place("memory")
        self.played: list[tuple[Fence, bytes]] = []
        """What was heard: one entry a run that sounded, in order."""
        self.opened = False
        self.refuses = False
        """Whether the next `open` finds no device."""
        self.volume = 1.0
        self._ring = PlaybackRing(capacity, fade=False)
        self._report: Callable[[SpeakerReport], None] | None = None

    async def open(self, report: Callable[[SpeakerReport], None]) -> None:
        """Make ready to play. Raises `PlaceError` while `refuses` is set."""
        if self.refuses:
            raise PlaceError("There is no sound card in memory.", code="no-sound-card")
        self._report, self.opened = report, True

    async def close(self) -> None:
        """Fall silent."""
        self._ring.end()
        self.opened = False

    @property
    def fence(self) -> Fence | None:
        """The run that plays now, or None."""
        return self._ring.fence if self._ring.active else None

    @property
    def paused(self) -> bool:
        """Whether it is silent by wish."""
        return self._ring.active and self._ring.paused

    @property
    def waiting(self) -> int:
        """Samples that were written and not played yet."""
        return self._ring.waiting

    @property
    def sound(self) -> bytes:
        """All that was heard, in order."""
        return b"".join(pcm for _, pcm in self.played)

    def start(self, fence: Fence) -> None:
        """Begin a run, unless the fence is old."""
        if self.opened:
            self._ring.start(fence)

    def write(self, fence: Fence, pcm: bytes) -> int:
        """Take PCM as far as there is room."""
        return self._ring.write(fence, pcm)

    def finish(self, fence: Fence) -> None:
        """The run has all its PCM; a run that is played out already drains now."""
        if self._ring.finish(fence):
            self._drain()

    def clear(self, fence: Fence) -> None:
        """End the run and report how far it was heard."""
        if self._ring.is_current(fence):
            self._ring.end()
            self._tell(Played(fence, self._ring.taken))

    def pause(self) -> None:
        """Play nothing until `resume`."""
        self._ring.pause()

    def resume(self) -> None:
        """Play again when told to."""
        self._ring.resume()

    def set_volume(self, volume: float) -> None:
        """Remember the loudness; what is kept in memory stays as it was written."""
        self.volume = volume

    def play(self, samples: int) -> int:
        """Play up to so many samples, report them, and return how many sounded."""
        count = min(samples, self._ring.waiting)
        if not self._ring.active or self._ring.paused:
            return 0
        fence = self._ring.fence
        if count and fence is not None:
            self._keep(fence, self._ring.take(count).pcm)
            self._tell(Played(fence, self._ring.taken))
        self._drain()
        return count

    def play_all(self) -> int:
        """Play all that waits or comes meanwhile; return how many samples sounded."""
        total = 0
        while count := self.play(RING_SAMPLES):
            total += count
        return total

    def lose(self, reason: str = "The loudspeaker was unplugged.") -> None:
        """Be gone: nothing more is played until it is opened again."""
        self._ring.end()
        self.opened = False
        self._tell(SpeakerLost(reason))

    def _keep(self, fence: Fence, pcm: bytes) -> None:
        if self.played and self.played[-1][0] == fence:
            self.played[-1] = (fence, self.played[-1][1] + pcm)
        else:
            self.played.append((fence, pcm))

    def _drain(self) -> None:
        fence = self._ring.fence
        if self._ring.spent and fence is not None:
            self._ring.end()
            self._tell(Drained(fence, self._ring.taken))

    def _tell(self, report: SpeakerReport) -> None:
        if self._report is not None:
            self._report(report)
