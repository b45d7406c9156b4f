"""Which phonemes belong to which word of a text that was normalised before it was spoken. Pure.

"$5 at 9:30am" is read as "$5 at nine thirty A.M.": the words that both have in common are anchors,
and what stands between two anchors on one side belongs to what stands between them on the other.
"""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from vivavoce.engines.words import share

PAUSES = frozenset(' ;:,.!?—…"“”()')
"""Phoneme symbols that are silence, not sound of a word."""

_PUNCTUATION = ".,;:!?…—()[]\"'“”"


def owners(source: Sequence[str], spoken: Sequence[str], expand: Callable[[str], str]) -> list[int]:
    """For each spoken word the index of the source word that it belongs to; never decreasing.

    `expand` tells what a source word alone is read as; it only weighs the words between anchors.
    """
    owner = [0] * len(spoken)
    left, right = ([_bare(word) for word in side] for side in (source, spoken))
    for _, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        owner[j1:j2] = _spread(range(i1, i2), j2 - j1, source, expand)
    return owner


def _bare(word: str) -> str:
    """A word without case and outer punctuation, which normalisation moves about."""
    return word.strip(_PUNCTUATION).casefold() or word


def _spread(
    indices: range, count: int, source: Sequence[str], expand: Callable[[str], str]
) -> list[int]:
    """Share so many spoken words among these source words, in order."""
    if not indices:
        return [max(indices.start - 1, 0)] * count
    if len(indices) == count:
        return list(indices)
    ends = share(count, [len(expand(source[i]).split()) for i in indices])
    return [
        i
        for i, start, end in zip(indices, [0, *ends], ends, strict=False)
        for _ in range(start, end)
    ]


def clause_slices(phonemes: str, limit: int) -> list[slice]:
    """Cut phonemes after clause punctuation so that no piece is longer than the limit.

    A clause that alone is longer is cut between words, and a word that alone is longer, anywhere.
    """
    slices = []
    start = 0
    while len(phonemes) - start > limit:
        window = phonemes[start : start + limit + 1]
        cut = start + (_last_clause_end(window) or window.rfind(" ") + 1 or limit)
        slices.append(slice(start, cut))
        start = cut
    return [*slices, slice(start, len(phonemes))]


def _last_clause_end(window: str) -> int:
    """Just after the last space that follows a comma, semicolon, colon or dash; 0 for none."""
    return max(
        window.rfind(mark) + len(mark) if mark in window else 0 for mark in (", ", "; ", ": ", "— ")
    )
