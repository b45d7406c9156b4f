"""The words of a text, and estimated times for them where the engine tells none. Pure."""

import re
from array import array
from collections.abc import Sequence
from itertools import accumulate

from vivavoce.vocabulary.audio import WordTime
from vivavoce.vocabulary.speech import Span

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\w\s]*[{_CJK}][^\w\s]*|(?:(?![{_CJK}])\S)+")
_IDEOGRAPH = re.compile(rf"[{_CJK}]")

_IDEOGRAPH_WEIGHT = 4
"""A Chinese character is a syllable: it lasts as long as about four letters."""
_DIGIT_WEIGHT = 3
"""A digit is read as a word, yet shares its unit with its neighbours."""
_SILENCE = 150
"""Largest absolute sample that counts as silence, of 32,767."""


def word_spans(text: str) -> tuple[Span, ...]:
    """The words of a text: what stands between white space, and each Chinese character."""
    return tuple(Span(*match.span()) for match in _WORD.finditer(text))


def estimate(text: str, pcm: bytes) -> tuple[WordTime, ...]:
    """Times of all words, shared out by their length over the part of the PCM that sounds."""
    words = word_spans(text)
    start, end = voiced(pcm)
    bounds = share(end - start, [_weight(text[word.start : word.end]) for word in words])
    return tuple(
        WordTime(word, start + left, start + right)
        for word, left, right in zip(words, [0, *bounds], bounds, strict=False)
    )


def share(whole: int, weights: Sequence[int]) -> list[int]:
    """Cut a whole in proportion to the weights; returns the end of each part."""
    total = sum(weights) or 1
    return [whole * reached // total for reached in accumulate(weights)]


def voiced(pcm: bytes) -> tuple[int, int]:
    """First sample that is not silence and the end of the last; all of it where all is silent."""
    samples = array("h", pcm)
    start = next((i for i, x in enumerate(samples) if abs(x) > _SILENCE), None)
    if start is None:
        return 0, len(samples)
    silent_tail = next(i for i, x in enumerate(reversed(samples)) if abs(x) > _SILENCE)
    return start, len(samples) - silent_tail


def _weight(word: str) -> int:
    ideographs = len(_IDEOGRAPH.findall(word))
    digits = sum(map(str.isdigit, word))
    return (
        1
        + (len(word) - ideographs - digits)
        + ideographs * _IDEOGRAPH_WEIGHT
        + digits * _DIGIT_WEIGHT
    )
