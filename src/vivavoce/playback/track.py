"""The sound of one utterance: its PCM, when each word sounds, and how far it was heard."""

from bisect import bisect_right
from dataclasses import dataclass, field

from vivavoce.vocabulary.audio import HOUSE_FORMAT, SpeechChunk
from vivavoce.vocabulary.speech import Omitted, Rendering, Segment, Span
from vivavoce.vocabulary.utterance import Utterance


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


@dataclass(slots=True)
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
        total = sum(len(segment.text.split()) for segment in self.segments)
        whole = self.complete and self.shortfall is None and samples >= self.samples
        if whole:
            end = self.segments[-1].source.end if self.segments else 0
            return Heard(self.spoken, "", total, total, end)
        if not count:
            return Heard("", self.spoken, 0, total, 0)
        last = self.words[count - 1]
        heard, rest = self.spoken[: last.spoken.end], self.spoken[last.spoken.end :]
        return Heard(heard, rest.lstrip(), count, total, last.source_end)


def source_end(segment: Segment, position: int) -> int:
    """The end, in the source, of what stands before `position` in the segment's text."""
    for run in reversed(segment.runs):
        if run.spoken.start < position:
            verbatim = len(run.spoken) == len(run.source)
            inside = min(position - run.spoken.start, len(run.spoken))
            return run.source.start + inside if verbatim else run.source.end
    return segment.source.start
