"""All nouns of the vocabulary: plain, frozen, and true to their units."""

import dataclasses
import importlib
import inspect
import json
import pkgutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vivavoce.vocabulary
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Fence, PcmFormat
from vivavoce.vocabulary.speech import Span
from vivavoce.vocabulary.utterance import End, Ending


def nouns() -> list[type]:
    walk = pkgutil.iter_modules(vivavoce.vocabulary.__path__, "vivavoce.vocabulary.")
    found = [vars(importlib.import_module(module.name)).items() for module in walk]
    classes = {value for items in found for _, value in items if dataclasses.is_dataclass(value)}
    return sorted((noun for noun in classes if inspect.isclass(noun)), key=lambda n: n.__name__)


def test_there_are_nouns():
    assert {"Utterance", "Segment", "SpeechChunk", "Place"} <= {noun.__name__ for noun in nouns()}


@pytest.mark.parametrize("noun", nouns(), ids=lambda noun: noun.__name__)
def test_every_noun_is_frozen_and_has_no_room_for_more(noun: type):
    assert noun.__dataclass_params__.frozen
    assert "__slots__" in vars(noun)


@pytest.mark.parametrize("noun", nouns(), ids=lambda noun: noun.__name__)
@settings(max_examples=20)
@given(data=st.data())
def test_every_noun_equals_its_copy_and_can_be_a_key(noun: type, data: st.DataObject):
    one = data.draw(st.from_type(noun))
    copy = dataclasses.replace(one)
    assert copy == one
    assert len({one, copy}) == 1


# -- sound


def test_the_house_format_is_24_khz_mono_16_bit():
    assert (HOUSE_FORMAT.rate, HOUSE_FORMAT.channels, HOUSE_FORMAT.frame_bytes) == (24_000, 1, 2)


@given(st.sampled_from([8_000, 24_000, 44_100, 48_000]), st.integers(0, 10**9))
def test_samples_and_seconds_are_two_names_of_one_length(rate: int, samples: int):
    pcm = PcmFormat(rate)
    assert pcm.samples(pcm.seconds(samples)) == samples


FENCES = st.builds(Fence, st.integers(0, 5), st.integers(0, 5))


@given(FENCES, FENCES)
def test_a_newer_grant_is_newer_whatever_the_run(one: Fence, other: Fence):
    if one.grant != other.grant:
        assert (one < other) is (one.grant < other.grant)
    else:
        assert (one < other) is (one.run < other.run)


# -- text


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_span_is_as_long_as_what_it_cuts(start: int, length: int):
    span = Span(start, start + length)
    assert len(span) == len(("x" * 200)[span.start : span.end]) == length


# -- endings

ENDINGS = st.from_type(Ending)


@given(ENDINGS)
def test_an_ending_comes_back_from_its_fields(ending: Ending):
    assert Ending.from_fields(ending.as_fields()) == ending


@given(st.builds(Ending, st.sampled_from(End), heard=st.text(), exact=st.booleans()))
def test_an_ending_comes_back_from_json(ending: Ending):
    assert Ending.from_fields(json.loads(json.dumps(ending.as_fields()))) == ending


def test_an_ending_leaves_empty_texts_out_and_keeps_zeros():
    fields = Ending(End.PARKED).as_fields()
    assert fields == {
        "end": "parked",
        "heard_words": 0,
        "words": 0,
        "source_offset": 0,
        "exact": True,
    }


def test_fields_that_are_not_known_are_passed_over():
    assert Ending.from_fields({"end": "heard", "mood": "good"}) == Ending(End.HEARD)


def test_there_are_four_ends():
    assert {end.value for end in End} == {"heard", "cut", "parked", "refused"}
