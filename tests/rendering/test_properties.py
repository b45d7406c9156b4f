"""What holds for every text."""

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.rendering import render, source_offset
from vivavoce.rendering.traced import Traced

MARKS = [
    *"#*_`~[]()<>!|-+\\&;:.\n\t 0123abAB/\"'$^=",
    "\n\n", "```", "**", "](", "<think>", "</think>", "https://", "www.", "| a |\n|---|\n",
    "password is ", "sk-", "1. ", "- [x] ", "> ", "。", "你好", "👍🏽", "3️⃣", "\r\n", "\x00",
    "\ufffc", "\ud800", "the ", "und ", "<!-- ", "-->", "<div>", "$$", "[^1]", "---\n", "    ",
]  # fmt: skip
MARKDOWN = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(MARKS), max_size=60).map("".join)
)
PROSE = st.lists(st.from_regex(r"[a-z]{1,9}[,.?]?", fullmatch=True), min_size=1, max_size=40).map(
    " ".join
)


@settings(max_examples=400, deadline=None)
@given(MARKDOWN)
def test_any_text_is_rendered_with_a_sound_source_map(source):
    for segment in render(source).segments:
        assert segment.text.strip()
        assert 0 <= segment.source.start <= segment.source.end <= len(source)
        for run in segment.runs:
            assert 0 <= run.spoken.start < run.spoken.end <= len(segment.text)
            assert segment.source.start <= run.source.start < run.source.end <= segment.source.end
        for left, right in pairwise(segment.runs):
            assert left.spoken.end <= right.spoken.start
            assert left.source.start <= right.source.start
        for position in range(len(segment.text) + 1):
            assert 0 <= source_offset(segment, position) <= len(source)


@settings(max_examples=200, deadline=None)
@given(MARKDOWN)
def test_what_is_left_out_lies_in_the_source(source):
    for omitted in render(source).omitted:
        assert 0 <= omitted.span.start <= omitted.span.end <= len(source)


@given(PROSE)
def test_plain_prose_is_spoken_word_for_word_and_maps_to_itself(source):
    segments = render(source, language="en").segments
    assert " ".join(s.text for s in segments) == source
    for segment in segments:
        assert source[segment.source.start : segment.source.end] == segment.text
        for run in segment.runs:
            assert (
                segment.text[run.spoken.start : run.spoken.end]
                == source[run.source.start : run.source.end]
            )


@given(MARKDOWN)
def test_rendering_is_a_function(source):
    assert render(source) == render(source)


EDITS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), st.text("xyz", max_size=3)))


@given(st.text("abcdef", min_size=1, max_size=40), st.lists(EDITS, max_size=3))
def test_exact_stretches_equal_the_source_after_any_edits(source, rounds):
    text = Traced.source(source)
    for round_of_edits in rounds:
        done, edits = 0, []
        for start, length, replacement in sorted(round_of_edits):
            if start >= done and start + length <= len(text.text):
                edits.append((start, start + length, replacement))
                done = start + length
        expected, done = [], 0
        for start, end, replacement in edits:
            expected += [text.text[done:start], replacement]
            done = end
        expected.append(text.text[done:])
        text = text.edited(edits)
        assert text.text == "".join(expected)
    for stretch in text.stretches:
        if stretch.exact:
            written = source[stretch.source_start : stretch.source_end]
            assert text.text[stretch.start : stretch.end] == written


@given(st.text("abcdef", max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_a_text_that_is_cut_and_joined_is_the_same(source, cuts):
    text = Traced.source(source).edited([(1, 2, "yy")] if len(source) > 2 else [])
    places = sorted({0, len(text.text), *(min(cut, len(text.text)) for cut in cuts)})
    pieces = [text.cut(start, end) for start, end in pairwise(places)]
    joined = Traced.joined(pieces)
    assert joined.text == text.text
    assert joined.written() == text.written()


HOSTILE = {
    "angles": "<" * 80_000,
    "brackets": "[" * 80_000,
    "images": "![" * 40_000,
    "matched brackets": "[" * 40_000 + "]" * 40_000,
    "emphasis": "*a " * 26_667,
    "quotes": "> " * 40_000,
    "backticks": "`a" * 40_000,
    "full stops": "a." * 40_000,
    "thoughts": "<think>" * 11_500,
    "passwords": "password is " * 6_700,
    "slashes": "/a" * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(20)
def test_hostile_input_ends(name):
    render(HOSTILE[name])


def test_the_room_is_quiet_and_cheap_to_import():
    code = (
        "import sys, vivavoce.rendering\n"
        "print([m for m in ('asyncio', 'socket', 'threading', 'markdown_it') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "[]", done.stderr
