import pytest

from vivavoce.engines.casting import cast
from vivavoce.errors import NoVoice
from vivavoce.vocabulary.audio import Synthesize, Voice

HEART = Voice("heart", "hibari", ("en",))
EMMA = Voice("emma", "hibari", ("en",), ready=False)
ENGLISH = Voice("en-gb", "espeak", ("en",))
GERMAN = Voice("de", "espeak", ("de",))
MANDARIN = Voice("cmn", "espeak", ("zh", "cmn"))
NOVA = Voice("nova", "openai", ("en", "de"), local=False)
ALL = (HEART, EMMA, ENGLISH, GERMAN, MANDARIN, NOVA)


def broken(voice: Voice) -> Voice:
    return Voice(voice.name, voice.engine, voice.languages, ready=False, local=voice.local)


@pytest.mark.parametrize(
    ("voices", "request_", "chosen"),
    [
        pytest.param(ALL, Synthesize("", "en"), HEART, id="the first engine's voice"),
        pytest.param(ALL, Synthesize("", "de"), GERMAN, id="the first that speaks the language"),
        pytest.param(ALL, Synthesize("", "zh"), MANDARIN, id="Mandarin by the tag of the text"),
        pytest.param(ALL, Synthesize("", "en", voice="en-gb"), ENGLISH, id="by name"),
        pytest.param(ALL, Synthesize("", "en", voice="Heart"), HEART, id="in any case"),
        pytest.param(ALL, Synthesize("", "en", voice="espeak/en-gb"), ENGLISH, id="by full name"),
        pytest.param(ALL, Synthesize("", "en", engine="espeak"), ENGLISH, id="by engine"),
        pytest.param(ALL, Synthesize("", "en", voice="nova"), NOVA, id="a server's voice by name"),
        pytest.param(ALL, Synthesize("", "de", engine="openai"), NOVA, id="a server by name"),
        pytest.param(
            ALL, Synthesize("", "en", voice="emma"), EMMA, id="a named one even if it is not ready"
        ),
        pytest.param(
            (broken(HEART), EMMA, ENGLISH, NOVA),
            Synthesize("", "en"),
            ENGLISH,
            id="the next local one if the first is not ready",
        ),
        pytest.param(
            (broken(HEART), broken(ENGLISH), NOVA),
            Synthesize("", "en"),
            broken(HEART),
            id="never a server only because no local voice is ready",
        ),
        pytest.param(
            (NOVA, HEART), Synthesize("", "en"), NOVA, id="a server that the person put first"
        ),
        pytest.param(
            (HEART, NOVA), Synthesize("", "de"), NOVA, id="a server that alone speaks the language"
        ),
    ],
)
def test_casts(voices, request_, chosen):
    assert cast(voices, request_) == chosen


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (Synthesize("", "ko"), "No voice here speaks 'ko'"),
        (Synthesize("", "en", voice="haert"), "Did you mean heart?"),
        (Synthesize("", "en", voice="hibari/hart"), "Did you mean heart"),
        (Synthesize("", "en", voice="zzzz"), "vivavoce voices"),
        (Synthesize("", "de", voice="heart"), "'heart' does not speak 'de', only en"),
        (Synthesize("", "en", engine="festival"), "Known: espeak, hibari, openai"),
        (Synthesize("", "zh", engine="hibari"), "No voice here speaks 'zh'"),
    ],
)
def test_refuses_and_says_what_would_do(request_, says):
    with pytest.raises(NoVoice, match=says):
        cast(ALL, request_)
