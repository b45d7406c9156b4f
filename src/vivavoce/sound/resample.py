"""From the house's rate to a device's, sample by sample, for devices that refuse the house's."""

from collections.abc import Callable

from vivavoce.vocabulary.audio import HOUSE_FORMAT


class OutputResampler:
    """Makes blocks at a device's rate out of blocks at the house's rate.

    The filter holds samples back; nothing is lost, since silence follows and pushes them out.
    """

    def __init__(self, rate: int) -> None:
        # numpy and soxr cost 30 MB, and nearly every device takes the house's rate.
        import numpy as np
        import soxr

        self._from_bytes = np.frombuffer
        self._stream = soxr.ResampleStream(HOUSE_FORMAT.rate, rate, 1, dtype="int16", quality="MQ")
        self._rate = rate
        self._made = bytearray()
        self._owed = 0.0

    @property
    def lag(self) -> float:
        """Seconds until a house sample that is given now comes out."""
        held = len(self._made) / HOUSE_FORMAT.frame_bytes + float(self._stream.delay())
        return held / self._rate

    def pull(self, frames: int, take: Callable[[int], bytes]) -> bytes:
        """Make `frames` device samples out of what `take` delivers: as many as it is asked."""
        size = frames * HOUSE_FORMAT.frame_bytes
        while len(self._made) < size:
            missing = (size - len(self._made)) / HOUSE_FORMAT.frame_bytes
            self._owed += missing * HOUSE_FORMAT.rate / self._rate
            wanted = max(1, int(self._owed))
            self._owed = max(0.0, self._owed - wanted)
            samples = self._from_bytes(take(wanted), dtype="<i2")
            self._made += self._stream.resample_chunk(samples).tobytes()
        block = bytes(self._made[:size])
        del self._made[:size]
        return block
