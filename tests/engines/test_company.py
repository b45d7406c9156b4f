import pytest

from tests.contract.synthesizer import collect, samples
from vivavoce.engines.company import Company, hire
from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import EngineFailed, NoVoice, SettingError
from vivavoce.testing.synthesizer import ScriptedSynthesizer
from vivavoce.vocabulary.audio import Synthesize, Voice

HELLO = Synthesize("hello there", "en")


class Named(ScriptedSynthesizer):
    """A scripted engine of any name, that remembers what was asked of it."""

    def __init__(self, name, **options):
        super().__init__(**options)
        self.name = name
        self.preloaded = []
        self.is_closed = False

    async def voices(self):
        return (Voice("tones", self.name, self._languages, ready=self._ready),)

    async def preload(self, voice):
        self.preloaded.append(voice)

    async def close(self):
        self.is_closed = True


async def test_the_first_engine_that_is_ready_speaks():
    broken, ready, last = Named("a", ready=False), Named("b"), Named("c")
    await collect(Company({"a": broken, "b": ready, "c": last}), HELLO)
    assert (broken.started, ready.started, last.started) == (0, 1, 0)


async def test_each_language_finds_its_engine():
    english, german = Named("a", languages=("en",)), Named("b", languages=("de",))
    company = Company({"a": english, "b": german})
    await collect(company, Synthesize("hallo", "de"))
    assert (english.started, german.started) == (0, 1)
    with pytest.raises(NoVoice):
        await collect(company, Synthesize("ciao", "it"))


async def test_a_failing_engine_is_not_replaced_in_silence():
    company = Company({"a": Named("a", fail_after=0), "b": Named("b")})
    with pytest.raises(EngineFailed):
        await collect(company, HELLO)


async def test_preloads_the_voice_that_would_speak():
    english, german = Named("a", languages=("en",)), Named("b", languages=("de",))
    company = Company({"a": english, "b": german})
    await company.preload("de")
    assert (english.preloaded, german.preloaded) == ([], ["tones"])


async def test_closing_closes_the_engines():
    engine = Named("a")
    await Company({"a": engine}).close()
    assert engine.is_closed


async def test_a_text_that_is_no_segment_is_refused():
    with pytest.raises(EngineFailed, match="too long"):
        await collect(Company({"a": Named("a")}), Synthesize("word " * 5_000, "en"))


async def test_the_engines_of_the_house_are_found_by_entry_point():
    company = hire(EngineSettings(openai_base_url="http://127.0.0.1:9"))
    engines = list(dict.fromkeys(voice.engine for voice in await company.voices()))
    await company.close()
    assert engines == ["hibari", "espeak", "openai"]


async def test_the_order_is_that_of_the_settings_and_names_who_may_speak():
    company = hire(EngineSettings(order=("espeak", "tones")))
    assert {voice.engine for voice in await company.voices()} == {"espeak", "tones"}
    assert samples(await collect(company, Synthesize("hello", "en", engine="tones"))) == 4_800


def test_an_engine_that_is_not_known_is_an_error_that_lists_those_that_are():
    with pytest.raises(SettingError, match=r"'hibary'.*espeak, hibari, openai, tones"):
        hire(EngineSettings(order=("hibary",)))
