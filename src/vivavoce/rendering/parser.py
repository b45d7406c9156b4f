"""The CommonMark parser, set up for speech.

markdown-it tells the lines of a block but not where its inline tokens stand. Four rules are wrapped
here to note where their construct ends, which is all that `inline` needs to find every token again.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    _Rule = Callable[[StateInline, bool], bool]

END: Final = "end"
"""Key in a token's `meta`: where its construct ends in the content of its block."""

_DEEPEST_LINK: Final = 3
"""How many brackets deep a link is still looked for."""

_BRACKET = re.compile(r"\\.|``[^`]+``|`[^`\n]+`|[\[\]]", re.DOTALL)
_FORMULA = re.compile(
    r"\$\$(?P<double>[^$]{1,4000})\$\$"
    r"|\$(?![\s\d$])(?P<single>[^$\n]{1,400})(?<![\s\\])\$(?!\w)"
    r"|\\\((?P<round>[^\n]{1,400}?)\\\)"
    r"|\\\[(?P<square>[^\n]{1,2000}?)\\\]"
)
_MATHEMATICAL = re.compile(r"[\\^_={}+*/<>|]|\A\s*[A-Za-z]\s*\Z|\d")


def _noting_end(rule: "_Rule") -> "_Rule":
    def noting(state: "StateInline", silent: bool) -> bool:
        before = len(state.tokens)
        if not rule(state, silent):
            return False
        if len(state.tokens) > before:
            state.tokens[-1].meta[END] = state.pos
        return True

    return noting


def _openers(text: str) -> frozenset[int]:
    """Where a "[" stands that is closed and not nested deeply: only there can a link begin."""
    closed: set[int] = set()
    opened: list[int] = []
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            opened.append(match.start())
        elif match[0] == "]" and opened:
            closed.add(opened.pop())
    shallow: set[int] = set()
    depth = 0
    for match in _BRACKET.finditer(text):
        if match[0] == "[" and match.start() in closed:
            depth += 1
            if depth <= _DEEPEST_LINK:
                shallow.add(match.start())
        elif match[0] == "]" and depth:
            depth -= 1
    return frozenset(shallow)


def _bounded(rule: "_Rule") -> "_Rule":
    """A rule for links that does not search each of many brackets to the end of the text."""

    def bounded(state: "StateInline", silent: bool) -> bool:
        text, position = state.src, state.pos
        if text[position] == "!":
            position += 1
        if not text.startswith("[", position):
            return False
        known = state.env.setdefault("openers", {})
        if text not in known:
            known[text] = _openers(text)
        return position in known[text] and rule(state, silent)

    return bounded


def _formula(state: "StateInline", silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if match is None or not _MATHEMATICAL.search(match[match.lastgroup or 0]):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = match[0]
        token.meta = {END: match.end()}
    state.pos = match.end()
    return True


@cache
def _parser() -> "MarkdownIt":
    # Loaded on first use: the daemon and every client import this room, few of them at once render.
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import autolink, backtick, image, link
    from mdit_py_plugins.dollarmath.index import math_block_dollar
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 60})
    parser.enable(["table", "strikethrough"])
    # Escapes and entities stay tokens of their own, so that their length in the source is known.
    parser.disable("text_join")
    footnote_plugin(parser, inline=False, move_to_end=False, always_match_refs=True)
    parser.block.ruler.before("fence", "math_block", math_block_dollar(False, str, False))
    inline = parser.inline.ruler
    inline.at("link", _bounded(_noting_end(link)))
    inline.at("image", _bounded(_noting_end(image)))
    inline.at("autolink", _noting_end(autolink))
    inline.at("backticks", _noting_end(backtick))
    inline.before("escape", "formula", _formula)
    return parser


def parse(text: str) -> "list[Token]":
    """The tokens of a Markdown text."""
    return _parser().parse(text, {})
