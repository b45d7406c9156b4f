import pytest

from tests.contract.synthesizer import SynthesizerContract, collect, samples
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.tts.espeak import Espeak
from vivavoce.errors import EngineFailed, NoVoice
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Synthesize


@pytest.fixture
def espeak():
    return Espeak(EngineSettings())


class TestEspeak(SynthesizerContract):
    exact = False

    @pytest.fixture
    def synthesizer(self, espeak):
        return espeak


class TestEspeakInGerman(TestEspeak):
    language = "de"
    text = "Die Tests laufen jetzt, und zwei Fehler sind behoben."


class TestEspeakInMandarin(TestEspeak):
    language = "zh"
    text = "测试现在通过了，我修复了两个错误。"


@pytest.mark.parametrize(
    ("language", "voice"),
    [("de", "de"), ("zh", "cmn"), ("fr", "fr-fr"), ("ru", "ru"), ("es", "es")],
)
async def test_the_first_voice_of_a_language_is_its_usual_dialect(espeak, language, voice):
    voices = await espeak.voices()
    assert next(v.name for v in voices if language in v.languages) == voice


async def test_a_text_cannot_choose_phonemes(espeak):
    spoken = await collect(espeak, Synthesize("one [[t'u:]] three", "en"))
    spelled = await collect(espeak, Synthesize("one [ [t'u:]] three", "en"))
    assert samples(spoken) == samples(spelled)


async def test_a_text_that_looks_like_an_option_is_spoken(espeak):
    chunks = await collect(espeak, Synthesize("--help -q", "en"))
    assert HOUSE_FORMAT.seconds(samples(chunks)) > 0.5


class TestMissingProgram:
    @pytest.fixture
    def missing(self):
        return Espeak(EngineSettings(espeak_program="espeak-that-is-not-here"))

    async def test_its_voices_are_not_ready_and_say_how_to_mend_it(self, missing):
        voices = await missing.voices()
        assert {"de", "zh"} <= {language for voice in voices for language in voice.languages}
        assert not any(voice.ready for voice in voices)
        assert all("apt-get install -y espeak-ng" in voice.why for voice in voices)

    async def test_speaking_names_the_mend(self, missing):
        with pytest.raises(NoVoice) as caught:
            await collect(missing, Synthesize("Guten Tag", "de"))
        assert caught.value.mend == "apt-get install -y espeak-ng"


@pytest.mark.parametrize(
    ("script", "says"),
    [("exit 3", "exit status 3"), ("echo noise", "no sound"), ("exec sleep 60", "in time")],
)
async def test_a_program_that_fails_is_an_error(tmp_path, script, says):
    program = tmp_path / "espeak-ng"
    listing = "echo; echo ' 5 en --/M English gmw/en'"
    program.write_text(f'#!/bin/sh\ncase "$1" in --voices) {listing};; *) {script};; esac\n')
    program.chmod(0o755)
    engine = Espeak(EngineSettings(espeak_program=str(program), read_seconds=0.3))
    with pytest.raises(EngineFailed, match=says):
        await collect(engine, Synthesize("hello", "en"))
