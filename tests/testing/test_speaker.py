"""The speaker in memory, and the clock that is moved by hand."""

from collections.abc import AsyncIterator

import pytest

from tests.contract.speaker import SHORT, SHORT_SAMPLES, Rig, SpeakerContract, opened
from vivavoce.errors import PlaceError
from vivavoce.testing.clock import FakeClock
from vivavoce.testing.speaker import MemoryPlace
from vivavoce.vocabulary.audio import Fence
from vivavoce.vocabulary.place import Drained, Played, SpeakerLost


class MemoryRig(Rig):
    speaker: MemoryPlace

    def play(self) -> None:
        self.speaker.play(1_000)


@pytest.fixture
async def rig() -> AsyncIterator[MemoryRig]:
    rig = MemoryRig(MemoryPlace())
    async with opened(rig):
        yield rig


class TestMemoryPlace(SpeakerContract):
    pass


async def test_it_plays_only_what_it_is_told_to(rig: MemoryRig) -> None:
    rig.speaker.start(Fence(1, 1))
    rig.speaker.write(Fence(1, 1), SHORT)
    rig.speaker.finish(Fence(1, 1))
    assert rig.speaker.play(100) == 100
    assert rig.reports == [Played(Fence(1, 1), 100)]
    assert rig.speaker.play_all() == SHORT_SAMPLES - 100
    assert rig.reports[-1] == Drained(Fence(1, 1), SHORT_SAMPLES)
    assert rig.speaker.sound == SHORT


async def test_a_pause_leaves_no_trace_in_what_was_heard(rig: MemoryRig) -> None:
    rig.speaker.start(Fence(1, 1))
    rig.speaker.write(Fence(1, 1), SHORT)
    rig.speaker.play(100)
    rig.speaker.pause()
    assert rig.speaker.play_all() == 0
    rig.speaker.resume()
    rig.speaker.play_all()
    assert rig.speaker.played == [(Fence(1, 1), SHORT)]


async def test_a_lost_speaker_plays_again_when_it_is_opened(rig: MemoryRig) -> None:
    rig.speaker.start(Fence(1, 1))
    rig.speaker.lose("Unplugged.")
    rig.speaker.refuses = True
    assert rig.reports == [SpeakerLost("Unplugged.")]
    with pytest.raises(PlaceError):
        await rig.speaker.open(rig.report)
    rig.speaker.start(Fence(1, 2))
    assert rig.speaker.write(Fence(1, 2), SHORT) == 0
    rig.speaker.refuses = False
    await rig.speaker.open(rig.report)
    rig.speaker.start(Fence(1, 2))
    assert rig.speaker.write(Fence(1, 2), SHORT) == len(SHORT)


def test_the_clock_moves_only_forward_and_by_hand() -> None:
    clock = FakeClock(10.0)
    clock.advance(0.5)
    assert clock.now() == 10.5
    with pytest.raises(ValueError, match="back"):
        clock.advance(-1.0)
