"""The source before it is parsed: line ends made one, and what is never part of a reply cut out.

Reasoning and tool-call blocks are cut here, not in the parser, since they may hold any Markdown,
and may begin in one block and end in another. A tag that is quoted in code is content and stays.
"""

import re
from collections.abc import Iterator
from re import Match
from typing import Final

from vivavoce.rendering.traced import SLOT, Traced
from vivavoce.rendering.wordlists import words
from vivavoce.vocabulary.speech import Omitted, OmittedKind, Span

_REASONING_TAGS: Final = words(
    "think thinking thought reasoning antthinking ant_thinking reflection scratchpad",
)
_TOOL_TAGS: Final = words(
    "tool_call tool_calls tool_use tool_result tool_response tool_output",
    "function_call function_calls function_result function_results invoke",
)

_UNREADABLE = re.compile(
    rf"\r\n?|[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\u200b\u2060-\u2064\u202a-\u202e"
    rf"\u2066-\u2069\ufff9-\ufffb{SLOT}]"
)
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?:#[^\n]*\n)*[A-Za-z_][\w.-]*[ \t]*:(?:[ \t][^\n]*)?\n"
    r"(?:(?!(?:---|\.\.\.)[ \t]*(?:\n|\Z))[^\n]*\n)*(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
_TAG = re.compile(
    r"<(?P<close>/?)(?:\w+:)?(?P<name>"
    + "|".join(sorted(_REASONING_TAGS | _TOOL_TAGS, key=len, reverse=True))
    + r")(?:\s[^<>]{0,300})?>",
    re.IGNORECASE,
)
_LANDMARK = re.compile(
    rf"(?m:^[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)*(?P<fence>`{{3,}}|~{{3,}})(?P<info>[^\n]*)$)"
    rf"|(?P<ticks>`+)|(?P<tag>{_TAG.pattern})",
    re.IGNORECASE,
)
_OPENING_PLACE = re.compile(r"(?:\A|\n|[.!?…:。！？：][\"'”’)]?)[ \t>]*\Z")


def _kind(name: str) -> OmittedKind:
    return OmittedKind.REASONING if name.lower() in _REASONING_TAGS else OmittedKind.TOOL_CALL


def _end_of_fence(text: str, match: Match[str]) -> int:
    fence = match["fence"]
    closing = re.compile(rf"(?m:^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$)")
    end = closing.search(text, match.end())
    return end.end() if end else len(text)


class _CodeSpans:
    """Finds where a run of backticks is closed, in one pass over all runs of its length."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: dict[int, list[int]] = {}
        for match in re.finditer("`+", text):
            self._runs.setdefault(len(match[0]), []).append(match.start())
        for starts in self._runs.values():
            starts.reverse()

    def end(self, match: Match[str]) -> int:
        """Where the code span that begins at a run ends, or the end of the run."""
        length = len(match["ticks"])
        starts = self._runs[length]
        while starts and starts[-1] < match.end():
            starts.pop()
        if not starts or re.search(r"\n[ \t>]*\n", self._text[match.end() : starts[-1]]):
            return match.end()
        return starts[-1] + length


def _tags_outside_code(text: str, start: int = 0) -> Iterator[Match[str]]:
    spans = _CodeSpans(text)
    position = start
    while match := _LANDMARK.search(text, position):
        if match["fence"] and not ("`" in match["fence"] and "`" in match["info"]):
            position = _end_of_fence(text, match)
        elif match["tag"]:
            yield match
            position = match.end()
        elif match["ticks"]:
            position = spans.end(match)
        else:
            position = match.start("info")


def _end_of_block(text: str, opening: Match[str]) -> int | None:
    """Where the block of an opening tag ends; None if its tag is never closed."""
    depth = 1
    for tag in _TAG.finditer(text, opening.end()):
        if tag["name"].lower() != opening["name"].lower():
            continue
        depth += -1 if tag["close"] else 1
        if depth == 0:
            return tag.end()
    return None


def _hidden_blocks(text: str) -> Iterator[tuple[int, int, OmittedKind]]:
    """The reasoning and tool-call blocks of a text."""
    done = 0
    unclosed: set[str] = set()
    for tag in _tags_outside_code(text):
        if tag.start() < done:
            continue
        name = tag["name"].lower()
        if tag["close"]:
            # Some models' templates open the block in the prompt: the reply begins inside it.
            if not done and _stands_alone(text, tag):
                yield 0, tag.end(), _kind(name)
                done = tag.end()
            continue
        end = None if name in unclosed else _end_of_block(text, tag)
        if end is None:
            unclosed.add(name)
            if not _OPENING_PLACE.search(text[max(0, tag.start() - 80) : tag.start()]):
                continue
            end = len(text)
        yield tag.start(), end, _kind(name)
        done = end


def _stands_alone(text: str, tag: Match[str]) -> bool:
    before = text.rfind("\n", 0, tag.start()) + 1
    after = text.find("\n", tag.end())
    return (
        not text[before : tag.start()].strip()
        and not text[tag.end() : len(text) if after < 0 else after].strip()
    )


def _omit(text: Traced, start: int, end: int, kind: OmittedKind, omitted: list[Omitted]) -> None:
    omitted.append(Omitted(kind, text.written(start, end) or Span(0, 0), end - start))


def prepared(source: str, omitted: list[Omitted]) -> Traced:
    """The part of a source that is the reply; adds what was cut out to `omitted`."""
    text = Traced.source(source)
    if _UNREADABLE.search(source):
        text = text.substituted(_UNREADABLE, lambda match: "\n" if match[0][0] == "\r" else "")
    if front := _FRONT_MATTER.match(text.text):
        _omit(text, 0, front.end(), OmittedKind.FRONT_MATTER, omitted)
        text = text.cut(front.end(), len(text.text))
    if _TAG.search(text.text):
        blocks = list(_hidden_blocks(text.text))
        for start, end, kind in blocks:
            _omit(text, start, end, kind, omitted)
        text = text.edited([(start, end, "\n\n") for start, end, _ in blocks])
    return text
