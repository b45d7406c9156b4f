import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.engines.tts.alignment import clause_slices, owners


def alone(word: str) -> str:
    return {"9:30am": "nine thirty A.M.", "3-4": "3 to 4"}.get(word, word)


@pytest.mark.parametrize(
    ("source", "spoken", "owner"),
    [
        ("at 9:30am, see", "at nine thirty A.M., see", [0, 1, 1, 1, 2]),
        ("Jan 5 2024 | foo", "January fifth 2024, foo", [0, 1, 2, 4]),
        ("9:30am 3-4 x", "nine thirty A.M. 3 to 4 x", [0, 0, 0, 1, 1, 1, 2]),
        ("#1 goes", "number 1 goes", [0, 0, 1]),
        ("Hello", "well Hello", [0, 0]),
        ("a b", "", []),
    ],
)
def test_gives_each_spoken_word_to_a_source_word(source, spoken, owner):
    assert owners(source.split(), spoken.split(), alone) == owner


WORDS = st.lists(st.sampled_from(["a", "b,", "9:30am", "3-4", "c.", "nine", "|"]), max_size=8)


@given(WORDS, WORDS)
def test_owners_never_go_back_and_never_leave_the_text(source, spoken):
    owner = owners(source, spoken, alone)
    assert len(owner) == len(spoken)
    assert owner == sorted(owner)
    assert all(0 <= index < max(len(source), 1) for index in owner)


@pytest.mark.parametrize(
    ("phonemes", "pieces"),
    [
        ("short", ["short"]),
        ("one, two, three four", ["one, two, ", "three four"]),
        ("one two three four", ["one two ", "three four"]),
        ("onetwothreefour", ["onetwothre", "efour"]),
        ("", [""]),
    ],
)
def test_cuts_after_clauses_then_after_words(phonemes, pieces):
    assert [phonemes[piece] for piece in clause_slices(phonemes, 10)] == pieces


@given(st.text("ab ,;", max_size=80), st.integers(1, 12))
def test_pieces_are_short_enough_and_together_the_whole(phonemes, limit):
    pieces = [phonemes[piece] for piece in clause_slices(phonemes, limit)]
    assert "".join(pieces) == phonemes
    assert all(len(piece) <= limit + 1 for piece in pieces)
