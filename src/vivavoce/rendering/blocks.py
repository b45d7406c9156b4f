"""From the parser's tokens to blocks: what is spoken of each, and what only is announced."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from vivavoce.rendering.html import texts_between
from vivavoce.rendering.inline import InlineReader
from vivavoce.rendering.phrases import ORDINALS
from vivavoce.rendering.traced import Phrase, Traced
from vivavoce.vocabulary.speech import Omitted, OmittedKind, SegmentKind, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

RULE_PAUSE_MS = 700
"""How long a horizontal rule is."""

_TASK_BOXES = {"[ ] ": Phrase("to_do"), "[x] ": Phrase("done"), "[X] ": Phrase("done")}


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the source that is spoken without a break."""

    kind: SegmentKind
    text: Traced
    prose: str = ""
    """The words that tell the language."""
    leads: tuple[Phrase, ...] = ()
    """What is said before the text, such as "First, "."""
    alone: Phrase | None = None
    """What is said instead if there is no prose anywhere."""
    pause_ms: int = 0


@dataclass(slots=True)
class _List:
    ordered: bool
    items: int = 0


@dataclass(slots=True)
class BlockReader:
    """Walks the tokens of a text."""

    source: Traced
    """What was parsed."""
    omitted: list[Omitted]
    blocks: list[Block] = field(default_factory=list)
    _line_starts: list[int] = field(default_factory=list)
    _lists: list[_List] = field(default_factory=list)
    _containers: list[SegmentKind] = field(default_factory=list)
    _leads: tuple[Phrase, ...] = ()
    _heading: bool = False
    _table: "Token | None" = None
    _rows: int = 0
    _columns: int = 0

    def read(self, tokens: "list[Token]") -> list[Block]:
        """The blocks of the tokens."""
        text = self.source.text
        self._line_starts = [0]
        while (end := text.find("\n", self._line_starts[-1])) >= 0:
            self._line_starts.append(end + 1)
        self._line_starts.append(len(text) + 1)
        for token in tokens:
            reader = self._readers.get(token.type)
            if reader is not None:
                reader(self, token)
        return self.blocks

    def _lines(self, token: "Token") -> tuple[int, int]:
        """Where the lines of a token begin and end in what was parsed."""
        first, last = token.map or [0, 0]
        starts = self._line_starts
        start = starts[min(first, len(starts) - 1)]
        return start, max(start, starts[min(last, len(starts) - 1)] - 1)

    def _content(self, token: "Token") -> Traced:
        """An inline token's content, found again line by line behind its indents and marks."""
        first = (token.map or [0])[0]
        starts = self._line_starts
        if "\n" in token.content:
            furthest = starts[first + 1] + len(token.content)
            whole = self.source.text.find(token.content, starts[first], furthest)
            if whole >= 0:
                return self.source.cut(whole, whole + len(token.content))
        parts: list[Traced] = []
        for number, line in enumerate(token.content.split("\n")):
            if number:
                parts.append(self.source.cut(starts[first + number] - 1, starts[first + number]))
            start, end = starts[first + number], starts[first + number + 1] - 1
            written = self.source.text[start:end]
            found = written.rfind(line) if line else -1
            if found < 0:
                # Part of a tab was an indent and the rest became spaces.
                bare = line.lstrip()
                found = written.rfind(bare) if bare else -1
                parts.append(Traced(line[: len(line) - len(bare)] if found >= 0 else line))
                if found >= 0:
                    parts.append(self.source.cut(start + found, start + found + len(bare)))
            else:
                parts.append(self.source.cut(start + found, start + found + len(line)))
        return Traced.joined(parts)

    def _kind(self) -> SegmentKind:
        if self._heading:
            return SegmentKind.HEADING
        return self._containers[-1] if self._containers else SegmentKind.PARAGRAPH

    def _add(self, block: Block) -> None:
        self.blocks.append(replace(block, leads=self._leads) if self._leads else block)
        self._leads = ()

    def _announce(self, token: "Token", kind: OmittedKind, size: int, *counts: int) -> None:
        start, end = self._lines(token)
        span = self.source.written(start, end) or Span(0, 0)
        self.omitted.append(Omitted(kind, span, size))
        phrase = Phrase(kind.value, counts=counts)
        text = Traced.replacing(phrase, span)
        alone = Phrase(f"only_{kind.value}", counts=counts)
        self._add(Block(SegmentKind.NOTICE, text, alone=alone))

    def _inline(self, token: "Token") -> None:
        if self._table is not None:
            return
        reader = InlineReader(self._content(token), self.omitted)
        text = reader.read(token.children or [])
        if self._leads and (box := _TASK_BOXES.get(text.text[:4])):
            self._leads = (*self._leads, box)
            text = text.cut(4, len(text.text))
        self._add(Block(self._kind(), text, "".join(reader.prose)))

    def _open_heading(self, token: "Token") -> None:
        self._heading = True

    def _close_heading(self, token: "Token") -> None:
        self._heading = False

    def _open_list(self, token: "Token") -> None:
        self._lists.append(_List(token.type == "ordered_list_open"))

    def _close_list(self, token: "Token") -> None:
        self._lists.pop()

    def _open_item(self, token: "Token") -> None:
        self._containers.append(SegmentKind.ITEM)
        items = self._lists[-1]
        items.items += 1
        if items.ordered:
            self._leads = (Phrase("number", counts=(int(token.info or 0),)),)
        elif items.items <= ORDINALS:
            self._leads = (Phrase("ordinal", counts=(items.items,)),)
        else:
            self._leads = (Phrase("next"),)

    def _close_item(self, token: "Token") -> None:
        self._containers.pop()
        self._leads = ()

    def _open_quote(self, token: "Token") -> None:
        self._containers.append(SegmentKind.QUOTE)

    def _close_quote(self, token: "Token") -> None:
        self._containers.pop()

    def _rule(self, token: "Token") -> None:
        if self.blocks:
            self.blocks[-1] = replace(self.blocks[-1], pause_ms=RULE_PAUSE_MS)

    def _code(self, token: "Token") -> None:
        if token.info.split(" ")[0] in ("math", "latex", "tex"):
            self._formula(token)
            return
        lines = len(token.content.splitlines())
        self._announce(token, OmittedKind.CODE, lines, lines)

    def _formula(self, token: "Token") -> None:
        self._announce(token, OmittedKind.FORMULA, len(token.content))

    def _html(self, token: "Token") -> None:
        start, end = self._lines(token)
        for text in texts_between(self.source.cut(start, end), self.omitted):
            self._add(Block(self._kind(), text, text.text))

    def _open_table(self, token: "Token") -> None:
        self._table, self._rows, self._columns = token, -1, 0

    def _open_row(self, token: "Token") -> None:
        self._rows += 1

    def _open_column(self, token: "Token") -> None:
        self._columns += 1

    def _close_table(self, token: "Token") -> None:
        if self._table is not None:
            rows = max(0, self._rows)
            self._announce(self._table, OmittedKind.TABLE, rows, rows, self._columns)
        self._table = None

    _readers: ClassVar[dict[str, "Callable[[BlockReader, Token], None]"]] = {
        "inline": _inline,
        "heading_open": _open_heading,
        "heading_close": _close_heading,
        "bullet_list_open": _open_list,
        "ordered_list_open": _open_list,
        "bullet_list_close": _close_list,
        "ordered_list_close": _close_list,
        "list_item_open": _open_item,
        "list_item_close": _close_item,
        "blockquote_open": _open_quote,
        "blockquote_close": _close_quote,
        "hr": _rule,
        "fence": _code,
        "code_block": _code,
        "math_block": _formula,
        "html_block": _html,
        "table_open": _open_table,
        "tr_open": _open_row,
        "th_open": _open_column,
        "table_close": _close_table,
    }
