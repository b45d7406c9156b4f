"""What every `Synthesizer` must do: a test class inherits it and gives a fixture `synthesizer`."""

import asyncio
import re
from contextlib import aclosing

import pytest

from vivavoce.errors import NoVoice
from vivavoce.ports import Synthesizer
from vivavoce.vocabulary.audio import HOUSE_FORMAT, SpeechChunk, Synthesize, WordTime

PATIENCE = 30.0
"""Seconds after which a test that waits has failed."""


async def collect(synthesizer: Synthesizer, request: Synthesize) -> list[SpeechChunk]:
    async with asyncio.timeout(PATIENCE), aclosing(synthesizer.synthesize(request)) as chunks:
        return [chunk async for chunk in chunks]


def samples(chunks: list[SpeechChunk]) -> int:
    return sum(len(chunk.pcm) for chunk in chunks) // HOUSE_FORMAT.frame_bytes


def word_times(chunks: list[SpeechChunk]) -> list[WordTime]:
    return [word for chunk in chunks for word in chunk.words]


class SynthesizerContract:
    text = "The tests pass now, so I fixed 3 things in it."
    language = "en"
    exact = True

    @property
    def request(self) -> Synthesize:
        return Synthesize(self.text, self.language)

    async def test_lists_a_ready_voice_of_the_language(self, synthesizer):
        voices = await synthesizer.voices()
        assert any(voice.ready and self.language in voice.languages for voice in voices)

    async def test_gives_whole_samples_that_are_not_silent(self, synthesizer):
        chunks = await collect(synthesizer, self.request)
        assert all(len(chunk.pcm) % HOUSE_FORMAT.frame_bytes == 0 for chunk in chunks)
        assert 0.5 < HOUSE_FORMAT.seconds(samples(chunks)) < 20
        assert any(max(chunk.pcm, default=0) for chunk in chunks)

    async def test_tells_times_of_all_words(self, synthesizer):
        words = word_times(await collect(synthesizer, self.request))
        for match in re.finditer(r"\S+", self.text):
            inside = [w.span for w in words if match.start() <= w.span.start < match.end()]
            assert inside
            assert inside[0].start == match.start()
            assert inside[-1].end == match.end()

    async def test_word_times_are_ordered_and_within_the_sound(self, synthesizer):
        chunks = await collect(synthesizer, self.request)
        words = word_times(chunks)
        bounds = [bound for word in words for bound in (word.start, word.end)]
        assert bounds == sorted(bounds)
        assert bounds[0] >= 0
        assert bounds[-1] <= samples(chunks)
        assert all(word.start < word.end for word in words)
        spans = [word.span.start for word in words]
        assert spans == sorted(set(spans))

    async def test_says_whether_word_times_are_exact(self, synthesizer):
        chunks = await collect(synthesizer, self.request)
        assert {chunk.exact for chunk in chunks} == {self.exact}

    async def test_speaks_faster_when_asked_to(self, synthesizer):
        usual = await collect(synthesizer, self.request)
        quick = await collect(synthesizer, Synthesize(self.text, self.language, speed=1.6))
        assert samples(quick) < 0.85 * samples(usual)

    async def test_an_unknown_voice_is_an_error_and_no_other_voice(self, synthesizer):
        with pytest.raises(NoVoice):
            await collect(synthesizer, Synthesize(self.text, self.language, voice="nobody-at-all"))

    async def test_a_language_without_a_voice_is_an_error(self, synthesizer):
        with pytest.raises(NoVoice):
            await collect(synthesizer, Synthesize(self.text, "qaa"))

    async def test_can_speak_again_after_it_was_closed_in_the_middle(self, synthesizer):
        async with asyncio.timeout(PATIENCE):
            chunks = synthesizer.synthesize(self.request)
            await anext(chunks)
            await chunks.aclose()
            with pytest.raises(StopAsyncIteration):
                await anext(chunks)
        assert samples(await collect(synthesizer, self.request)) > 0

    async def test_can_be_cancelled_before_the_first_chunk(self, synthesizer):
        async with asyncio.timeout(PATIENCE):
            waiting = asyncio.create_task(collect(synthesizer, self.request))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert samples(await collect(synthesizer, self.request)) > 0

    async def test_speaks_several_texts_at_once(self, synthesizer):
        alone = samples(await collect(synthesizer, self.request))
        together = await asyncio.gather(*(collect(synthesizer, self.request) for _ in range(3)))
        assert [samples(chunks) for chunks in together] == [alone] * 3
