"""Where sentences end, in English, German and Chinese: one pass over the places where they may.

A full stop ends a sentence only before white space, and not after an abbreviation, an initial, an
ordinal or a list number; the Chinese and Japanese marks end one without a space.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from re import Match
from typing import Final

from vivavoce.rendering.abbreviations import (
    ALWAYS,
    BEFORE_NUMBERS,
    GERMAN_ALWAYS,
    GERMAN_ORDINAL_LEADS,
    GERMAN_ORDINAL_NOUNS,
    HONORIFICS,
    STARTERS,
    TAILS,
)

_CLOSERS = "\"'”’»›“)\\]}*"
_END = re.compile(
    rf"(?P<dots>\.(?:[ ]?\.){{0,40}})[{_CLOSERS}]*(?=\s|\Z)"
    rf"|(?P<marks>(?:[!?…]|\u203c|\u2047|\u2048|\u2049|؟|۔|।|॥)+\.*)[{_CLOSERS}]*(?=\s|\Z)"
    r"|(?P<wide>[。！？｡]+)[”’」』）》\"']*"
    r"|(?P<lines>\n\s*\n|\n(?=\s*[•⁃‣\-*]))"
)
_LAST_WORD = re.compile(r"[^\s(\[{\"'“„‘,;:—–]+\Z")
_NEXT_WORD = re.compile(r"\s*[\"'“„«‘(\[]*([^\s,;:!?.)\"”]+)")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LIST_NUMBER = re.compile(r"[\s•⁃‣*\-\"'(]*(?:\d{1,9}|[A-Za-z])[.)\]]+\s*")
_MARKER = re.compile(r"(?:(?<=\s)|\A)(?:[•⁃‣]\s*)?(?P<mark>\d{1,3}|[a-z])(?P<sign>\.\)|[.)])\s")
_TITLE = re.compile(r"《[^《》]{0,200}》")
_LOOK_BACK: Final = 60


def _last_word(text: str, end: int) -> str:
    match = _LAST_WORD.search(text[max(0, end - _LOOK_BACK) : end])
    return match[0] if match else ""


def _next_word(text: str, end: int) -> str:
    match = _NEXT_WORD.match(text[end : end + _LOOK_BACK])
    return match[1] if match else ""


def _starts_sentence(word: str) -> bool:
    return word[:1].isupper() and word.lower() in STARTERS


def _ends_after_acronym(word: str, following: str) -> bool:
    if word.lower() in ("p.m", "a.m"):
        return following[:1].isupper() and (word.isupper() or _starts_sentence(following))
    return _starts_sentence(following)


def _ends_after_number(text: str, start: int, number: str, language: str) -> bool:
    """Whether a full stop after a number ends a sentence; in German it may make an ordinal."""
    if language != "de" or len(number) > 2:
        return True
    before = _last_word(text, start - len(number) - 1).lower()
    following = _next_word(text, start + 1).lower()
    ordinal = following.split(" ")[0] in GERMAN_ORDINAL_NOUNS or following.startswith("-")
    return not ordinal and before not in GERMAN_ORDINAL_LEADS


def _is_abbreviation(word: str, following: str, language: str) -> bool:
    """Whether a word is one whose full stop says nothing about the sentence."""
    lowered = word.lower()
    return (
        lowered in ALWAYS
        or (language == "de" and lowered in GERMAN_ALWAYS)
        or (lowered in HONORIFICS and word[:1].isupper())
        or (lowered in BEFORE_NUMBERS and following[:1].isdigit())
    )


def _full_stop_ends(text: str, match: Match[str], language: str) -> bool:
    """Whether a single full stop ends a sentence."""
    start = match.start()
    word = _last_word(text, start)
    following = _next_word(text, match.end())
    closed = match.end() - start > 1
    if not following:
        return True
    if following[:1].islower():
        return False
    if not closed and _is_abbreviation(word, following, language):
        return False
    if _ACRONYM.fullmatch(word):
        return _ends_after_acronym(word, following)
    if word.lower() in TAILS:
        return _starts_sentence(following)
    if len(word) == 1 and word.isupper():
        # "you and I." ends a sentence, "Albert I. Jones" does not.
        before = _last_word(text, start - 2)
        return word == "I" and before[:1].islower()
    if (number := word.lstrip("-–")).isdigit():
        return _ends_after_number(text, start, number, language)
    return True


def _ends(text: str, match: Match[str], language: str) -> bool:
    if match["wide"] or match["lines"]:
        return True
    following = _next_word(text, match.end())
    dots, marks = match["dots"], match["marks"]
    if dots == ".":
        return _full_stop_ends(text, match, language)
    if dots and (text[match.start() - 1 : match.start()] == "[" or dots == ". . ."):
        return not following
    if dots or "…" in marks:
        return not following or following[:1].isupper() or following[:1].isdigit()
    closed = match.end() > match.end("marks")
    if following[:1].islower():
        return "?" in marks and not closed
    return not (closed and following[:1] in "–-")


def _listed(text: str) -> Iterator[int]:
    """Where the later items of a list begin that stands within one text: "1) this 2) that"."""
    first = _MARKER.match(text)
    if first is None:
        return
    mark, sign = first["mark"], first["sign"]
    for match in _MARKER.finditer(text, first.end()):
        expected = str(int(mark) + 1) if mark.isdigit() else chr(ord(mark) + 1)
        if match["mark"] == expected and match["sign"] == sign:
            mark = match["mark"]
            yield match.start()


def _boundaries(text: str, language: str) -> Iterator[int]:
    """Where a sentence ends and another may begin."""
    listed = list(_listed(text))
    yield from listed
    titles = [match.span() for match in _TITLE.finditer(text)] if "《" in text else []
    starts = [start for start, _ in titles]
    begun = 0
    for match in _END.finditer(text):
        inside = bisect_right(starts, match.start()) - 1
        if inside >= 0 and match.start() < titles[inside][1]:
            continue
        if not _ends(text, match, language):
            continue
        item = bisect_right(listed, match.start()) - 1
        begun = max(begun, listed[item]) if item >= 0 else begun
        if match.end() - begun < 16 and _LIST_NUMBER.fullmatch(text[begun : match.end()]):
            continue
        begun = match.end()
        yield begun


def split(text: str, language: str = "en") -> list[tuple[int, int]]:
    """The sentences of a text, as (start, end) in code points, without white space around them."""
    ends = sorted({*_boundaries(text, language), len(text)})
    sentences: list[tuple[int, int]] = []
    start = 0
    for end in ends:
        piece = text[start:end]
        content = piece.strip()
        if content:
            left = start + len(piece) - len(piece.lstrip())
            sentences.append((left, left + len(content)))
        start = end
    return sentences
