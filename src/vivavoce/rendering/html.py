"""HTML inside Markdown: which angle brackets are tags, and the text between the tags of a block."""

import re
from html import unescape
from typing import Final

from vivavoce.rendering.traced import Traced
from vivavoce.rendering.wordlists import words
from vivavoce.vocabulary.speech import Omitted, OmittedKind, Span

IN_LINE: Final = words(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark",
    "meter nobr output q rp rt ruby s samp small span strike strong sub sup time tt u",
    "var wbr comment",
)
"""Elements that stand inside a line: no pause, and no space, where their tags were."""

_ELEMENTS: Final = IN_LINE | words(
    "address area article aside audio base blockquote body br button canvas caption",
    "center col colgroup datalist dd details dialog dir div dl dt embed fieldset",
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header",
    "hgroup hr html iframe img input legend li link main map math menu meta nav",
    "noscript object ol optgroup option p param picture pre progress script search",
    "section select slot source style summary svg table tbody td template textarea",
    "tfoot th thead title tr track ul video",
)

_NAME = re.compile(r"</?([A-Za-z][\w.:-]*)")
_CLOSING = re.compile(r"</([A-Za-z][\w.:-]{0,80})")
_TAG = re.compile(
    r"<!--(?:-?>|(?:(?!-->)[\s\S])*(?:-->|\Z))"
    r"|<(?P<raw>script|style)\b[^<>]*>(?:(?!</(?P=raw))[\s\S])*(?:</(?P=raw)[^<>]*>|\Z)"
    r"|<[!?][^>]*(?:>|\Z)"
    r"|</?[A-Za-z][^<>]*(?:>|\Z)",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def closed_elements(text: str) -> frozenset[str]:
    """The names, in lower case, of the closing tags in a text."""
    return frozenset(name.lower() for name in _CLOSING.findall(text))


def is_markup(tag: str, closed: frozenset[str]) -> str:
    """The element's name if a tag is one of HTML, or of those closed nearby; else nothing."""
    match = _NAME.match(tag)
    if match is None:
        return "comment"
    name = match[1].lower()
    known = name in _ELEMENTS or " " in tag or tag[1] == "/" or tag.endswith("/>")
    if known or "-" in name or name in closed:
        return name
    return ""


def texts_between(block: Traced, omitted: list[Omitted]) -> list[Traced]:
    """The texts between the tags of a block of HTML, one for each element that is a block."""
    texts: list[Traced] = []
    parts: list[Traced] = []
    done = 0
    for tag in _TAG.finditer(block.text):
        span = block.written(tag.start(), tag.end()) or Span(0, 0)
        omitted.append(Omitted(OmittedKind.HTML, span, len(tag[0])))
        parts.append(block.cut(done, tag.start()))
        done = tag.end()
        name = _NAME.match(tag[0])
        if name and name[1].lower() not in IN_LINE:
            texts.append(Traced.joined(parts))
            parts = []
    texts.append(Traced.joined([*parts, block.cut(done, len(block.text))]))
    unescaped = (text.substituted(_ENTITY, lambda match: unescape(match[0])) for text in texts)
    return [text for text in unescaped if text.text.strip()]
