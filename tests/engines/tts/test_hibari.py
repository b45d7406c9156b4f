import shutil
from array import array
from itertools import pairwise

import pytest

from tests.contract.synthesizer import SynthesizerContract, collect, samples, word_times
from vivavoce.engines import models
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.tts.hibari import Hibari
from vivavoce.engines.words import word_spans
from vivavoce.errors import NoVoice, WeightsMissing
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Synthesize

MARGIN = HOUSE_FORMAT.samples(0.06)
"""How far the sound of a word may reach beyond the stretch that the model says it has."""


@pytest.fixture(scope="module")
def hibari():
    """One for all tests of this file, as loading it takes a second."""
    return Hibari(EngineSettings())


class TestHibari(SynthesizerContract):
    @pytest.fixture
    def synthesizer(self, hibari):
        return hibari


async def test_between_sentences_it_is_as_silent_as_the_word_times_say(hibari):
    """The one check of word times that asks the sound: nobody speaks between "one" and "Two"."""
    chunks = await collect(hibari, Synthesize("This is one. Two comes next.", "en"))
    sound = array("h", b"".join(chunk.pcm for chunk in chunks))
    words = word_times(chunks)
    one, two = words[2], words[3]
    assert two.start - one.end > 3 * MARGIN
    assert loudness(sound[one.end + MARGIN : two.start - MARGIN]) < 60
    assert all(loudness(sound[word.start : word.end]) > 300 for word in words)


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("It is $1,250,000 now", "$1,250,000"),
        ("Meet me at 12:57:31pm on Monday", "12:57:31pm"),
        ("The range 1957-1984 is it", "1957-1984"),
    ],
)
async def test_a_word_that_is_read_as_many_lasts_for_all_of_them(hibari, text, longest):
    words = word_times(await collect(hibari, Synthesize(text, "en")))
    assert [text[w.span.start : w.span.end] for w in words] == text.split()
    last = max(words, key=lambda word: word.end - word.start)
    assert text[last.span.start : last.span.end] == longest


async def test_a_word_that_is_not_spoken_takes_no_time(hibari):
    words = word_times(await collect(hibari, Synthesize("this — | that", "en")))
    assert [word.end - word.start for word in words[1:3]] == [0, 0]


async def test_speech_begins_at_once(hibari):
    """The model begins with a third of a second of silence, which would be heard as slowness."""
    chunks = await collect(hibari, Synthesize("Stop the tests now.", "en"))
    assert word_times(chunks)[0].start < HOUSE_FORMAT.samples(0.2)


async def test_a_very_long_sentence_comes_in_pieces_that_are_one_whole(hibari):
    text = ", ".join(["the quick brown fox jumps over the lazy dog"] * 12)
    chunks = await collect(hibari, Synthesize(text, "en"))
    assert len(chunks) > 1
    words = word_times(chunks)
    assert [text[w.span.start : w.span.end] for w in words] == text.split()
    assert all(left.end <= right.start for left, right in pairwise(words))
    assert words[-1].end <= samples(chunks)


async def test_the_same_text_sounds_the_same(hibari):
    request = Synthesize("Say it again.", "en")
    assert await collect(hibari, request) == await collect(hibari, request)


@pytest.mark.parametrize("text", ["", "   ", "—", "|"])
async def test_a_text_without_anything_to_say_is_silent(hibari, text):
    assert samples(await collect(hibari, Synthesize(text, "en"))) < HOUSE_FORMAT.rate


@pytest.mark.parametrize("language", ["de", "zh", "fr"])
async def test_only_english_is_ever_spoken(hibari, language):
    with pytest.raises(NoVoice):
        await collect(hibari, Synthesize("Hallo", language))


async def test_a_text_that_it_cannot_read_at_all_is_an_error(hibari):
    with pytest.raises(NoVoice):
        await collect(hibari, Synthesize("世界", "en"))


@pytest.mark.parametrize(
    "text",
    ["H₂O and x² stay", "中文\n\nthen English", "then English. 中文", "a 😀 b\u200b c\n\n\n-- d"],
)
async def test_all_words_of_an_odd_text_are_told(hibari, text):
    words = word_times(await collect(hibari, Synthesize(text, "en")))
    assert tuple(word.span for word in words) == word_spans(text)


async def test_a_text_cannot_choose_phonemes(hibari):
    text = "one [two](/wˈʌn/) three"
    words = word_times(await collect(hibari, Synthesize(text, "en")))
    assert [text[w.span.start : w.span.end] for w in words] == text.split()


async def test_voices_that_would_be_downloaded_are_not_ready_and_say_so(hibari):
    voices = {voice.name: voice for voice in await hibari.voices()}
    assert voices["heart"].ready
    assert not voices["emma"].ready
    assert "download" in voices["emma"].why
    with pytest.raises(NoVoice, match="downloaded"):
        await collect(hibari, Synthesize("hello", "en", voice="emma"))


async def test_downloads_can_be_allowed(tmp_path):
    engine = Hibari(EngineSettings(weights_dir=tmp_path, allow_downloads=True))
    assert all(voice.ready for voice in await engine.voices())


class TestWithoutItsWeights:
    @pytest.fixture(autouse=True)
    def nothing_is_installed(self, monkeypatch):
        monkeypatch.setattr(models, "installed_folder", lambda package: None)

    async def test_it_is_not_ready_and_names_the_mend(self, tmp_path):
        engine = Hibari(EngineSettings(weights_dir=tmp_path))
        assert not any(voice.ready for voice in await engine.voices())
        with pytest.raises(WeightsMissing) as caught:
            await collect(engine, Synthesize("hello", "en"))
        assert caught.value.mend == "vivavoce models fetch"

    async def test_damaged_weights_are_never_loaded(self, tmp_path):
        damaged = tmp_path / "hibari.onnx"
        damaged.write_bytes(b"not a model")
        engine = Hibari(EngineSettings(weights_path=str(tmp_path), weights_dir=tmp_path / "none"))
        assert "damaged" in (await engine.voices())[0].why
        with pytest.raises(WeightsMissing):
            await engine.preload("heart")

    async def test_a_directory_of_weights_in_the_settings_is_enough(self, tmp_path, monkeypatch):
        monkeypatch.undo()
        installed = models.installed_folder("hibari")
        shutil.copy(installed / "assets/hibari.onnx", tmp_path)
        monkeypatch.setattr(models, "installed_folder", lambda package: None)
        engine = Hibari(EngineSettings(weights_path=str(tmp_path), weights_dir=tmp_path / "none"))
        assert samples(await collect(engine, Synthesize("hello", "en"))) > 0


def loudness(sound: array) -> float:
    return (sum(x * x for x in sound) / max(len(sound), 1)) ** 0.5
