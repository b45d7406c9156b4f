"""How far a run was heard, from what a device took and when it will sound."""

from collections import deque
from typing import NamedTuple

from vivavoce.vocabulary.audio import HOUSE_FORMAT

MARKS = 128
"""Blocks that are remembered: more than any device holds back."""


class Mark(NamedTuple):
    """A stretch of the run that the device took in one piece."""

    at: float
    """Seconds, on the caller's clock, when its first sample leaves the device."""
    first: int
    samples: int


class HeardPosition:
    """Turns marks into the number of samples that had left the device at a time."""

    def __init__(self, rate: int = HOUSE_FORMAT.rate) -> None:
        self.rate = rate
        """Samples a second, in Hertz."""
        self._marks: deque[Mark] = deque(maxlen=MARKS)
        self._heard = 0

    def restart(self) -> None:
        """A new run begins with nothing heard."""
        self._marks.clear()
        self._heard = 0

    def mark(self, at: float, first: int, samples: int) -> None:
        """The device took samples that sound from the second `at` on."""
        if samples:
            self._marks.append(Mark(at, first, samples))

    def heard(self, now: float) -> int:
        """Samples that were heard at `now`; it never goes back."""
        for mark in reversed(self._marks):
            if mark.at <= now:
                gone = min(mark.samples, int((now - mark.at) * self.rate))
                self._heard = max(self._heard, mark.first + gone)
                break
        return self._heard

    @property
    def silent_at(self) -> float:
        """Seconds when the last sample that was taken has left the device; 0.0 if none was."""
        if not self._marks:
            return 0.0
        last = self._marks[-1]
        return last.at + last.samples / self.rate
