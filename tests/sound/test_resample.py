"""From the house's rate to a device's: every sample is delivered, whatever the blocks."""

from array import array

import pytest

from vivavoce.sound.resample import OutputResampler
from vivavoce.testing.soundserver import correlation, noise


class Tape:
    """House samples, silence at their end, and a count of what was taken."""

    def __init__(self, pcm: bytes) -> None:
        self.pcm = pcm
        self.taken = 0

    def take(self, samples: int) -> bytes:
        piece = self.pcm[2 * self.taken : 2 * (self.taken + samples)]
        self.taken += samples
        return piece.ljust(2 * samples, b"\0")


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
@pytest.mark.parametrize("block", [1, 441, 960])
def test_blocks_are_full_and_the_pace_is_kept(rate: int, block: int) -> None:
    resampler, tape = OutputResampler(rate), Tape(noise(0.2))
    made = 0
    while made < rate // 2:
        assert len(resampler.pull(block, tape.take)) == 2 * block
        made += block
    held_back = resampler.lag * 24_000
    assert tape.taken - held_back == pytest.approx(made * 24_000 / rate, abs=50)


def test_to_twice_the_rate_and_back_the_sound_is_the_same() -> None:
    pcm = noise(0.2)
    resampler, tape = OutputResampler(48_000), Tape(pcm)
    doubled = array("h", b"".join(resampler.pull(480, tape.take) for _ in range(24)))
    likeness, begins = correlation(doubled[::2], array("h", pcm))
    assert likeness > 0.99
    assert begins < 100
