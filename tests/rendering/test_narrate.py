"""The table of the profile `narrate`, row by row."""

import pytest

from vivavoce.rendering import render
from vivavoce.vocabulary.speech import OmittedKind, SegmentKind


def say(markdown: str, **options) -> str:
    return " ".join(s.text for s in render(markdown, **options).segments)


def left_out(markdown: str) -> list[tuple[OmittedKind, str, int]]:
    return [(o.kind, markdown[o.span.start : o.span.end], o.size) for o in render(markdown).omitted]


FIRST_TEN = "First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Next Next".split()


@pytest.mark.parametrize(
    ("markdown", "spoken"),
    [
        ("Do:\n\n```sh\na\nb\n```\n\nOk.", "Do: (Code block with 2 lines) Ok."),
        ("Do:\n\n    a\n\nOk.", "Do: (Code block with 1 line) Ok."),
        ("Do:\n\n```\na\n\nb", "Do: (Code block with 3 lines)"),
        ("Do:\n\n~~~\n```\n~~~\n\nOk.", "Do: (Code block with 1 line) Ok."),
        ("See:\n\n|a|b|\n|-|-|\n|1|2|", "See: (Table with 1 row, 2 columns)"),
        ("See:\n\na | b\n--|--\n1 | 2\n3 | 4", "See: (Table with 2 rows, 2 columns)"),
        ("# Title\n\nText.", "Title. Text."),
        ("# Really?\n\n## Yes…\n\n### 好！", "Really? Yes… 好！"),
        ("Title\n=====\n\nText.", "Title. Text."),
        ("# 结果\n\n好。", "结果。 好。"),
        ("- a\n- b", "First, a Second, b"),
        ("- a\n\n- b", "First, a Second, b"),
        ("- a\n  - b\n  - c\n- d", "First, a First, b Second, c Second, d"),
        ("5. a\n6. b", "Five, a Six, b"),
        ("1. a\n503. b", "One, a 503, b"),
        ("- [x] a\n- [ ] b", "First, done: a Second, to do: b"),
        ("- 第一步完成了", "第一，第一步完成了"),
        ("- Das ist ein Test und gut.", "Erstens, Das ist ein Test und gut."),
        ("[the guide](https://a.example/b) is", "the guide is"),
        ("[the guide][g] is\n\n[g]: https://a.example", "the guide is"),
        ("See [](https://a.example/b).", "See link to a.example."),
        ("See [![](i.png)](https://a.example/b).", "See image."),
        ("At https://www.a.example/b?c=1, ok.", "At link to a.example, ok."),
        ("(see https://a.example/b_(c)).", "(see link to a.example)."),
        ("看https://a.example/b，好。", "看a.example的链接，好。"),
        ("<https://a.example/b> and <me@a.example>", "link to a.example and me@a.example"),
        ("![a cat](c.png) sits", "a cat sits"),
        ("![](c.png) sits", "image sits"),
        ("> quoted *text*\n> goes on", "quoted text goes on"),
        ("**a** _b_ ~~c~~ `d`", "a b c d"),
        ("`get_user_id` and `getUserId()`", "get user id and get User Id()"),
        ("a*b, 6 * 7, a < b and c > d", "a*b, 6 * 7, a < b and c > d"),
        ("<b>bold</b> <!-- no --> text<br>here", "bold text here"),
        ("<details>\n<summary>More</summary>\n\nBody &amp; soul.\n</details>", "More Body & soul."),
        ("Use List<String> or <name>.", "Use List String or name ."),
        ("Note[^1] this[^2].\n\n[^1]: It is so.", "Note this. It is so."),
        ("A 👍🏽 b ✅, 3️⃣ c 👩‍🚀", "A b, 3 c"),
        ("In /home/me/src/auth_guard.ts:12 it is.", "In auth guard.ts line 12 it is."),
        ("In src/a/b/main.py it is.", "In main.py it is."),
        ("In docs/readme.md or red/green/blue.", "In docs/readme.md or red/green/blue."),
        ("C:\\Users\\me\\notes.txt is it.", "notes.txt is it."),
        ("Since commit 3f2a9c1 it works.", "Since commit it works."),
        ("It is 0f8fad5b-d9cb-469f-a165-70867728950e now.", "It is an id now."),
        ("So $E = mc^2$ holds for $5 and $10.", "So (formula) holds for $5 and $10."),
        ("So:\n\n$$\na = b\n$$\n\nOk.", "So: (formula) Ok."),
        ("So \\(a + b\\) holds \\(really\\).", "So (formula) holds (really)."),
        ("---\ntitle: a\nb: c\n---\n\nText.", "Text."),
        ("中文\n换行。", "中文换行。"),
        ("one\ntwo  \nthree\\\nfour", "one two three four"),
        ("AT&amp;T \\*not\\* &copy;", "AT&T *not* ©"),
    ],
)
def test_what_is_written_is_spoken(markdown, spoken):
    assert say(markdown) == spoken


def test_the_eleventh_item_and_later_ones_come_next():
    said = say("\n".join(f"- item {n}" for n in range(12)))
    assert said == " ".join(f"{word}, item {n}" for n, word in enumerate(FIRST_TEN))


@pytest.mark.parametrize(
    ("markdown", "spoken"),
    [
        ("```\na\nb\n```", "A code block with 2 lines."),
        ("|a|b|\n|-|-|\n|1|2|", "A table with 1 row and 2 columns."),
        ("```\na\n```\n\n|a|\n|-|", "A code block with 1 line. A table with 0 rows and 1 column."),
        ("$$a = b$$", "A formula."),
        ("👍", "An emoji."),
        ("<!-- nothing -->", "HTML without text."),
        ("---\na: b\n---\n", "Front matter without text."),
        ("…", "A message without words."),
    ],
)
def test_a_text_without_prose_announces_what_is_there(markdown, spoken):
    assert say(markdown) == spoken
    assert {s.kind for s in render(markdown).segments} == {SegmentKind.NOTICE}


@pytest.mark.parametrize(
    "markdown",
    [
        "",
        " \n\t\n",
        "<think>Let me see.</think>",
        "<thinking>\n# Plan\n\n```py\nx\n```\n</thinking>\n",
        "<think>never closed",
        "<tool_call>{}</tool_call>",
        "<think>a <think>b</think> c</think>",
    ],
)
def test_a_text_with_nothing_for_the_listener_makes_no_speech(markdown):
    assert render(markdown).segments == ()


@pytest.mark.parametrize(
    ("markdown", "spoken"),
    [
        ("<think>no</think>Yes.", "Yes."),
        ("No.\n</think>\n\nYes.", "Yes."),
        ("Yes. <think>no", "Yes."),
        ("```\n<think>\n```\nYes.", "(Code block with 1 line) Yes."),
        ("`<think>` hides, `</think>` ends.", "<think> hides, </think> ends."),
        ("Yes.\n<function_calls>\n<invoke name='a'>b</invoke>\n</function_calls>\nOk.", "Yes. Ok."),
    ],
)
def test_reasoning_and_tool_calls_are_never_spoken(markdown, spoken):
    assert say(markdown) == spoken


@pytest.mark.parametrize(
    ("markdown", "omitted"),
    [
        ("A\n\n```sh\nx\ny\n```\n", (OmittedKind.CODE, "```sh\nx\ny\n```", 2)),
        ("A\n\n|a|\n|-|\n|b|", (OmittedKind.TABLE, "|a|\n|-|\n|b|", 1)),
        ("A ![](b.png)", (OmittedKind.IMAGE, "![](b.png)", 10)),
        ("A $b^2$", (OmittedKind.FORMULA, "$b^2$", 5)),
        ("A <br> b", (OmittedKind.HTML, "<br>", 4)),
        ("<think>a</think>B", (OmittedKind.REASONING, "<think>a</think>", 16)),
        ("B <invoke>a</invoke>", (OmittedKind.TOOL_CALL, "<invoke>a</invoke>", 18)),
        ("---\na: b\n---\nC", (OmittedKind.FRONT_MATTER, "---\na: b\n---\n", 13)),
        ("A[^1].", (OmittedKind.FOOTNOTE, "[^1]", 4)),
        ("A 👍", (OmittedKind.EMOJI, "👍", 1)),
        ("A https://b.example/c", (OmittedKind.URL, "https://b.example/c", 19)),
        ("The password is Hunter2!x", (OmittedKind.SECRET, "Hunter2!x", 9)),
    ],
)
def test_what_is_left_out_is_reported_with_its_place(markdown, omitted):
    assert left_out(markdown) == [omitted]


def test_segments_know_what_they_were():
    kinds = [s.kind for s in render("# a\n\nb\n\n- c\n\n> d\n\n```\ne\n```").segments]
    assert kinds == [
        SegmentKind.HEADING,
        SegmentKind.PARAGRAPH,
        SegmentKind.ITEM,
        SegmentKind.QUOTE,
        SegmentKind.NOTICE,
    ]


def test_a_rule_is_a_pause_after_what_was_said():
    first, second = render("One.\n\n---\n\nTwo.").segments
    assert first.pause_ms > 0
    assert second.pause_ms == 0


@pytest.mark.parametrize(
    "markdown",
    [
        "Some **bold** and `code_here` text with [a link](https://a.example) in it.",
        "> - nested *item*\n>   goes on here\n> - [x] second `item`",
        "1. \ttabbed text\n2. more &amp; text \\* here",
        "a\r\nwindows **line**\r\nend",
        "<think>x</think>after ``co`de`` **b**\n\n| a |\n|---|\n\nlast [r] word\n\n[r]: /x",
    ],
)
def test_a_spoken_word_of_the_source_maps_to_itself(markdown):
    for segment in render(markdown).segments:
        assert segment.runs
        for run in segment.runs:
            spoken = segment.text[run.spoken.start : run.spoken.end]
            written = markdown[run.source.start : run.source.end]
            replaced = written in {"_", "\\*", "&amp;", "\n", "\r\n", "\n>   "} or "|" in written
            assert spoken == written or replaced
