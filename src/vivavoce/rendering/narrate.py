"""The profile `narrate`: what a voice says of a reply, sentence by sentence."""

from vivavoce.rendering import sentences
from vivavoce.rendering.blocks import Block, BlockReader
from vivavoce.rendering.languages import detect
from vivavoce.rendering.parser import parse
from vivavoce.rendering.phrases import words_of
from vivavoce.rendering.redaction import redacted
from vivavoce.rendering.shortening import SPEAKABLE, shortened
from vivavoce.rendering.source import prepared
from vivavoce.rendering.traced import Phrase, Traced
from vivavoce.vocabulary.speech import (
    Omitted,
    OmittedKind,
    Rendering,
    Segment,
    SegmentKind,
    Span,
)

_ENDS = ".!?…。！？｡．"
_CLOSERS = "\"'”’»)]）」』*"
_SILENT = frozenset({OmittedKind.REASONING, OmittedKind.TOOL_CALL})


def narrated(source: str, language: str = "") -> Rendering:
    """The segments of a Markdown text; an empty language means that each tells its own."""
    omitted: list[Omitted] = []
    text = redacted(prepared(source, omitted), omitted)
    blocks = BlockReader(text, omitted).read(parse(text.text))
    around = language or detect("\n".join(block.prose for block in blocks))
    speaker = _Speaker(language, around, omitted)
    segments = [segment for block in blocks for segment in speaker.segments(block)]
    if not any(segment.kind is not SegmentKind.NOTICE for segment in segments):
        segments = speaker.announcement(blocks, text)
    return Rendering(tuple(segments), tuple(sorted(omitted, key=_place)))


def _place(omitted: Omitted) -> tuple[int, int]:
    return omitted.span.start, omitted.span.end


class _Speaker:
    """Turns blocks into segments, in the language of each."""

    def __init__(self, language: str, around: str, omitted: list[Omitted]) -> None:
        self._language = language
        self._around = around
        self._omitted = omitted

    def segments(self, block: Block) -> list[Segment]:
        """The sentences of a block; none if nothing in it can be said."""
        text = shortened(redacted(block.text, self._omitted), self._omitted)
        if not SPEAKABLE.search(text.text):
            return []
        language = self._language or detect(block.prose, self._around)
        leads = [Traced.replacing(lead, None) for lead in block.leads]
        text = Traced.joined([*leads, text])
        if block.kind is SegmentKind.HEADING and text.text.rstrip(_CLOSERS)[-1:] not in _ENDS:
            text = Traced.joined([text, Traced.replacing(Phrase("full_stop"), None)])
        pieces = [text.cut(*span) for span in sentences.split(text.text, language)]
        segments = [self._segment(piece, language, block.kind) for piece in pieces]
        return [*segments[:-1], *(_pausing(segment, block.pause_ms) for segment in segments[-1:])]

    def _segment(self, piece: Traced, around: str, kind: SegmentKind) -> Segment:
        language = self._language or detect(piece.text, around)
        # Dropping and cutting can uncover a secret that no step before could see.
        piece = redacted(piece, self._omitted).filled(lambda phrase: words_of(phrase, language))
        piece = redacted(piece, self._omitted).filled(lambda phrase: words_of(phrase, language))
        source = piece.written() or Span(0, 0)
        return Segment(piece.text, language, kind, source, piece.runs())

    def announcement(self, blocks: list[Block], text: Traced) -> list[Segment]:
        """What is said of a text without any prose: what there is, or nothing if it is blank."""
        alone = [
            (block.alone, block.text.written() or Span(0, 0)) for block in blocks if block.alone
        ]
        if not alone and text.text.strip():
            alone = [(Phrase(self._only()), text.written() or Span(0, 0))]
        elif not alone and self._has(OmittedKind.FRONT_MATTER) and not self._has(*_SILENT):
            alone = [(Phrase("only_front_matter"), self._omitted[0].span)]
        pieces = (Traced.replacing(phrase, span) for phrase, span in alone)
        return [self._segment(piece, self._around, SegmentKind.NOTICE) for piece in pieces]

    def _has(self, *kinds: OmittedKind) -> bool:
        return any(omitted.kind in kinds for omitted in self._omitted)

    def _only(self) -> str:
        if self._has(OmittedKind.EMOJI):
            return "only_emoji"
        return "only_html" if self._has(OmittedKind.HTML) else "only_signs"


def _pausing(segment: Segment, pause_ms: int) -> Segment:
    if not pause_ms:
        return segment
    return Segment(
        segment.text, segment.language, segment.kind, segment.source, segment.runs, pause_ms
    )
