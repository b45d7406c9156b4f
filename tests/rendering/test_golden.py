"""Whole replies, and what is said of them. To accept a change, run with VIVAVOCE_ACCEPT=1."""

import os
from pathlib import Path

import pytest

from vivavoce.rendering import render

REPLIES = sorted((Path(__file__).parents[1] / "golden" / "rendering").glob("*.md"))


def transcript(markdown: str) -> str:
    """One line a segment, then one line for each thing that was left out."""
    rendering = render(markdown)
    lines = [
        f"{s.kind} {s.language}{f' +{s.pause_ms}ms' if s.pause_ms else ''}: {s.text}"
        for s in rendering.segments
    ]
    lines += [
        f"not read: {o.kind} {o.size} {markdown[o.span.start : o.span.end][:40]!r}"
        for o in rendering.omitted
    ]
    return "\n".join(lines) + "\n"


def test_there_are_replies():
    assert REPLIES


@pytest.mark.parametrize("reply", REPLIES, ids=lambda path: path.stem)
def test_a_reply_is_spoken_as_it_was_agreed(reply):
    said = transcript(reply.read_text(encoding="utf-8"))
    agreed = reply.with_suffix(".txt")
    if os.environ.get("VIVAVOCE_ACCEPT"):
        agreed.write_text(said, encoding="utf-8")
    assert said == agreed.read_text(encoding="utf-8")
