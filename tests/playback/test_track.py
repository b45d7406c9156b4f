"""The sound of one utterance, and how far it was heard."""

from hypothesis import given
from hypothesis import strategies as st

from tests.playback.scripted import made, segment, silence, speak, unmade
from vivavoce.engines.words import word_spans
from vivavoce.playback.track import Heard, Track, source_end
from vivavoce.vocabulary.audio import SpeechChunk, WordTime
from vivavoce.vocabulary.speech import Rendering, Run, Segment, SegmentKind, Span
from vivavoce.vocabulary.utterance import Utterance

TEXTS = ("One two.", "Three four five.", "Six.")


def whole() -> Track:
    track = unmade("a", *TEXTS)
    for index in range(len(TEXTS)):
        speak(track, index, 100)
    track.complete = True
    return track


def test_it_is_heard_up_to_the_last_word_that_ended():
    track = whole()
    assert track.heard(0) == Heard("", "One two. Three four five. Six.", 0, 6, 0)
    assert track.heard(99).words == 0
    assert track.heard(100) == Heard("One", "two. Three four five. Six.", 1, 6, 3)
    assert track.heard(399) == Heard("One two. Three", "four five. Six.", 3, 6, 14)
    assert track.heard(600) == Heard("One two. Three four five. Six.", "", 6, 6, 30)


def test_until_all_of_it_is_made_nothing_is_heard_to_its_end():
    track = unmade("a", *TEXTS)
    speak(track, 0, 100)
    assert track.heard(200) == Heard("One two.", "Three four five. Six.", 2, 6, 8)
    track.furthest = 200
    assert not track.heard_to_its_end
    track.complete = True
    assert track.heard_to_its_end


def test_a_track_without_sound_was_not_heard_to_its_end():
    track = unmade("a")
    track.complete = True
    assert not track.heard_to_its_end


def test_a_segment_that_could_not_be_spoken_is_not_heard_wherever_it_stands():
    track = unmade("a", *TEXTS)
    speak(track, 0, 100)
    track.begin_segment(1)
    track.fall_short("no-voice", "No voice speaks it.")
    speak(track, 2, 100)
    track.complete = True
    assert track.heard(track.samples) == Heard("One two. Six.", "Three four five.", 3, 6, 30)
    assert track.heard(150) == Heard("One", "two. Three four five. Six.", 1, 6, 3)
    track.furthest = track.samples
    assert not track.heard_to_its_end


def test_the_first_reason_for_a_shortfall_stays():
    track = unmade("a")
    track.fall_short("no-voice", "First.")
    track.fall_short("engine-failed", "Second.")
    assert track.shortfall
    assert (track.shortfall.reason, track.shortfall.message) == ("no-voice", "First.")


def test_words_whose_sound_was_never_made_are_not_heard():
    track = unmade("a", "One two.")
    track.begin_segment(0)
    times = (WordTime(Span(0, 3), 0, 100), WordTime(Span(4, 8), 100, 200))
    track.add(SpeechChunk(silence(150), times))
    assert track.heard(track.samples).words == 1


def test_word_times_may_come_after_their_sound():
    track = unmade("a", "One two.")
    track.begin_segment(0)
    track.add(SpeechChunk(silence(200)))
    assert track.heard(200).words == 0
    track.add(SpeechChunk(b"", (WordTime(Span(0, 3), 0, 100), WordTime(Span(4, 8), 100, 200))))
    assert track.heard(200).words == 2


def test_one_estimated_word_makes_the_whole_inexact():
    track = unmade("a", *TEXTS)
    track.begin_segment(0)
    track.add(SpeechChunk(silence(1)))
    assert track.exact
    track.add(SpeechChunk(silence(1), exact=False))
    track.add(SpeechChunk(silence(1)))
    assert not track.exact


def test_the_pause_after_a_segment_is_part_of_the_sound():
    track = Track(Utterance("a", "One. Two.", "s"))
    track.prepare(Rendering((segment("One.", pause_ms=250), segment("Two.", 5))))
    speak(track, 0, 100)
    speak(track, 1, 100)
    assert track.samples == 100 + 6000 + 100
    assert [(word.start, word.end) for word in track.words] == [(0, 100), (6100, 6200)]


def test_tracks_are_the_same_only_when_they_are_one():
    track = made("a")
    assert track != made("a")
    assert len({track, track}) == 1


@given(
    st.lists(st.sampled_from(["Hello.", "你好世界。", "Zwölf Boxkämpfer!", "a 1 界 b"]), min_size=1)
)
def test_no_more_words_are_heard_than_there_are(texts: list[str]):
    track = unmade("a", *texts)
    for index, text in enumerate(texts):
        spans = word_spans(text)
        times = tuple(WordTime(span, 10 * i, 10 * i + 10) for i, span in enumerate(spans))
        track.begin_segment(index)
        track.add(SpeechChunk(silence(10 * len(spans)), times))
    told = [track.heard(samples) for samples in range(0, track.samples + 1, 10)]
    assert [heard.words for heard in told] == list(range(len(told)))
    assert {heard.of_words for heard in told} == {len(told) - 1}


@given(st.lists(st.text("ab .", min_size=1).filter(str.strip), min_size=1), st.data())
def test_heard_and_rest_together_are_the_spoken_text(texts: list[str], data: st.DataObject):
    track = unmade("a", *texts)
    for index in range(data.draw(st.integers(0, len(texts)))):
        speak(track, index, 10)
    heard = track.heard(data.draw(st.integers(0, track.samples)))
    assert f"{heard.text} {heard.rest}".split() == track.spoken.split()
    assert heard.words <= heard.of_words


@given(st.integers(0, 700), st.integers(0, 700))
def test_who_hears_longer_has_heard_no_less(one: int, other: int):
    track = whole()
    less, more = sorted([one, other])
    assert track.heard(less).words <= track.heard(more).words
    assert track.heard(less).source_offset <= track.heard(more).source_offset
    assert track.heard(more).text.startswith(track.heard(less).text)


# -- back to the source


def test_verbatim_text_maps_by_the_letter_and_rewritten_text_as_a_whole():
    #          spoken: "see ten miles"; source: "see `10 mi`"
    runs = (Run(Span(0, 4), Span(0, 4)), Run(Span(4, 13), Span(5, 10)))
    mapped = Segment("see ten miles", "en", SegmentKind.PARAGRAPH, Span(0, 11), runs)
    assert [source_end(mapped, position) for position in (0, 3, 4, 7, 13)] == [0, 3, 4, 10, 10]


def test_what_has_no_source_maps_to_the_end_of_what_stands_before():
    mapped = Segment(
        "ab, new", "en", SegmentKind.NOTICE, Span(7, 9), (Run(Span(0, 2), Span(7, 9)),)
    )
    assert source_end(mapped, 7) == 9
    bare = Segment("new", "en", SegmentKind.NOTICE, Span(7, 9))
    assert source_end(bare, 3) == 7
