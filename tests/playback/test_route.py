"""Which places are tried, in order."""

from vivavoce.playback.route import patience, route
from vivavoce.playback.track import Track
from vivavoce.vocabulary.place import Place
from vivavoce.vocabulary.utterance import Manner, Utterance

DESK = Place("desk", can_be_missing=True)
FILE, NULL = Place("file"), Place("null")
STAND_IN = Place("file", audible=False)
PLACES = (DESK, FILE, NULL, STAND_IN)


def wishing(place: str, furthest: int = 0) -> Track:
    track = Track(Utterance("a", "Hello.", "s", manner=Manner(place=place)))
    track.furthest = furthest
    return track


def test_without_a_wish_the_first_place_and_then_the_stand_in():
    assert route(PLACES, wishing("")) == (DESK, STAND_IN)
    assert route(PLACES, None) == (DESK, STAND_IN)


def test_a_missing_sound_card_is_stood_in_for_though_it_was_asked_for():
    assert route(PLACES, wishing("desk")) == (DESK, STAND_IN)


def test_a_file_that_was_asked_for_has_no_substitute_and_is_not_the_stand_in():
    assert route(PLACES, wishing("file")) == (FILE,)
    assert route(PLACES, wishing("null")) == (NULL,)


def test_a_place_that_is_not_there_is_as_no_wish():
    assert route(PLACES, wishing("moon")) == (DESK, STAND_IN)


def test_what_was_heard_in_part_never_goes_on_where_nobody_hears_it():
    assert route(PLACES, wishing("", furthest=1)) == (DESK,)


def test_where_a_file_is_preferred_nothing_stands_in_for_it():
    assert route((FILE, DESK, NULL, STAND_IN), wishing("")) == (FILE,)


def test_only_what_comes_and_goes_is_looked_for():
    assert patience([Place("desk", can_be_missing=True), Place("file", audible=False)]) > 0
    assert patience([Place("file")]) == 0
