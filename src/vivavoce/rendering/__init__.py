"""Agent text -> what is spoken: pure functions, Markdown in, segments out.

    source     what is part of the reply at all (no reasoning, no tool calls, no front matter)
    redaction  what is never said, on the raw text and again on the final one
    parser     CommonMark
    blocks     the parser's tokens -> blocks with what is only announced
    inline     a block's tokens -> text without markup
    shortening addresses, paths, ids, emoji
    languages  which language a block and a sentence is in
    sentences  where a sentence ends
    narrate    the profile: all of these in this order

Each step hands on a `Traced`: a text that remembers where each stretch of it was written.
"""

from vivavoce.rendering.clauses import open_with_clause, source_offset
from vivavoce.rendering.narrate import narrated
from vivavoce.rendering.redaction import redact
from vivavoce.vocabulary.speech import Rendering

__all__ = ["open_with_clause", "redact", "render", "source_offset"]


def render(text: str, *, language: str = "") -> Rendering:
    """What is spoken of a Markdown text, and what is left out.

    `language` is a BCP 47 primary tag that the caller is sure of; empty means that each segment's
    own text tells. Never raises, whatever the text.
    """
    return narrated(text, language)
