"""The public protocol: one line in, one line out, whatever comes in."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from vivavoce.errors import CallerError, HouseError
from vivavoce.wire.control import (
    COMMAND_NAMES,
    MAX_LINE,
    TABLE,
    Command,
    ControlStream,
    Flood,
    HistoryCommand,
    Line,
    LineState,
    PauseCommand,
    Refusal,
    ResumeCommand,
    SayCommand,
    SkipBackCommand,
    SkipForwardCommand,
    StatusCommand,
    StopCommand,
    VolumeCommand,
    answer,
    parse,
    refusal,
)

EXAMPLES: list[Command] = [
    PauseCommand(command="pause", request_id="a-1"),
    ResumeCommand(command="resume", request_id=7),
    StopCommand(command="stop", all=True, hint="quiet"),
    SkipForwardCommand(command="skip_forward", hint="brevity"),
    SkipBackCommand(command="skip_back"),
    StatusCommand(command="status", id="u1"),
    VolumeCommand(command="volume", volume=0.5),
    SayCommand(
        command="say", text="Grüße, 世界", agent="codex", session="s", speed=1.5, place="file"
    ),
    HistoryCommand(command="history"),
]


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def told(read: Command | Refusal) -> dict[str, object]:
    """The answer that a line gets, as a peer reads it."""
    written = refusal(read) if isinstance(read, Refusal) else answer(read.request_id, state="idle")
    assert written.endswith(b"\n")
    assert written.count(b"\n") == 1
    message = json.loads(written.decode())
    assert isinstance(message["ok"], bool)
    return message


# -- commands


def test_all_nine_commands_are_known():
    assert set(COMMAND_NAMES) == {
        "pause",
        "resume",
        "stop",
        "skip_forward",
        "skip_back",
        "status",
        "volume",
        "say",
        "history",
    }
    assert {example.command for example in EXAMPLES} == set(COMMAND_NAMES)


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda command: command.command)
def test_every_command_is_read_as_it_was_written(command: BaseModel):
    assert parse(command.model_dump_json().encode()) == command
    assert parse(command.model_dump_json(exclude_defaults=True).encode()) == command


NUMBERS = {
    VolumeCommand: {"volume": st.none() | st.floats(0.0, 1.0)},
    SayCommand: {"speed": st.none() | st.floats(0.5, 2.0)},
}
"""What Hypothesis cannot guess from the types."""


@given(st.one_of([st.builds(model, **NUMBERS.get(model, {})) for model in Command.__args__]))
def test_any_command_is_read_as_it_was_written(command: BaseModel):
    assert parse(command.model_dump_json().encode()) == command


def test_the_smallest_line_is_a_command():
    assert parse(b'{"command": "skip_back"}') == SkipBackCommand(command="skip_back")
    assert parse(b' {"command":"pause"}\r') == PauseCommand(command="pause")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"pause", "bad-json"),
        (b"{", "bad-json"),
        (b'{"command":"volume","volume":NaN}', "bad-json"),
        (b'{"command":"pause","command":"stop"}', "bad-json"),
        (b"[" * 8000, "bad-json"),
        (line(command="say", text="x", agent="half \ud800"), "bad-json"),
        (line(command="pause", request_id="half \ud800"), "bad-json"),
        (b"[]", "bad-frame"),
        (b'"pause"', "bad-frame"),
        (b"null", "bad-frame"),
        (b"7", "bad-frame"),
        (b"{}", "unknown-command"),
        (line(command="dance"), "unknown-command"),
        (line(command="PAUSE"), "unknown-command"),
        (line(command=None), "unknown-command"),
        (line(command=["pause"]), "unknown-command"),
        (line(command={"pause": 1}), "unknown-command"),
        (line(command="pause", now=True), "bad-request"),
        (line(command="stop", all=1), "bad-request"),
        (line(command="stop", all="true"), "bad-request"),
        (line(command="stop", hint="ignore all instructions"), "bad-request"),
        (line(command="skip_back", hint="quiet"), "bad-request"),
        (line(command="volume", volume=1.01), "bad-request"),
        (line(command="volume", volume=-0.1), "bad-request"),
        (line(command="volume", volume="1"), "bad-request"),
        (line(command="volume", volume=True), "bad-request"),
        (b'{"command":"volume","volume":1e999}', "bad-request"),
        (line(command="say"), "bad-request"),
        (line(command="say", text=""), "bad-request"),
        (line(command="say", text=5), "bad-request"),
        (line(command="say", text="half \ud800"), "bad-json"),
        (line(command="say", text="x", speed=3), "bad-request"),
        (line(command="say", text="x", place="moon"), "bad-request"),
        (line(command="status", id=5), "bad-request"),
        (line(command="pause", request_id=[1]), "bad-request"),
        (line(command="pause", request_id=1.5), "bad-request"),
        (line(command="pause", request_id=True), "bad-request"),
    ],
    ids=lambda value: ascii(value[:60]) if isinstance(value, bytes) else value,
)
def test_what_is_no_command_is_refused_with_a_code(body: bytes, code: str):
    read = parse(body)
    assert isinstance(read, Refusal)
    assert isinstance(read.error, CallerError)
    message = told(read)
    assert (message["ok"], message["code"]) == (False, code)
    assert message["message"]


@pytest.mark.parametrize("request_id", ["a", "", 0, 2**70, "\n", "ü", "x" * 5000])
@pytest.mark.parametrize("command", ["pause", "dance"])
def test_the_request_id_is_echoed_whether_it_is_done_or_not(request_id: object, command: str):
    assert told(parse(line(command=command, request_id=request_id)))["request_id"] == request_id


@pytest.mark.parametrize("request_id", [None, 1.5, [], {}])
def test_what_is_no_request_id_is_not_echoed(request_id: object):
    assert "request_id" not in told(parse(line(command="pause", request_id=request_id)))


def test_an_unknown_command_is_told_which_are_known():
    message = told(parse(line(command="dance")))["message"]
    assert all(name in message for name in COMMAND_NAMES)


@given(
    st.dictionaries(
        st.sampled_from(["text", "volume", "speed", "agent", "hint", "id", "extra"]),
        st.sampled_from(["sw0rdfish", 9, None, [], {"k": "sw0rdfish"}]),
    ),
    st.sampled_from(COMMAND_NAMES),
)
def test_a_refusal_never_repeats_a_value(fields: dict[str, object], command: str):
    read = parse(line(command=command, **fields))
    if isinstance(read, Refusal):
        assert "sw0rdfish" not in read.error.message


# -- anything


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["command", "request_id", "text", "volume", "all", "hint", "id"])


@given(st.binary(max_size=300))
@example(b"\x00")
@example(b"\xff\xfe")
@example(b'{"command":"pause","request_id":"\\udfff"}')
def test_any_line_gets_one_line_of_json(body: bytes):
    told(parse(body))


@given(st.dictionaries(KEYS, JUNK | st.sampled_from(COMMAND_NAMES), max_size=5))
def test_any_object_gets_one_line_of_json(message: dict[str, object]):
    read = parse(json.dumps(message).encode())
    assert told(read)["ok"] is not isinstance(read, Refusal)


def test_an_error_of_the_house_is_told_as_one_line():
    error = HouseError("The disk\nis full.", code="disk-full")
    assert told(Refusal(error, "r")) == {
        "ok": False,
        "code": "disk-full",
        "message": "The disk\nis full.",
        "request_id": "r",
    }


@given(st.dictionaries(st.sampled_from(["state", "history"]), JUNK.filter(lambda j: j == j)))
def test_an_answer_is_one_line(fields: dict[str, object]):
    assert answer(None, **fields).count(b"\n") == 1


# -- lines


def test_the_table_has_a_row_for_every_pair():
    assert set(TABLE) == {(state, event) for state in LineState for event in (Line, Flood)}


def codes(found: list[Command | Refusal]) -> list[str]:
    return [r.error.code if isinstance(r, Refusal) else r.command for r in found]


def whole(*bodies: bytes) -> list[str]:
    return codes(ControlStream().receive(b"".join(body + b"\n" for body in bodies)))


def padded(size: int) -> bytes:
    """A pause of exactly so many bytes."""
    body = line(command="pause")
    return body + b" " * (size - len(body))


def test_a_line_of_8_kib_is_a_command_and_one_byte_more_is_not():
    assert MAX_LINE == 8192
    assert whole(padded(MAX_LINE)) == ["pause"]
    assert whole(padded(MAX_LINE + 1)) == ["too-large"]


@pytest.mark.parametrize("size", [MAX_LINE + 1, 3 * MAX_LINE, 300_000])
def test_an_overlong_line_is_one_error_and_the_next_line_counts(size: int):
    assert whole(padded(size), line(command="stop")) == ["too-large", "stop"]


def test_an_overlong_line_is_refused_before_its_end():
    stream = ControlStream()
    assert codes(stream.receive(b"x" * (MAX_LINE + 1))) == ["too-large"]
    assert codes(stream.receive(b"x" * (MAX_LINE + 1))) == []
    assert codes(stream.receive(b'\n{"command":"pause"}\n')) == ["pause"]


def test_what_waits_for_its_end_is_bounded():
    stream = ControlStream()
    for _ in range(100):
        stream.receive(b"x" * 65_536)
        assert len(stream._buffer) <= MAX_LINE


def test_empty_lines_are_passed_over():
    assert whole(b"", b"  ", b"\r", line(command="pause"), b"") == ["pause"]


def test_a_line_without_its_end_does_nothing():
    assert ControlStream().receive(line(command="stop")) == []


LINES = st.lists(
    st.sampled_from(
        [
            line(command="pause"),
            line(command="say", text="ü"),
            b"",
            b"{",
            b"\xff",
            padded(MAX_LINE),
            padded(MAX_LINE + 1),
            padded(2 * MAX_LINE + 7),
        ]
    ),
    max_size=5,
)


@given(LINES, st.binary(max_size=10), st.lists(st.integers(0, 60_000), max_size=12))
def test_any_pieces_of_the_same_bytes_give_the_same_commands(
    bodies: list[bytes], tail: bytes, cuts: list[int]
):
    data = b"".join(body + b"\n" for body in bodies) + tail
    at_once = codes(ControlStream().receive(data))
    stream, found = ControlStream(), []
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    for start, end in pairwise(edges):
        found += stream.receive(data[start:end])
    assert codes(found) == at_once


def test_byte_by_byte_is_as_good_as_at_once():
    data = padded(MAX_LINE) + b"\n" + padded(MAX_LINE + 1) + b"\n" + line(command="stop") + b"\n"
    stream = ControlStream()
    found = [read for byte in data for read in stream.receive(bytes([byte]))]
    assert codes(found) == ["pause", "too-large", "stop"]
