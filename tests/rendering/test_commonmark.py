"""The parser's own text is the measure: no word of it is lost, none of its markup is left."""

import json
import re
from collections import Counter
from pathlib import Path

from markdown_it import MarkdownIt

from vivavoce.rendering import render

EXAMPLES = Path(__file__).parents[1] / "data" / "commonmark.jsonl"
NOT_PROSE = {"fence", "code_block", "html_block", "html_inline"}
WORD = re.compile(r"[^\W_]+")
BARE_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://[^\s<>\"`]*")
PARSER = MarkdownIt("commonmark", {"html": True})


def kinds(tokens):
    return {token.type for token in tokens} | {
        child.type for token in tokens for child in token.children or []
    }


def plain(tokens) -> str:
    """The text that a parser sees, without addresses, which are spoken as their host."""
    parts, inside_address = [], False
    for token in tokens:
        if token.type.startswith("link_"):
            inside_address = token.type == "link_open" and token.markup == "autolink"
        elif token.children is not None:
            parts.append(plain(token.children))
        elif token.type.endswith("break"):
            parts.append("\n")
        elif not inside_address:
            parts.append(token.content)
        if token.type == "inline":
            parts.append("\n")
    return BARE_ADDRESS.sub("", "".join(parts))


def examples():
    for line in EXAMPLES.read_text(encoding="utf-8").splitlines():
        markdown = json.loads(line)["markdown"]
        tokens = PARSER.parse(markdown)
        if not kinds(tokens) & NOT_PROSE:
            said = " ".join(s.text for s in render(markdown).segments)
            yield markdown, plain(tokens), said


def test_all_503_examples_without_code_and_html_are_looked_at():
    assert len(list(examples())) == 503


def test_no_word_of_the_examples_is_lost():
    losing = [
        (markdown, said)
        for markdown, text, said in examples()
        if Counter(WORD.findall(text)) - Counter(WORD.findall(said))
    ]
    assert losing == []


def test_no_markup_of_the_examples_is_left():
    leaving = [
        (markdown, said)
        for markdown, text, said in examples()
        if Counter(c for c in said if c in "*_`~[]#\\") - Counter(text)
    ]
    assert leaving == []
