"""Remembers that an endpoint is dead, so that the next request need not wait to find out."""

from vivavoce.ports import Clock


class Breaker:
    """Open for some seconds after a failure; then the next request tries again."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._open_until: float | None = None

    @property
    def open(self) -> bool:
        """Whether a request should be refused at once."""
        return self._open_until is not None and self._clock.now() < self._open_until

    def trip(self) -> None:
        """The endpoint did not answer."""
        self._open_until = self._clock.now() + self._seconds

    def close(self) -> None:
        """The endpoint has answered."""
        self._open_until = None
