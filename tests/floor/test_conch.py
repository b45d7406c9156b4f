"""One holder, first in first out, and a number that only grows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from vivavoce.floor import (
    TABLE,
    Event,
    Floor,
    FloorState,
    Granted,
    Queued,
    Released,
    Requested,
    Withdrawn,
)

EVENTS = Event.__args__


def request(name: str, session: str = "s") -> Requested:
    return Requested(name, session)


def asked(*names: str) -> Floor:
    floor = Floor()
    for name in names:
        floor.handle(request(name))
    return floor


def test_every_state_has_a_row_for_every_event():
    assert set(TABLE) == {(state, event) for state in FloorState for event in EVENTS}


def test_a_free_floor_is_granted_at_once():
    floor = Floor(number=41)
    assert floor.handle(request("a")) == [Granted("a", 42)]
    assert (floor.state, floor.holder) == (FloorState.HELD, "a")


def test_three_at_once_speak_one_after_the_other_in_the_order_they_came():
    floor = Floor()
    assert [floor.handle(request(name)) for name in "ABC"] == [
        [Granted("A", 1)],
        [Queued("B", 1)],
        [Queued("C", 2)],
    ]
    assert floor.handle(Released("A")) == [Granted("B", 2)]
    assert floor.handle(Released("B")) == [Granted("C", 3)]
    assert floor.handle(Released("C")) == []
    assert (floor.state, floor.holder) == (FloorState.FREE, None)


def test_a_holder_that_dies_passes_the_floor_on():
    floor = asked("a", "b")
    assert floor.handle(Withdrawn("a")) == [Granted("b", 2)]


def test_who_leaves_the_queue_is_never_granted():
    floor = asked("a", "b", "c")
    assert floor.handle(Withdrawn("b")) == []
    assert floor.waiting() == ("c",)
    assert floor.handle(Released("a")) == [Granted("c", 2)]


def test_asking_again_keeps_the_place():
    floor = asked("a", "b", "c")
    assert floor.handle(request("b")) == [Queued("b", 1)]
    assert floor.handle(request("a")) == []
    assert (floor.holder, floor.waiting()) == ("a", ("b", "c"))


def test_who_has_left_asks_at_the_end_of_the_queue():
    floor = asked("a", "b", "c")
    floor.handle(Withdrawn("b"))
    assert floor.handle(request("b")) == [Queued("b", 2)]


def test_a_late_release_takes_the_floor_from_nobody():
    floor = asked("a", "b")
    floor.handle(Released("a"))
    assert floor.handle(Released("a")) == []
    assert floor.holder == "b"


def test_those_who_wait_can_be_told_by_session():
    floor = asked("a")
    for name, session in [("b", "s"), ("c", "t"), ("d", "s")]:
        floor.handle(request(name, session))
    assert floor.waiting("s") == ("b", "d")
    assert floor.waiting("t") == ("c",)
    assert floor.waiting("") == ()


@pytest.mark.parametrize("event", [Released("x"), Withdrawn("x")])
@pytest.mark.parametrize("names", ["", "a", "ab"])
def test_strangers_change_nothing(event: Released | Withdrawn, names: str):
    floor = asked(*names)
    before = (floor.state, floor.holder, floor.waiting())
    assert floor.handle(event) == []
    assert (floor.state, floor.holder, floor.waiting()) == before


NAMES = st.sampled_from("abcdef")
ANY = st.one_of(
    st.builds(Requested, NAMES, st.sampled_from("st")),
    st.builds(Released, NAMES),
    st.builds(Withdrawn, NAMES),
)


@given(st.lists(ANY, max_size=60))
def test_no_sequence_leaves_the_table(events: list[Event]):
    floor = Floor()
    for event in events:
        before = floor.state
        floor.handle(event)
        assert floor.state in TABLE[before, type(event)][1]


def test_every_arrow_that_the_docs_draw_can_be_travelled():
    floor, travelled = Floor(), set()
    events = [Released("a"), Withdrawn("a"), request("a"), request("b"), Released("a")]
    events += [request("a"), Withdrawn("b"), Withdrawn("a"), request("a"), Released("a")]
    events += [request("a"), Released("x"), Withdrawn("x")]
    for event in events:
        before = floor.state
        floor.handle(event)
        travelled.add((before, type(event), floor.state))
    drawn = {(s, event, t) for (s, event), (_, targets) in TABLE.items() for t in targets}
    assert travelled == drawn


class Queue(RuleBasedStateMachine):
    """The floor against a list."""

    def __init__(self) -> None:
        super().__init__()
        self.floor = Floor(number=7)
        self.line: list[str] = []
        self.numbers = [7]

    def handle(self, event: Event) -> None:
        holder = self.line[0] if self.line else None
        match event:
            case Requested(name):
                if name not in self.line:
                    self.line.append(name)
            case Released(name) | Withdrawn(name):
                if name in self.line:
                    self.line.remove(name)
        granted = [e for e in self.floor.handle(event) if isinstance(e, Granted)]
        self.numbers += [grant.number for grant in granted]
        now = self.line[0] if self.line else None
        assert [grant.request for grant in granted] == ([now] if now and now != holder else [])

    @rule(name=NAMES, session=st.sampled_from("st"))
    def ask(self, name: str, session: str) -> None:
        self.handle(Requested(name, session))

    @rule(name=NAMES)
    def release(self, name: str) -> None:
        self.handle(Released(name))

    @rule(name=NAMES)
    def withdraw(self, name: str) -> None:
        self.handle(Withdrawn(name))

    @invariant()
    def the_head_of_the_line_holds_the_floor(self) -> None:
        held = (self.floor.holder, *self.floor.waiting()) if self.floor.holder else ()
        assert held == tuple(self.line)
        assert (self.floor.state is FloorState.HELD) == bool(self.line)

    @invariant()
    def numbers_only_grow(self) -> None:
        assert self.numbers == sorted(set(self.numbers))


Queue.TestCase.settings = settings(max_examples=60, deadline=None)
TestQueue = Queue.TestCase
