"""A clock that a test moves by hand."""


class FakeClock:
    """Monotonic seconds that pass only when told to."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        """Seconds since this clock's beginning."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass. Raises ValueError for a step back."""
        if seconds < 0:
            raise ValueError("a monotonic clock does not go back")
        self._now += seconds
