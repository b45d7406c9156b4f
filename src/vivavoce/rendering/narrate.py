"""The profile `narrate`: what a voice says of a reply, sentence by sentence."""

from dataclasses import dataclass, replace

from vivavoce.rendering import sentences
from vivavoce.rendering.blocks import Block, BlockReader
from vivavoce.rendering.languages import detect, is_uniform
from vivavoce.rendering.parser import parse
from vivavoce.rendering.phrases import words_of
from vivavoce.rendering.redaction import redacted, redacted_all
from vivavoce.rendering.shortening import SPEAKABLE, shortened
from vivavoce.rendering.source import prepared
from vivavoce.rendering.traced import SLOT, Phrase, Traced
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
    # Dropping markup joins what it parted: "sk-**proj**-..." shows its shape only now.
    plain = redacted_all([block.text for block in blocks], omitted)
    short = [shortened(block_text, omitted) for block_text in plain]
    around = language or detect("\n".join(block.prose for block in blocks))
    speaker = _Speaker(language, around, omitted)
    drafts = [
        draft
        for block, block_text in zip(blocks, short, strict=True)
        for draft in speaker.drafts(block, block_text)
    ]
    if not any(draft.kind is not SegmentKind.NOTICE for draft in drafts):
        drafts = speaker.announcement(blocks, text)
    segments = tuple(draft.segment() for draft in speaker.checked(drafts))
    return Rendering(segments, tuple(sorted(omitted, key=_place)))


def _place(omitted: Omitted) -> tuple[int, int]:
    return omitted.span.start, omitted.span.end


@dataclass(frozen=True, slots=True)
class _Draft:
    """A segment whose text is still traced."""

    text: Traced
    language: str
    kind: SegmentKind
    pause_ms: int = 0

    def segment(self) -> Segment:
        source = self.text.written() or Span(0, 0)
        runs = self.text.runs()
        return Segment(self.text.text, self.language, self.kind, source, runs, self.pause_ms)


class _Speaker:
    """Turns blocks into sentences, each in its own language."""

    def __init__(self, language: str, around: str, omitted: list[Omitted]) -> None:
        self._language = language
        self._around = around
        self._omitted = omitted

    def drafts(self, block: Block, text: Traced) -> list[_Draft]:
        """The sentences of a block; none if nothing in it can be said."""
        if not SPEAKABLE.search(text.text):
            return []
        language = self._language or detect(block.prose, self._around)
        if block.leads:
            text = Traced.joined([*(Traced.replacing(lead, None) for lead in block.leads), text])
        if block.kind is SegmentKind.HEADING and text.text.rstrip(_CLOSERS)[-1:] not in _ENDS:
            text = Traced.joined([text, Traced.replacing(Phrase("full_stop"), None)])
        spans = sentences.split(text.text, language)
        settled = len(spans) == 1 or is_uniform(block.prose, language)
        drafts = [
            self._draft(text.cut(*span), language, block.kind, settled=settled) for span in spans
        ]
        return [*drafts[:-1], replace(drafts[-1], pause_ms=block.pause_ms)]

    def _draft(self, piece: Traced, around: str, kind: SegmentKind, *, settled: bool) -> _Draft:
        language = self._language or (around if settled else detect(piece.text, around))
        return _Draft(_worded(piece, language), language, kind)

    def checked(self, drafts: list[_Draft]) -> list[_Draft]:
        """The drafts redacted once more: cutting and shortening can uncover a secret."""
        texts = redacted_all([draft.text for draft in drafts], self._omitted)
        return [
            replace(draft, text=_worded(text, draft.language)) if SLOT in text.text else draft
            for draft, text in zip(drafts, texts, strict=True)
        ]

    def announcement(self, blocks: list[Block], text: Traced) -> list[_Draft]:
        """What is said of a text without any prose: what there is, or nothing if it is blank."""
        alone = [
            (block.alone, block.text.written() or Span(0, 0)) for block in blocks if block.alone
        ]
        if not alone and text.text.strip():
            alone = [(Phrase(self._only()), text.written() or Span(0, 0))]
        elif not alone and self._has(OmittedKind.FRONT_MATTER) and not self._has(*_SILENT):
            alone = [(Phrase("only_front_matter"), self._omitted[0].span)]
        pieces = (Traced.replacing(phrase, span) for phrase, span in alone)
        return [
            self._draft(piece, self._around, SegmentKind.NOTICE, settled=True) for piece in pieces
        ]

    def _has(self, *kinds: OmittedKind) -> bool:
        return any(omitted.kind in kinds for omitted in self._omitted)

    def _only(self) -> str:
        if self._has(OmittedKind.EMOJI):
            return "only_emoji"
        return "only_html" if self._has(OmittedKind.HTML) else "only_signs"


def _worded(text: Traced, language: str) -> Traced:
    return text.filled(lambda phrase: words_of(phrase, language))
