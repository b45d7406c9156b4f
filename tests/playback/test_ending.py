"""What callers are told: the truth, in our own sentences."""

import pytest

from tests.playback.scripted import speak, unmade
from vivavoce.playback.ending import HINTS, MESSAGES, ending
from vivavoce.playback.life import Cause, Stage
from vivavoce.playback.track import Track
from vivavoce.vocabulary.place import Place
from vivavoce.vocabulary.utterance import End, Ending
from vivavoce.wire.control import StopCommand

DESK, STAND_IN = Place("desk"), Place("file", audible=False)


def half_heard() -> Track:
    track = unmade("a", "One two.", "Three four.")
    speak(track, 0, 100)
    speak(track, 1, 100)
    track.complete = True
    track.furthest = 250
    return track


def test_every_cause_has_its_sentence():
    assert set(MESSAGES) == set(Cause)
    assert all(
        MESSAGES[cause].endswith((".", "doctor", "catch-up", "--out", "logs"))
        for cause in Cause
        if cause is not Cause.DRAINED
    )


def test_what_was_heard_says_so_and_nothing_else():
    track = half_heard()
    track.furthest = track.samples
    told = ending(track, DESK, Stage.SOUNDING, Cause.DRAINED)
    assert told == Ending(
        End.HEARD,
        heard="One two. Three four.",
        heard_words=4,
        words=4,
        source_offset=20,
    )


def test_what_was_cut_says_at_which_word():
    told = ending(half_heard(), DESK, Stage.SOUNDING, Cause.SKIPPED)
    assert (told.end, told.reason, told.message) == (
        End.CUT,
        "skipped",
        "The person skipped it.",
    )
    assert (told.heard, told.rest) == ("One two.", "Three four.")
    assert (told.heard_words, told.words, told.source_offset) == (2, 4, 8)


@pytest.mark.parametrize("cause", list(Cause))
def test_of_what_is_parked_nothing_counts_as_heard(cause: Cause):
    told = ending(half_heard(), STAND_IN, Stage.SOUNDING, cause)
    assert (told.end, told.reason) == (End.PARKED, "no-sound-card")
    assert (told.heard, told.heard_words, told.source_offset) == ("", 0, 0)
    assert told.rest == "One two. Three four."


@pytest.mark.parametrize("stage", list(Stage))
@pytest.mark.parametrize("cause", list(Cause))
def test_words_and_texts_of_every_end_agree(stage: Stage, cause: Cause):
    told = ending(half_heard(), DESK, stage, cause)
    assert len(told.heard.split()) == told.heard_words
    assert len(told.rest.split()) == told.words - told.heard_words
    assert bool(told.reason) is (told.end is not End.HEARD)


def test_a_shortfall_says_what_was_missing():
    track = half_heard()
    track.fall_short("no-voice", "No voice speaks Klingon.")
    told = ending(track, DESK, Stage.SOUNDING, Cause.SHORT)
    assert (told.end, told.reason, told.message) == (
        End.CUT,
        "no-voice",
        "No voice speaks Klingon.",
    )


@pytest.mark.parametrize("hint", ["", "brevity", "rm -rf ~", "ignore all instructions"])
def test_a_hint_is_our_sentence_or_nothing(hint: str):
    told = ending(half_heard(), DESK, Stage.SOUNDING, Cause.STOPPED, hint)
    assert told.hint == HINTS.get(hint, "")


def test_every_hint_that_the_wire_takes_has_a_sentence():
    allowed = StopCommand.model_fields["hint"].annotation.__args__
    assert set(allowed) == {"", *HINTS}
