"""From inline tokens to spoken text: markup dropped, each character's place in the source kept."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from vivavoce.rendering.html import IN_LINE, closed_elements, is_markup
from vivavoce.rendering.parser import END
from vivavoce.rendering.traced import Phrase, Traced
from vivavoce.vocabulary.speech import Omitted, OmittedKind, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]{1,80}(?:\(\))?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_SPACES = " \t"


def host_of(address: str) -> str:
    """The host that an address names, as it is spoken; empty if it names none."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    plain = _HOST.match(host)
    return plain[0].removeprefix("www.") if plain else ""


def link_phrase(address: str) -> Phrase:
    """What is said for an address that has no text of its own."""
    host = host_of(address)
    return Phrase("link_to", host) if host else Phrase("link")


@dataclass(slots=True)
class InlineReader:
    """Reads the tokens of one block's content, with a pointer into that content."""

    content: Traced
    """What the tokens were parsed from."""
    omitted: list[Omitted]
    prose: list[str] = field(default_factory=list)
    """The words that are neither code nor an address: they tell the language."""
    _position: int = 0
    _closed: frozenset[str] | None = None
    _parts: list[Traced] = field(default_factory=list)
    _links: list[tuple[str, bool, int, int]] = field(default_factory=list)
    """Open links: address, whether an autolink, where it starts, how many parts came before."""

    def read(self, tokens: "list[Token]") -> Traced:
        """The spoken text of the tokens."""
        for token in tokens:
            reader = self._readers.get(token.type)
            if reader is not None:
                reader(self, token)
            else:
                self._position += len(token.markup)
        return Traced.joined(self._parts)

    def _append(self, start: int, end: int) -> None:
        self._parts.append(self.content.cut(start, end))

    def _replace(self, start: int, end: int, replacement: str | Phrase) -> None:
        self._parts.append(Traced.replacing(replacement, self.content.written(start, end)))

    def _omit(self, kind: OmittedKind, start: int, end: int) -> None:
        span = self.content.written(start, end) or Span(0, 0)
        self.omitted.append(Omitted(kind, span, end - start))

    def _text(self, token: "Token") -> None:
        text = token.content
        if not text:
            return
        start = self._position
        if not self.content.text.startswith(text, start):
            start = self.content.text.find(text, start)
            if start < 0:
                self._parts.append(Traced(text))
                return
        self._position = start + len(text)
        if self._links and self._links[-1][1]:
            return
        self.prose.append(text)
        self._append(start, self._position)

    def _special(self, token: "Token") -> None:
        """An escape or an entity: shorter or longer in the source than in the text."""
        start, self._position = self._position, self._position + len(token.markup)
        self._replace(start, self._position, token.content)

    def _break(self, token: "Token") -> None:
        text = self.content.text
        end = text.find("\n", self._position)
        if end < 0:
            return
        start, end = self._position, end + 1
        while end < len(text) and text[end] in _SPACES:
            end += 1
        self._position = end
        # Chinese lines are wrapped without a space between their characters.
        wrapped = start > 0 and end < len(text) and _CJK.match(text[start - 1])
        if not (wrapped and _CJK.match(text[end])):
            self._replace(start, end, " ")
            self.prose.append(" ")

    def _code(self, token: "Token") -> None:
        start = self._position + len(token.markup)
        end = self._position = token.meta[END]
        inner = self.content.text[start : end - len(token.markup)]
        if inner[:1] in " \n" and inner[-1:] in " \n" and inner.strip():
            start, inner = start + 1, inner[1:-1]
        code = self.content.cut(start, start + len(inner))
        self.prose.append(" ")
        if "\n" in inner:
            code = code.substituted(re.compile("\n"), lambda _: " ")
        if _IDENTIFIER.fullmatch(inner):
            code = code.edited(
                [(hump.start(), hump.start(), " ") for hump in _HUMP.finditer(inner)]
            )
        self._parts.append(code)

    def _open_link(self, token: "Token") -> None:
        auto = token.markup == "autolink"
        address = str(token.attrs.get("href", ""))
        self._links.append((address, auto, self._position, len(self._parts)))
        self._position += 1

    def _close_link(self, token: "Token") -> None:
        end = self._position = token.meta.get(END, self._position)
        if not self._links:
            return
        address, auto, start, parts = self._links.pop()
        if auto and address.lower().startswith("mailto:"):
            self._append(start + 1, end - 1)
        elif auto or not any(part.text.strip() for part in self._parts[parts:]):
            self._omit(OmittedKind.URL, start, end)
            self._replace(start, end, link_phrase(address))

    def _image(self, token: "Token") -> None:
        start = self.content.text.find("![", self._position)
        start, end = max(start, self._position), token.meta.get(END, self._position)
        self._position = end
        alternative = "".join(
            " " if child.type.endswith("break") else child.content
            for child in _leaves(token.children or [])
        ).strip()
        if alternative:
            self.prose.append(alternative)
            self._replace(start, end, alternative)
        else:
            self._omit(OmittedKind.IMAGE, start, end)
            self._replace(start, end, Phrase("image"))

    def _html(self, token: "Token") -> None:
        start, self._position = self._position, self._position + len(token.content)
        if self._closed is None:
            self._closed = closed_elements(self.content.text)
        name = is_markup(token.content, self._closed)
        if name:
            self._omit(OmittedKind.HTML, start, self._position)
            if name not in IN_LINE:
                self._replace(start, self._position, " ")
        else:
            # A placeholder such as <name>, or the parameter of a type: a word, not a tag.
            self._parts.append(Traced(" "))
            self._append(start + 1, self._position - 1)
            self._parts.append(Traced(" "))

    def _footnote(self, token: "Token") -> None:
        end = self.content.text.find("]", self._position) + 1
        self._omit(OmittedKind.FOOTNOTE, self._position, end)
        self._position = end

    def _formula(self, token: "Token") -> None:
        start, self._position = self._position, token.meta[END]
        self._omit(OmittedKind.FORMULA, start, self._position)
        self._replace(start, self._position, Phrase("formula"))

    _readers: ClassVar[dict[str, "Callable[[InlineReader, Token], None]"]] = {
        "text": _text,
        "text_special": _special,
        "softbreak": _break,
        "hardbreak": _break,
        "code_inline": _code,
        "link_open": _open_link,
        "link_close": _close_link,
        "image": _image,
        "html_inline": _html,
        "footnote_ref": _footnote,
        "formula": _formula,
    }


def _leaves(tokens: "list[Token]") -> "list[Token]":
    leaves: list[Token] = []
    for token in tokens:
        leaves.extend(_leaves(token.children) if token.children else [token])
    return leaves
