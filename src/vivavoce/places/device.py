"""The seam between the desk and what plays there: one device, opened and closed by blocking calls.

Two files know a library each: `portaudio.py` and `miniaudio_output.py`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

Source = Callable[[int, float | None, int], bytes]
"""Called on the device's thread: so many mono samples, please, of which the first leaves the device
after so many seconds (None: the library does not know), at this rate in Hertz."""


class Output(Protocol):
    """An open device that asks its source for sound until it is closed."""

    name: str
    """For people, and to know a device that sleeps."""
    rate: int
    """Samples a second that it asks for, in Hertz."""

    def close(self) -> None:
        """Fall silent at once and give the device back. Idempotent; blocks for milliseconds."""


class Backend(Protocol):
    """A library that plays. All calls block; they are made on one thread, never on the loop."""

    name: str

    def devices(self) -> Sequence[str]:
        """The names of the devices that are there now. Raises `PlaceError`."""

    def open(self, device: str, rates: Sequence[int], source: Source) -> Output:
        """Open a device, or the default for an empty name, at the first rate that it takes.

        After the given rates the device's own is tried. Raises `PlaceError`.
        """
