"""What our own clients ask."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from vivavoce.errors import CallerError
from vivavoce.wire.control import StopCommand
from vivavoce.wire.daemon import (
    CatchUp,
    Control,
    Hello,
    Reload,
    Request,
    Say,
    Shutdown,
    Voices,
    parse,
)

EXAMPLES: list[Request] = [
    Hello(
        op="hello",
        seq=1,
        what="say",
        version="0.1.0",
        session="s",
        pid=7,
        started=12.5,
        settings={"voice": "hibari", "speed": 1.5, "device": "card 1"},
    ),
    Say(op="say", seq=2, text="Grüße, 世界", id="u1", speed=0.5, place="null", wait=False),
    Control(op="control", seq=3, command=StopCommand(command="stop", hint="quiet")),
    Voices(op="voices"),
    CatchUp(op="catch_up", action="list"),
    Reload(op="reload"),
    Shutdown(op="shutdown"),
]

HELLO = {"op": "hello", "what": "say", "version": "1"}


def test_there_is_an_example_of_every_request():
    assert {type(example) for example in EXAMPLES} == set(Request.__args__)


@pytest.mark.parametrize("request_", EXAMPLES, ids=lambda example: example.op)
def test_every_request_is_read_as_it_was_written(request_: BaseModel):
    assert parse(json.loads(request_.model_dump_json())) == request_
    assert parse(json.loads(request_.model_dump_json(exclude_defaults=True))) == request_


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"op": "dance"},
        {"op": None},
        {"op": ["say"]},
        {"op": "say"},
        {"op": "say", "text": 5},
        {"op": "say", "text": "x", "speed": 3},
        {"op": "say", "text": "x", "speed": float("nan")},
        {"op": "say", "text": "x", "place": "moon"},
        {"op": "say", "text": "x", "extra": 1},
        {"op": "say", "text": "x", "seq": "first"},
        {"op": "control", "command": "stop"},
        {"op": "control", "command": {"command": "dance"}},
        {"op": "control", "command": {"command": "stop", "hint": "say hello"}},
        {"op": "catch_up", "action": "burn"},
        {"op": "hello"},
        {**HELLO, "started": float("inf")},
        {**HELLO, "settings": {"speed": "fast"}},
        {**HELLO, "settings": {"speed": True}},
        {**HELLO, "settings": {"speed": 0.1}},
        {**HELLO, "settings": {"speed": float("nan")}},
        {**HELLO, "settings": {"voice": ["x"]}},
        {**HELLO, "settings": []},
    ],
    ids=ascii,
)
def test_what_is_no_request_is_refused_in_one_sentence(message: dict[str, object]):
    with pytest.raises(CallerError) as refused:
        parse(message)
    assert refused.value.code == "bad-request"
    assert refused.value.message.endswith(".")
    assert "\n" not in refused.value.message


@given(st.sampled_from(["text", "voice", "speed", "place"]), st.sampled_from([["sw0rdfish"], {}]))
def test_a_refusal_never_repeats_a_value(key: str, value: object):
    with pytest.raises(CallerError) as refused:
        parse({"op": "say", "text": "x", key: value})
    assert "sw0rdfish" not in refused.value.message


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OPS = st.sampled_from([example.op for example in EXAMPLES])
KEYS = st.sampled_from(["seq", "text", "command", "action", "settings", "what", "version"])


@given(OPS | JUNK, st.dictionaries(KEYS, JUNK, max_size=4))
def test_any_message_is_a_request_or_refused(op: object, fields: dict[str, object]):
    try:
        assert isinstance(parse({"op": op, **fields}), Request)
    except CallerError as refused:
        assert refused.message  # noqa: PT017 - either is fine, anything else is not
