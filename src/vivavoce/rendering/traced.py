"""A text that remembers where each stretch of it was written.

Every step of the pipeline (dropping markup, redacting, shortening, splitting) makes a new `Traced`
out of an old one by cutting, joining and editing, so that the way back to the source is never lost.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from re import Match, Pattern
from typing import Final, NamedTuple

from vivavoce.vocabulary.speech import Run, Span

SLOT = "\ufffc"
"""Stands in a text for a phrase of ours until the language is known; a source never holds it."""


class Phrase(NamedTuple):
    """One of our own phrases, not yet in any language."""

    key: str
    """In the catalogues of phrases."""
    word: str = ""
    """A word to put in, such as a host."""
    counts: tuple[int, ...] = ()
    """Numbers to put in, each with its plural form."""


class Stretch(NamedTuple):
    """Where one stretch of a text comes from."""

    start: int
    """In the text, code points."""
    end: int
    source_start: int
    """In the source, code points; equal to `source_end` where nothing was written."""
    source_end: int
    exact: bool
    """Whether the text is the source, character for character."""
    phrase: Phrase | None = None
    """What a slot stands for."""


_START = attrgetter("start")
_END = attrgetter("end")


def _shifted(stretch: Stretch, by: int) -> Stretch:
    start, end, source_start, source_end, exact, phrase = stretch
    return Stretch(start + by, end + by, source_start, source_end, exact, phrase)


def _clipped(stretch: Stretch, start: int, end: int) -> Stretch:
    """The part of a stretch inside [start, end), in the coordinates of that cut."""
    left, right, source_start, source_end, exact, phrase = stretch
    if left < start:
        source_start += start - left if exact else 0
        left = start
    if right > end:
        source_end -= right - end if exact else 0
        right = end
    return Stretch(left - start, right - start, source_start, source_end, exact, phrase)


def _continues(left: Stretch, right: Stretch) -> bool:
    return (
        left.exact
        and right.exact
        and left.end == right.start
        and left.source_end == right.source_start
    )


@dataclass(frozen=True, slots=True)
class Traced:
    """A text and where it comes from. Text that no stretch covers has no source."""

    text: str
    stretches: tuple[Stretch, ...] = field(default=())
    """Ordered, not overlapping."""

    @classmethod
    def source(cls, text: str) -> "Traced":
        """A source itself: every character is its own."""
        return cls(text, (Stretch(0, len(text), 0, len(text), exact=True),) if text else ())

    @classmethod
    def replacing(cls, replacement: "str | Phrase", written: Span | None) -> "Traced":
        """Words, or a phrase of ours, that stand for a whole stretch of the source."""
        phrase = replacement if isinstance(replacement, Phrase) else None
        text = SLOT if isinstance(replacement, Phrase) else replacement
        if not text or (phrase is None and written is None):
            return cls(text)
        start, end = (written.start, written.end) if written else (0, 0)
        return cls(text, (Stretch(0, len(text), start, end, exact=False, phrase=phrase),))

    @classmethod
    def joined(cls, parts: Iterable["Traced"]) -> "Traced":
        """Several texts, one after another."""
        texts: list[str] = []
        stretches: list[Stretch] = []
        length = 0
        for part in parts:
            if not part.text:
                continue
            texts.append(part.text)
            for stretch in part.stretches:
                moved = _shifted(stretch, length) if length else stretch
                if stretches and _continues(stretches[-1], moved):
                    left = stretches.pop()
                    moved = Stretch(
                        left.start, moved.end, left.source_start, moved.source_end, exact=True
                    )
                stretches.append(moved)
            length += len(part.text)
        return cls("".join(texts), tuple(stretches))

    def cut(self, start: int, end: int) -> "Traced":
        """The text from `start` to `end`, in code points."""
        if start <= 0 and end >= len(self.text):
            return self
        text = self.text[start:end]
        if not text:
            return _EMPTY
        stretches = self.stretches
        if len(stretches) > 1:
            first = bisect_right(stretches, start, key=_END)
            stretches = stretches[first : bisect_left(stretches, end, lo=first, key=_START)]
        elif stretches and (stretches[0].end <= start or stretches[0].start >= end):
            stretches = ()
        return Traced(text, tuple([_clipped(stretch, start, end) for stretch in stretches]))

    def written(self, start: int = 0, end: int | None = None) -> Span | None:
        """The stretch of the source behind a part of the text; None where nothing was written."""
        end = len(self.text) if end is None else end
        first, last = -1, -1
        index = bisect_right(self.stretches, start, key=_END) if start else 0
        while index < len(self.stretches) and self.stretches[index].start < end:
            clipped = _clipped(self.stretches[index], start, end)
            index += 1
            if clipped.source_end > clipped.source_start:
                first = clipped.source_start if first < 0 else min(first, clipped.source_start)
                last = max(last, clipped.source_end)
        return Span(first, last) if first >= 0 else None

    def edited(self, edits: Sequence[tuple[int, int, "str | Phrase"]]) -> "Traced":
        """The text with some parts replaced. Edits are (start, end, replacement), in order."""
        if not edits:
            return self
        parts: list[Traced] = []
        done = 0
        for start, end, replacement in edits:
            if start > done:
                parts.append(self.cut(done, start))
            if replacement:
                written = self.written(start, end) if end > start else None
                parts.append(Traced.replacing(replacement, written))
            done = end
        parts.append(self.cut(done, len(self.text)))
        return Traced.joined(parts)

    def substituted(
        self, pattern: Pattern[str], replace: "Callable[[Match[str]], str | Phrase | None]"
    ) -> "Traced":
        """Every match replaced by what `replace` makes of it; None leaves a match as it is."""
        edits: list[tuple[int, int, str | Phrase]] = []
        for match in pattern.finditer(self.text):
            replacement = replace(match)
            if replacement is not None:
                edits.append((match.start(), match.end(), replacement))
        return self.edited(edits)

    def stripped(self) -> "Traced":
        """The text without white space around it."""
        text = self.text.strip()
        if len(text) == len(self.text):
            return self
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, start + len(text))

    def filled(self, words: Callable[[Phrase], str]) -> "Traced":
        """The text with every slot replaced by the words of its phrase."""
        if SLOT not in self.text:
            return self
        parts: list[Traced] = []
        done = 0
        for stretch in self.stretches:
            if stretch.phrase is None:
                continue
            span = Span(stretch.source_start, stretch.source_end)
            parts.append(self.cut(done, stretch.start))
            parts.append(Traced.replacing(words(stretch.phrase), span if len(span) else None))
            done = stretch.end
        parts.append(self.cut(done, len(self.text)))
        return Traced.joined(parts)

    def runs(self) -> tuple[Run, ...]:
        """The source map in the public vocabulary, without the words that nobody wrote."""
        return tuple(
            Run(Span(s.start, s.end), Span(s.source_start, s.source_end))
            for s in self.stretches
            if s.source_end > s.source_start
        )


_EMPTY: Final = Traced("")
