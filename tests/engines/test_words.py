from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.engines.words import estimate, share, voiced, word_spans

LOUD = array("h", [9_000] * 1_000).tobytes()
SILENT = bytes(400)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It costs $5.", ["It", "costs", "$5."]),
        ("  two\n words ", ["two", "words"]),
        ("“你好，世界。”", ["“你", "好，", "世", "界。”"]),
        ("我用 Python写。", ["我", "用", "Python", "写。"]),
        ("", []),
    ],
)
def test_finds_words_between_white_space_and_each_chinese_character(text, words):
    assert [text[span.start : span.end] for span in word_spans(text)] == words


def test_finds_the_part_that_sounds():
    assert voiced(SILENT + LOUD + SILENT) == (200, 1_200)
    assert voiced(SILENT) == (0, 200)
    assert voiced(b"") == (0, 0)


def test_longer_words_are_given_more_time():
    short, long = estimate("a considerable", SILENT + LOUD)
    assert (short.start, long.end) == (200, 1_200)
    assert short.end == long.start
    assert long.end - long.start > 3 * (short.end - short.start)


@given(st.text(max_size=80), st.integers(0, 2_000))
def test_estimates_cover_all_words_in_order_within_the_sound(text, length):
    times = estimate(text, LOUD[: 2 * length])
    assert tuple(time.span for time in times) == word_spans(text)
    bounds = [bound for time in times for bound in (time.start, time.end)]
    assert bounds == sorted(bounds)
    assert not bounds or (bounds[0] >= 0 and bounds[-1] <= length)


@given(st.integers(0, 500), st.lists(st.integers(0, 9), min_size=1))
def test_shares_sum_to_the_whole(whole, weights):
    ends = share(whole, weights)
    assert ends == sorted(ends)
    assert ends[-1] == (whole if sum(weights) else 0)
