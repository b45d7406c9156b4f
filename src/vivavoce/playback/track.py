"""The sound of one utterance: its PCM, when each word sounds, and how far it was heard."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from vivavoce.vocabulary.audio import HOUSE_FORMAT, SpeechChunk
from vivavoce.vocabulary.speech import Omitted, Rendering, Segment, Span
from vivavoce.vocabulary.utterance import Utterance

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\w\s]*[{_CJK}][^\w\s]*|(?:(?![{_CJK}])\S)+")
"""A word as engines count: what stands between white space, and each Chinese character."""


@dataclass(frozen=True, slots=True)
class TrackWord:
    """One word of a track."""

    spoken: Span
    """In `Track.spoken`."""
    start: int
    """Samples from the beginning of the track."""
    end: int
    """Samples from the beginning of the track, exclusive."""
    source_end: int
    """Code points of the source up to the end of this word."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why a track does not hold all that was written."""

    reason: str
    """A machine-readable code."""
    message: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class Heard:
    """How far a track was heard."""

    text: str
    rest: str
    words: int
    of_words: int
    source_offset: int


@dataclass(slots=True, eq=False)
class Track:
    """The sound of one utterance, filled from the front while it may already play."""

    utterance: Utterance
    segments: tuple[Segment, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    """What is not read out."""
    began: float = 0.0
    """When it was accepted: seconds since the epoch, for people."""
    pcm: bytearray = field(default_factory=bytearray)
    """House format."""
    words: list[TrackWord] = field(default_factory=list)
    complete: bool = False
    """Nothing more will be added."""
    exact: bool = True
    """Whether the engines told the words' times."""
    shortfall: Shortfall | None = None
    path: str = ""
    """The file that it was written to, if it was."""
    voice: str = ""
    furthest: int = 0
    """Samples that were heard while it was spoken; replays do not count."""
    spoken: str = ""
    _offsets: list[int] = field(default_factory=list)
    _segment_start: int = 0
    _segment: int = -1

    def prepare(self, rendering: Rendering) -> None:
        """Take what is to be spoken; once, before any sound is added."""
        self.segments, self.omitted = rendering.segments, rendering.omitted
        position = 0
        for segment in self.segments:
            self._offsets.append(position)
            position += len(segment.text) + 1
        self.spoken = " ".join(segment.text for segment in self.segments)

    @property
    def id(self) -> str:
        """The utterance's id."""
        return self.utterance.id

    @property
    def samples(self) -> int:
        """Samples that are there."""
        return len(self.pcm) // HOUSE_FORMAT.frame_bytes

    @property
    def heard_to_its_end(self) -> bool:
        """Whether all that was written was made and heard while it was spoken."""
        return self.complete and self.shortfall is None and 0 < self.samples <= self.furthest

    def begin_segment(self, index: int) -> None:
        """What is added next belongs to this segment."""
        self._segment = index
        self._segment_start = self.samples

    def add(self, chunk: SpeechChunk) -> None:
        """Append a chunk of the segment that was begun."""
        self.pcm += chunk.pcm
        self.exact = self.exact and chunk.exact
        segment = self.segments[self._segment]
        offset = self._offsets[self._segment]
        for word in chunk.words:
            self.words.append(
                TrackWord(
                    Span(offset + word.span.start, offset + word.span.end),
                    self._segment_start + word.start,
                    self._segment_start + word.end,
                    source_end(segment, word.span.end),
                )
            )

    def end_segment(self) -> None:
        """Append the pause that follows the segment."""
        pause = self.segments[self._segment].pause_ms
        self.pcm += bytes(HOUSE_FORMAT.frame_bytes * HOUSE_FORMAT.samples(pause / 1000))

    def fall_short(self, reason: str, message: str) -> None:
        """Note that not all of it can be spoken; the first reason stays."""
        self.shortfall = self.shortfall or Shortfall(reason, message)

    def word_at(self, samples: int) -> int:
        """How many words had been heard to their end after so many samples."""
        return bisect_right(self.words, samples, key=lambda word: word.end)

    def heard(self, samples: int) -> Heard:
        """How far it was heard after so many samples."""
        count = self.word_at(samples)
        total = sum(len(_WORD.findall(segment.text)) for segment in self.segments)
        whole = self.complete and self.shortfall is None and samples >= self.samples
        if whole:
            end = self.segments[-1].source.end if self.segments else 0
            return Heard(self.spoken, "", total, total, end)
        if not count:
            return Heard("", self.spoken, 0, total, 0)
        heard, rest = self._halves(count)
        return Heard(heard, rest, count, max(count, total), self.words[count - 1].source_end)

    def _halves(self, count: int) -> tuple[str, str]:
        """The text up to the last of so many words, and the rest.

        A segment that no engine could speak belongs to the rest, wherever it stands.
        """
        words = self.words[:count]
        sounded = {bisect_right(self._offsets, word.spoken.start) - 1 for word in words}
        last = max(sounded)
        cut = words[-1].spoken.end - self._offsets[last]
        heard, rest = [], []
        for index, segment in enumerate(self.segments):
            end = cut if index == last else len(segment.text) * (index in sounded)
            heard.append(segment.text[:end])
            rest.append(segment.text[end:].lstrip())
        return " ".join(filter(None, heard)), " ".join(filter(None, rest))


def source_end(segment: Segment, position: int) -> int:
    """The end, in the source, of what stands before `position` in the segment's text."""
    for run in reversed(segment.runs):
        if run.spoken.start < position:
            verbatim = len(run.spoken) == len(run.source)
            inside = min(position - run.spoken.start, len(run.spoken))
            return run.source.start + inside if verbatim else run.source.end
    return segment.source.start
