"""A long first sentence is cut at a clause, so that it starts to sound as soon as a short one."""

import re
from dataclasses import replace
from re import Match
from typing import Final

from vivavoce.vocabulary.speech import Run, Segment, Span

WORDS: Final = (4, 10)
"""How short and how long an opening may be, in words."""
CHARACTERS: Final = (12, 30)
"""How short and how long an opening may be in Chinese or Japanese, in characters."""

_MARK = re.compile(r"[,;:](?=\s)|\s[–—-](?=\s)|—|[，、；：]")
_JOIN = re.compile(
    r"\s(?=(?:and|but|because|so|which|while|when|if|that|where|although|after|before|with|und|aber"
    r"|weil|dass|wenn|oder|damit|obwohl|während|sondern)\s)"
)
_EAST: Final = frozenset({"zh", "ja"})
_WORD = re.compile(r"\S+")
_EAST_CHARACTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[A-Za-z0-9]+")


def open_with_clause(
    segments: tuple[Segment, ...],
    *,
    words: tuple[int, int] = WORDS,
    characters: tuple[int, int] = CHARACTERS,
) -> tuple[Segment, ...]:
    """The segments with a long first one cut in two at a clause; a short one stays whole."""
    if not segments:
        return segments
    first = segments[0]
    east = first.language in _EAST
    least, most = characters if east else words
    units = list((_EAST_CHARACTER if east else _WORD).finditer(first.text))
    if len(units) < most + least:
        return segments
    position = _opening(first.text, units, least, most)
    if position is None:
        return segments
    return (*_halves(first, position), *segments[1:])


def _opening(text: str, units: list[Match[str]], least: int, most: int) -> int | None:
    """Where to cut: behind the first mark in reach, else before a joining word, else later."""
    earliest, latest = units[least - 1].end(), units[most - 1].end() + 1
    furthest = units[min(len(units) - least, 2 * most) - 1].end() + 1
    for pattern, end in ((_MARK, latest), (_JOIN, latest), (_MARK, furthest), (_JOIN, furthest)):
        match = pattern.search(text, earliest, end + 1)
        if match:
            return match.end()
    return None


def _halves(segment: Segment, position: int) -> tuple[Segment, Segment]:
    text = segment.text
    end = len(text[:position].rstrip())
    start = len(text) - len(text[position:].lstrip())
    opening = _part(segment, Span(0, end))
    rest = _part(segment, Span(start, len(text)))
    return replace(opening, pause_ms=0), rest


def _part(segment: Segment, span: Span) -> Segment:
    runs = tuple(
        _clipped(run, span)
        for run in segment.runs
        if run.spoken.start < span.end and run.spoken.end > span.start
    )
    source = Span(runs[0].source.start, runs[-1].source.end) if runs else segment.source
    return replace(segment, text=segment.text[span.start : span.end], source=source, runs=runs)


def _clipped(run: Run, span: Span) -> Run:
    start, end = max(run.spoken.start, span.start), min(run.spoken.end, span.end)
    source = run.source
    if len(run.spoken) == len(run.source):
        shift = run.source.start - run.spoken.start
        source = Span(start + shift, end + shift)
    return Run(Span(start - span.start, end - span.start), source)


def source_offset(segment: Segment, spoken_position: int) -> int:
    """Where in the source a code point of a segment's text was written.

    Words of ours stand where the next written word begins; a position at or behind the end of the
    text is the end of what was written.
    """
    if spoken_position >= len(segment.text):
        return segment.source.end
    low, high = 0, len(segment.runs)
    while low < high:
        middle = (low + high) // 2
        if segment.runs[middle].spoken.end <= spoken_position:
            low = middle + 1
        else:
            high = middle
    if low == len(segment.runs):
        return segment.source.end
    run = segment.runs[low]
    inside = spoken_position - run.spoken.start
    if inside > 0 and len(run.spoken) == len(run.source):
        return run.source.start + inside
    return run.source.start
