"""JSON as our protocols write it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import ProtocolError
from vivavoce.wire.notation import read, write

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
HALVES = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_is_written_is_read_again(message: dict[str, object]):
    line = write(message)
    assert read(line) == message
    assert b"\n" not in line
    assert line.isascii()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{}{}",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":1,"a":1}',
        b'{"x":{"a":1,"b":2,"a":3}}',
        b'{"\\u0061":1,"a":2}',
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',  # a surrogate, as if it had UTF-8
        b'{"a":"\n"}',
        b'{"a":"\\ud83d"}',
        b'{"\\uDE00\\uD83D":1}',
        b"\xef\xbb\xbf{}",
        '{"a":1}'.encode("utf-16"),
        '{"a":1}'.encode("utf-32-be"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' + b"1" * 5000 + b"}",
        b"{'a':1}",
        b"null garbage",
    ],
    ids=lambda body: ascii(body[:16]),
)
def test_what_readers_would_differ_on_is_refused(body: bytes):
    with pytest.raises(ProtocolError) as refused:
        read(body)
    assert refused.value.code == "bad-json"


def test_a_whole_surrogate_pair_is_a_character():
    assert read(rb'"\ud83d\uDE00"') == "😀"
    assert read(rb'"\\ud83d"') == "\\ud83d"  # a backslash and letters


@given(st.text(), HALVES)
def test_half_a_character_is_written_as_one_line_and_not_read(text: str, half: str):
    line = write({"a": f"{text}{half}b"})
    assert line.isascii()
    with pytest.raises(ProtocolError):
        read(line)


@given(st.binary(max_size=200))
def test_any_bytes_are_json_or_refused(body: bytes):
    try:
        read(body)
    except ProtocolError:
        with pytest.raises((ValueError, RecursionError)):  # noqa: PT012
            found = json.loads(body.decode(), parse_constant=int, object_pairs_hook=_unique)
            json.dumps(found, ensure_ascii=False).encode()


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)
