from hypothesis import given
from hypothesis import strategies as st

from vivavoce.rendering import open_with_clause, render, source_offset

LONG = (
    "When the worker starts again, it reads the whole queue from the disk and then waits until "
    "somebody asks for the next piece of work, which may take a while on a slow machine."
)


def opened(text: str) -> list[str]:
    return [s.text for s in open_with_clause(render(text).segments)]


def test_a_long_first_sentence_is_cut_at_its_first_clause():
    opening, rest = opened(LONG)
    assert opening == "When the worker starts again,"
    assert f"{opening} {rest}" == LONG


def test_a_short_first_sentence_stays_whole():
    assert opened("It works, as it should. Next.") == ["It works, as it should.", "Next."]


def test_only_the_first_sentence_is_cut():
    assert len(opened(f"Fine. {LONG}")) == 2


def test_a_comma_after_one_word_opens_nothing():
    text = "Well, " + LONG[0].lower() + LONG[1:].replace("again,", "again")
    assert len(opened(text)[0].split()) >= 4


def test_a_thousands_comma_is_not_a_clause():
    text = "There are exactly 1,000,000 rows in this big table of ours, and each of them is good."
    assert opened(text)[0] == "There are exactly 1,000,000 rows in this big table of ours,"


def test_a_sentence_without_any_clause_stays_whole():
    assert len(opened("word " * 40)) == 1


def test_a_chinese_sentence_is_cut_at_a_chinese_mark():
    text = (
        "巡检结束以后系统一共发现了三处需要处理的问题，" * 2
        + "建议先修复锁再补充日志最后调整超时。"
    )
    assert opened(text)[0] == "巡检结束以后系统一共发现了三处需要处理的问题，"


def test_both_halves_know_their_place_in_the_source():
    source = "**When the `worker` starts** again, " + LONG[30:]
    opening, rest = open_with_clause(render(source).segments)
    assert source[source_offset(rest, 0) :].startswith("it reads")
    assert source[: source_offset(opening, len(opening.text))].endswith("again,")


def test_nothing_to_say_is_nothing_to_open():
    assert open_with_clause(()) == ()


def test_an_offset_inside_a_replaced_stretch_is_where_that_begins():
    source = "See https://example.org/a/b for it."
    (segment,) = render(source).segments
    assert segment.text == "See link to example.org for it."
    assert source_offset(segment, 0) == 0
    assert source_offset(segment, segment.text.index("example")) == source.index("https")
    assert source_offset(segment, segment.text.index("for")) == source.index("for")
    assert source_offset(segment, 10_000) == len(source)


def test_words_of_ours_point_at_what_they_introduce():
    source = "- alpha\n- beta"
    second = render(source).segments[1]
    assert second.text == "Second, beta"
    assert source_offset(second, 0) == source.index("beta")


@given(st.text(alphabet="abc ,;:—，。. \n", max_size=300))
def test_cutting_loses_no_word(text):
    segments = render(text).segments
    before = " ".join(s.text for s in segments).split()
    assert "".join("".join(s.text for s in open_with_clause(segments)).split()) == "".join(before)
