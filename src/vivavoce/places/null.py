"""Nowhere: takes as long as a loudspeaker would, and sounds nothing."""

import asyncio
from collections.abc import Callable

from vivavoce.places.pacing import PacedSpeaker
from vivavoce.vocabulary.audio import HOUSE_FORMAT
from vivavoce.vocabulary.place import Place, SpeakerReport


class NullPlace(PacedSpeaker):
    """Consumes sound in real time, by the event loop's clock."""

    def __init__(self) -> None:
        super().__init__(fade=False)
        self.place = Place("null", description="nothing is heard, in real time")
        self._taken_until = 0.0

    def now(self) -> float:
        """Seconds on the event loop's clock."""
        return asyncio.get_running_loop().time()

    async def open(self, report: Callable[[SpeakerReport], None]) -> None:
        """Make ready; this never fails."""
        self._report = report

    async def close(self) -> None:
        """Forget the run."""
        self._silence()

    def _begun(self) -> None:
        self._taken_until = self.now()

    def _advance(self) -> None:
        frames = int((self.now() - self._taken_until) * HOUSE_FORMAT.rate)
        self._take(frames, self._taken_until)
        self._taken_until += HOUSE_FORMAT.seconds(frames)
