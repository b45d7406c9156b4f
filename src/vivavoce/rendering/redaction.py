"""What is never read out: finds secrets, and puts a phrase of ours in their place.

Over-redaction is a fault too: names of credentials, hashes, ids and ordinary sentences about tokens
stay. What a secret looks like stands in the catalogue; this module decides the doubtful ones.
"""

import re
from collections.abc import Iterator
from re import Match
from typing import Final

from vivavoce.rendering.phrases import words_of
from vivavoce.rendering.secret_shapes import (
    ADDRESSES,
    ASSIGNMENTS,
    HEADERS,
    PROSE,
    TOKENS,
    Shape,
)
from vivavoce.rendering.traced import SLOT, Phrase, Traced
from vivavoce.vocabulary.speech import Omitted, OmittedKind, Span

SECRET: Final = Phrase("secret")

_TRAILING = ".,;:!?)]}'\"*_`，。；：！？）”"
_HARMLESS = re.compile(
    r"""true|false|none|null|nil|undefined|empty|unset|required|optional|missing|invalid|expired
    |\*+|x{3,}|\.{3,}|…+|changeme|redacted|\[?redacted\]?
    |\$\{?[A-Z_][A-Z0-9_]*\}?          # a variable that holds the value
    |\$\{\{.*|%[A-Z_]+%
    |(?:process\.env|os\.environ|env|config|settings|self|args|secrets|vault)[.\[(].*
    |\w+\(.*                           # a call
    |\d+(?:-\w+)?                      # a count, as in max_tokens=4096
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COUNTED_NAME = re.compile(
    r"tokens?(?:_\w+)?$|_(?:count|limit|length|size|ttl|type|url|uri|name|id"
    r"|path|file|field|header|policy|expiry|expires?(?:_in)?)$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w.-]*\Z")
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_IDENTIFIER_NAME = re.compile(r"[_\d]|[a-z][A-Z]|^[A-Z]{4,}$")
_MEASURE = re.compile(r"\d+-(?:char|digit|letter|word|bit|zeichen)", re.IGNORECASE)


def _is_secret_assignment(match: Match[str], value: str) -> bool:
    """Whether the value behind a name such as `API_KEY` is one, and not a word about it."""
    name = _whole_name(match)
    sign = match.groupdict().get("sign") or "="
    numeric_password = value.isdigit() and re.search("pass|pwd|pin", name, re.IGNORECASE)
    if _HARMLESS.fullmatch(value) and not numeric_password:
        return False
    if _COUNTED_NAME.search(name) and not _looks_random(value) and name.lower() != "token":
        return "TOKEN" in name and sign == "=" and not _PLAIN_WORD.fullmatch(value)
    if sign in ("=", ":=") and _IDENTIFIER_NAME.search(name):
        return True
    return _looks_random(value)


def _whole_name(match: Match[str]) -> str:
    """The name of an assignment, with what stands before its telling part."""
    start = match.start("name")
    before = _NAME_BEFORE.search(match.string, max(0, start - 60), start)
    return (before[0] if before else "") + match["name"]


def _looks_random(value: str) -> bool:
    """Whether a value has the mixture of characters that a word has not."""
    if _PLAIN_WORD.fullmatch(value) or _MEASURE.match(value):
        return False
    kinds = (str.isdigit, str.isupper, str.islower)
    mixture = sum(any(kind(letter) for letter in value) for kind in kinds)
    mixture += any(not letter.isalnum() for letter in value)
    has_digit = any(letter.isdigit() for letter in value)
    return mixture >= 2 and (has_digit or (len(value) >= 6 and mixture >= 3))


def _secret_span(shape: Shape, match: Match[str]) -> tuple[int, int] | None:
    """Where the secret of a match lies, without the punctuation that ends it."""
    groups = match.groupdict()
    group = next((name for name in ("secret", "secret2") if groups.get(name)), None)
    start, end = match.span(group) if group else match.span()
    if shape.drop:
        return start, end
    if shape not in TOKENS:
        while end > start and match.string[end - 1] in _TRAILING:
            end -= 1
    value = match.string[start:end]
    if not value or SLOT in value:
        return None
    if shape in ASSIGNMENTS and not _is_secret_assignment(match, value):
        return None
    if shape in PROSE and "name" in groups and not _looks_random(value):
        return None
    return start, end


_SHAPES: Final = (*TOKENS, *HEADERS, *ADDRESSES, *ASSIGNMENTS, *PROSE)


def _found(text: str) -> Iterator[tuple[int, int, bool]]:
    lowered = text.lower()
    for shape in _SHAPES:
        if not any(hint in lowered for hint in shape.hints):
            continue
        for match in shape.found_in(text):
            span = _secret_span(shape, match)
            if span is not None:
                yield *span, shape.drop


def secret_spans(text: str) -> list[tuple[int, int, bool]]:
    """Where secrets stand: (start, end, whether it is dropped silently), merged and in order."""
    merged: list[tuple[int, int, bool]] = []
    for start, end, drop in sorted(_found(text)):
        if merged and start < merged[-1][1]:
            last = merged[-1]
            merged[-1] = (last[0], max(last[1], end), last[2] and drop)
        else:
            merged.append((start, end, drop))
    return merged


def redacted(text: Traced, omitted: list[Omitted]) -> Traced:
    """The text with every secret replaced; adds what was left out to `omitted`."""
    spans = secret_spans(text.text)
    for start, end, _ in spans:
        span = text.written(start, end) or Span(0, 0)
        omitted.append(Omitted(OmittedKind.SECRET, span, end - start))
    return text.edited([(start, end, "" if drop else SECRET) for start, end, drop in spans])


def redacted_all(texts: list[Traced], omitted: list[Omitted]) -> list[Traced]:
    """Several texts, each without its secrets; one look suffices where there is none."""
    if not secret_spans("\n\n".join(text.text for text in texts)):
        return texts
    return [redacted(text, omitted) for text in texts]


def redact(text: str, *, language: str = "en") -> str:
    """Any text without its secrets, for every way out: speech, results, logs, events."""
    traced = redacted(Traced.source(text.replace(SLOT, "")), [])
    return traced.filled(lambda phrase: words_of(phrase, language)).text
