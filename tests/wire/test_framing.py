"""Frames of the daemon's socket: whatever pieces they come in."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import ProtocolError
from vivavoce.wire.framing import MAX_FRAME, FrameReader, encode

MESSAGES = st.lists(
    st.dictionaries(
        st.text(max_size=5),
        st.none() | st.integers() | st.text(max_size=30) | st.lists(st.booleans()),
        max_size=3,
    ),
    max_size=4,
)


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


@given(MESSAGES, st.lists(st.integers(0, 500), max_size=8))
def test_any_pieces_of_the_same_bytes_give_the_same_messages(
    messages: list[dict[str, object]], cuts: list[int]
):
    data = b"".join(map(encode, messages))
    reader, found = FrameReader(), []
    for start, end in pairwise([0, *sorted(c for c in cuts if c < len(data)), len(data)]):
        found += reader.receive(data[start:end])
    assert found == messages


def test_byte_by_byte_is_as_good_as_at_once():
    reader = FrameReader()
    data = encode({"op": "say", "text": "世界"}) + encode({})
    found = [message for byte in data for message in reader.receive(bytes([byte]))]
    assert found == [{"op": "say", "text": "世界"}, {}]


def test_a_frame_is_four_bytes_of_length_and_json():
    assert encode({"a": 1}) == b'\x00\x00\x00\x07{"a":1}'


def test_half_of_a_frame_is_nothing_yet():
    reader = FrameReader()
    assert list(reader.receive(b"")) == []
    assert list(reader.receive(encode({"a": 1})[:-1])) == []
    assert list(reader.receive(b"}")) == [{"a": 1}]


def test_the_largest_frame_goes_through_and_a_larger_one_does_not():
    room = MAX_FRAME - len('{"t":""}')
    assert [len(m["t"]) for m in FrameReader().receive(encode({"t": "x" * room}))] == [room]
    with pytest.raises(ProtocolError) as refused:
        encode({"t": "x" * (room + 1)})
    assert refused.value.code == "too-large"


def test_a_length_that_is_too_large_is_refused_before_anything_of_it_is_kept():
    with pytest.raises(ProtocolError) as refused:
        list(FrameReader().receive(struct.pack(">I", MAX_FRAME + 1)))
    assert refused.value.code == "too-large"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "bad-json"),
        (b"{", "bad-json"),
        (b'{"a":NaN}', "bad-json"),
        (b'{"a":1,"a":2}', "bad-json"),
        (b"\xff", "bad-json"),
        (b'{"t":"half \\ud800"}', "bad-json"),
        (b"[" * 100_000, "bad-json"),
        (b'{"a":' * 100_000, "bad-json"),
        (b"[]", "bad-frame"),
        (b"null", "bad-frame"),
        (b'"say"', "bad-frame"),
    ],
    ids=lambda value: ascii(value[:12]),
)
def test_what_is_no_message_is_refused_after_those_before_it(body: bytes, code: str):
    arrived = FrameReader().receive(encode({"seq": 1}) + frame(body))
    assert next(arrived) == {"seq": 1}
    with pytest.raises(ProtocolError) as refused:
        next(arrived)
    assert refused.value.code == code


@given(st.binary(max_size=100))
def test_any_bytes_are_messages_or_refused(data: bytes):
    try:
        for message in FrameReader().receive(data):
            assert isinstance(message, dict)
    except ProtocolError as refused:
        assert refused.code in {"bad-json", "bad-frame", "too-large"}  # noqa: PT017
