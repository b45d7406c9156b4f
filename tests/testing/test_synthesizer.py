import asyncio
import math
from array import array

import pytest

from tests.contract.synthesizer import SynthesizerContract, collect, samples, word_times
from vivavoce.errors import EngineFailed
from vivavoce.testing.synthesizer import ScriptedSynthesizer, frequency
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Synthesize

TWO_WORDS = Synthesize("one two", "en")


class TestScriptedSynthesizer(SynthesizerContract):
    @pytest.fixture
    def synthesizer(self):
        return ScriptedSynthesizer()


async def test_each_word_is_a_tone_of_its_own_at_its_time():
    chunks = await collect(ScriptedSynthesizer(), TWO_WORDS)
    heard = array("h", b"".join(chunk.pcm for chunk in chunks))
    for index, word in enumerate(word_times(chunks)):
        tone = heard[word.start : word.end]
        assert strength(tone, frequency(index)) > 20 * strength(tone, frequency(index + 1))


async def test_nothing_comes_before_the_gate_opens():
    gate = asyncio.Event()
    engine = ScriptedSynthesizer(gate=gate)
    speaking = asyncio.create_task(collect(engine, TWO_WORDS))
    while not engine.started:
        await asyncio.sleep(0)
    assert not speaking.done()
    gate.set()
    assert samples(await speaking) == HOUSE_FORMAT.samples(0.4)


async def test_fails_after_as_many_chunks_as_it_was_told():
    chunks = ScriptedSynthesizer(fail_after=2).synthesize(TWO_WORDS)
    assert (await anext(chunks)).pcm
    assert (await anext(chunks)).pcm
    with pytest.raises(EngineFailed):
        await anext(chunks)


async def test_the_slow_voice_can_be_stopped_before_its_first_chunk():
    engine = ScriptedSynthesizer()
    speaking = asyncio.create_task(collect(engine, Synthesize("one", "en", voice="slow")))
    while not engine.started:
        await asyncio.sleep(0)
    speaking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await speaking
    assert engine.closed == 1


def strength(tone: array, hertz: int) -> float:
    step = 2 * math.pi * hertz / HOUSE_FORMAT.rate
    sine = sum(x * math.sin(step * n) for n, x in enumerate(tone))
    cosine = sum(x * math.cos(step * n) for n, x in enumerate(tone))
    return math.hypot(sine, cosine)
