"""What every `Speaker` does. An implementation's test inherits it and provides a `rig`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from vivavoce.ports import Speaker
from vivavoce.testing.soundserver import noise
from vivavoce.vocabulary.audio import Fence
from vivavoce.vocabulary.place import Drained, Played, SpeakerLost, SpeakerReport

PATIENCE = 10.0
SHORT = noise(0.06)
SHORT_SAMPLES = len(SHORT) // 2
LONG = noise(1.0)


@dataclass
class Rig:
    """A speaker and what it reported."""

    speaker: Speaker
    reports: list[SpeakerReport] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def report(self, report: SpeakerReport) -> None:
        self.reports.append(report)
        self.news.set()

    def played(self, fence: Fence) -> list[int]:
        """The positions that were reported of a run, in order."""
        return [r.samples for r in self.reports if isinstance(r, Played) and r.fence == fence]

    def play(self) -> None:
        """Let time pass, where it passes by hand."""

    def drained(self, fence: Fence) -> list[int]:
        """The samples of a run that was reported as drained, or nothing."""
        return [r.samples for r in self.reports if isinstance(r, Drained) and r.fence == fence]

    async def until_drained(self, fence: Fence, samples: int) -> None:
        """Wait until a run has drained, once, with so many samples."""
        async with asyncio.timeout(PATIENCE):
            while not self.drained(fence):
                self.play()
                await self._next()
        assert self.drained(fence) == [samples]

    async def until_played(self, fence: Fence, samples: int) -> None:
        """Wait until so many samples of a run are reported."""
        async with asyncio.timeout(PATIENCE):
            while max(self.played(fence), default=-1) < samples:
                self.play()
                await self._next()

    async def until_lost(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while not any(isinstance(report, SpeakerLost) for report in self.reports):
                await self._next()

    async def feed(self, fence: Fence, pcm: bytes) -> None:
        """Write all of it, waiting for room by the reports, as the conductor does."""
        while pcm:
            pcm = pcm[self.speaker.write(fence, pcm) :]
            if pcm:
                self.play()
                await self._next()

    async def _next(self) -> None:
        # A report that came meanwhile is news, too; where time passes by hand, none may come.
        try:
            async with asyncio.timeout(0.1):
                await self.news.wait()
        except TimeoutError:
            return
        self.news.clear()


@asynccontextmanager
async def opened(rig: Rig) -> AsyncIterator[Rig]:
    await rig.speaker.open(rig.report)
    try:
        yield rig
    finally:
        await rig.speaker.close()


class SpeakerContract:
    """Inherit as `TestX`, with an async fixture `rig` that is open."""

    async def test_a_finished_run_is_heard_to_its_last_sample(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        await rig.feed(fence, SHORT)
        rig.speaker.finish(fence)
        await rig.until_drained(fence, SHORT_SAMPLES)

    async def test_a_last_frame_that_is_not_full_is_heard_too(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        await rig.feed(fence, noise(10_000 / 24_000))
        rig.speaker.finish(fence)
        await rig.until_drained(fence, 10_000)

    async def test_positions_only_grow_and_end_with_the_run(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        await rig.feed(fence, SHORT)
        rig.speaker.finish(fence)
        await rig.until_drained(fence, SHORT_SAMPLES)
        played = rig.played(fence)
        assert played
        assert played == sorted(played)
        assert played[-1] == SHORT_SAMPLES

    async def test_a_run_that_is_not_finished_does_not_drain(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        await rig.feed(fence, SHORT)
        await rig.until_played(fence, SHORT_SAMPLES)
        assert not any(isinstance(report, Drained) for report in rig.reports)

    async def test_a_run_without_sound_drains(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        rig.speaker.finish(fence)
        await rig.until_drained(fence, 0)

    async def test_sound_longer_than_the_ring_is_taken_in_pieces(self, rig: Rig) -> None:
        fence, long = Fence(1, 1), bytes(2 * 24_000 * 3)
        rig.speaker.start(fence)
        assert rig.speaker.write(fence, long) <= len(long)
        rig.speaker.clear(fence)

    async def test_an_older_fence_is_refused(self, rig: Rig) -> None:
        old, new = Fence(1, 2), Fence(2, 1)
        rig.speaker.start(new)
        for late in (old, Fence(1, 3), new):
            rig.speaker.start(late)
        assert rig.speaker.write(old, SHORT) == 0
        rig.speaker.clear(old)
        rig.speaker.finish(old)
        await rig.feed(new, SHORT)
        rig.speaker.finish(new)
        await rig.until_drained(new, SHORT_SAMPLES)
        assert rig.played(old) == []

    async def test_a_run_that_ended_is_not_begun_again(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        rig.speaker.clear(fence)
        rig.speaker.start(fence)
        assert rig.speaker.write(fence, SHORT) == 0

    async def test_nothing_is_taken_after_the_finish(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        rig.speaker.pause()
        rig.speaker.finish(fence)
        assert rig.speaker.write(fence, SHORT) == 0

    async def test_a_cleared_run_tells_how_far_it_was_heard_and_nothing_more(
        self, rig: Rig
    ) -> None:
        fence, after = Fence(1, 1), Fence(1, 2)
        rig.speaker.start(fence)
        rig.speaker.write(fence, LONG)
        await rig.until_played(fence, 1)
        rig.speaker.clear(fence)
        rig.speaker.start(after)
        rig.speaker.finish(after)
        await rig.until_drained(after, 0)
        assert 0 < rig.played(fence)[-1] <= 24_000
        assert rig.drained(fence) == []

    async def test_a_new_run_discards_what_is_unheard_of_the_old(self, rig: Rig) -> None:
        old, new = Fence(1, 1), Fence(1, 2)
        rig.speaker.start(old)
        rig.speaker.write(old, LONG)
        rig.speaker.start(new)
        await rig.feed(new, SHORT)
        rig.speaker.finish(new)
        await rig.until_drained(new, SHORT_SAMPLES)

    async def test_a_new_run_is_not_paused(self, rig: Rig) -> None:
        rig.speaker.start(Fence(1, 1))
        rig.speaker.pause()
        rig.speaker.start(Fence(1, 2))
        await rig.feed(Fence(1, 2), SHORT)
        await rig.until_played(Fence(1, 2), SHORT_SAMPLES)

    async def test_after_a_pause_the_run_goes_on_and_loses_no_sample(self, rig: Rig) -> None:
        fence = Fence(1, 1)
        rig.speaker.start(fence)
        await rig.feed(fence, SHORT)
        rig.speaker.pause()
        rig.speaker.pause()
        rig.speaker.finish(fence)
        rig.play()
        assert rig.drained(fence) == []
        rig.speaker.resume()
        rig.speaker.resume()
        await rig.until_drained(fence, SHORT_SAMPLES)

    async def test_opening_twice_and_closing_twice_is_the_same_as_once(self, rig: Rig) -> None:
        await rig.speaker.open(rig.report)
        rig.speaker.start(Fence(1, 1))
        await rig.speaker.open(rig.report)
        await rig.feed(Fence(1, 1), SHORT)
        await rig.until_played(Fence(1, 1), SHORT_SAMPLES)
        await rig.speaker.close()
        await rig.speaker.close()

    async def test_a_closed_speaker_can_be_opened_again(self, rig: Rig) -> None:
        rig.speaker.start(Fence(1, 1))
        await rig.speaker.close()
        await rig.speaker.open(rig.report)
        rig.speaker.start(Fence(1, 2))
        await rig.feed(Fence(1, 2), SHORT)
        rig.speaker.finish(Fence(1, 2))
        await rig.until_drained(Fence(1, 2), SHORT_SAMPLES)
