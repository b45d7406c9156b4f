"""What is spoken of what was written: spans, segments, and what was left out."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text."""

    start: int
    """Code points from the beginning of the text."""
    end: int
    """Code points from the beginning of the text, exclusive."""

    def __len__(self) -> int:
        return self.end - self.start


class SegmentKind(StrEnum):
    """What a segment was in the source."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTE = "quote"
    NOTICE = "notice"
    """Our own words about something that is not read, such as a code block."""


@dataclass(frozen=True, slots=True)
class Run:
    """One stretch of a segment's text and the stretch of the source that it speaks."""

    spoken: Span
    """In `Segment.text`."""
    source: Span
    """In the source that was rendered."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of text to synthesise: a sentence, or a clause of a long first sentence."""

    text: str
    language: str
    """BCP 47 primary tag of this text, such as "en"."""
    kind: SegmentKind
    source: Span
    """The whole stretch of the source that this segment speaks."""
    runs: tuple[Run, ...] = ()
    """The source map: ordered, not overlapping, covering all of `text` that has a source."""
    pause_ms: int = 0
    """Silence after the segment, in milliseconds."""


class OmittedKind(StrEnum):
    """What can be left out of speech, so that a screen can show that it was."""

    CODE = "code"
    TABLE = "table"
    IMAGE = "image"
    FORMULA = "formula"
    HTML = "html"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    FRONT_MATTER = "front_matter"
    FOOTNOTE = "footnote"
    EMOJI = "emoji"
    URL = "url"
    SECRET = "secret"
    NO_VOICE = "no_voice"
    """Text whose language has no voice here."""


@dataclass(frozen=True, slots=True)
class Omitted:
    """A stretch of the source that is not read out."""

    kind: OmittedKind
    span: Span
    """In the source."""
    size: int
    """Lines of a code block, body rows of a table, code points of anything else."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What is spoken of one text."""

    segments: tuple[Segment, ...]
    omitted: tuple[Omitted, ...] = ()
