"""One listener's floor: one holder at a time, first in, first out, fenced by a growing number.

state   event       what happens
FREE    Requested   granted at once
HELD    Requested   waits at the end of the queue
HELD    Released    the first who waits is granted, or the floor is free
any     Withdrawn   who waits leaves the queue; the holder releases
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class FloorState(Enum):
    """Whether somebody holds the floor."""

    FREE = "free"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Requested:
    """Somebody wants to speak."""

    request: str
    session: str


@dataclass(frozen=True, slots=True)
class Released:
    """The holder has finished."""

    request: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Somebody no longer wants to speak."""

    request: str


Event = Requested | Released | Withdrawn


@dataclass(frozen=True, slots=True)
class Granted:
    """This request may speak now."""

    request: str
    number: int
    """The fencing number; it only grows."""


@dataclass(frozen=True, slots=True)
class Queued:
    """This request waits."""

    request: str
    position: int
    """1 is next."""


Effect = Granted | Queued
_Outcome = tuple[list[Effect], FloorState]


class Floor:
    """The floor of one listener. `number` is the last fencing number that was given out before."""

    def __init__(self, number: int = 0) -> None:
        self._number = number
        self._state = FloorState.FREE
        self._holder: Requested | None = None
        self._queue: OrderedDict[str, Requested] = OrderedDict()

    @property
    def state(self) -> FloorState:
        """Whether somebody holds the floor."""
        return self._state

    @property
    def holder(self) -> str | None:
        """The request that holds the floor."""
        return self._holder.request if self._holder else None

    def waiting(self, session: str | None = None) -> tuple[str, ...]:
        """The requests that wait, the next one first; only those of a session if one is named."""
        return tuple(r.request for r in self._queue.values() if session in (None, r.session))

    def handle(self, event: Event) -> list[Effect]:
        """Take one event and return what has to be done."""
        transition, targets = TABLE[self._state, type(event)]
        effects, state = transition(self, event)
        assert state in targets, (self._state, event, state)
        self._state = state
        return effects

    def _grant(self, event: Event) -> _Outcome:
        assert isinstance(event, Requested)
        self._number += 1
        self._holder = event
        return [Granted(event.request, self._number)], FloorState.HELD

    def _wait(self, event: Event) -> _Outcome:
        assert isinstance(event, Requested)
        if event.request == self.holder:
            return [], FloorState.HELD
        self._queue.setdefault(event.request, event)
        position = list(self._queue).index(event.request) + 1
        return [Queued(event.request, position)], FloorState.HELD

    def _leave(self, event: Event) -> _Outcome:
        self._queue.pop(event.request, None)
        if event.request != self.holder:
            return [], self._state
        if self._queue:
            return self._grant(self._queue.popitem(last=False)[1])
        self._holder = None
        return [], FloorState.FREE

    def _nothing(self, event: Event) -> _Outcome:
        return [], self._state


_Transition = tuple[Callable[[Floor, Event], _Outcome], frozenset[FloorState]]
_FREE, _HELD = frozenset({FloorState.FREE}), frozenset({FloorState.HELD})

TABLE: dict[tuple[FloorState, type[Event]], _Transition] = {
    (FloorState.FREE, Requested): (Floor._grant, _HELD),
    (FloorState.FREE, Released): (Floor._nothing, _FREE),
    (FloorState.FREE, Withdrawn): (Floor._nothing, _FREE),
    (FloorState.HELD, Requested): (Floor._wait, _HELD),
    (FloorState.HELD, Released): (Floor._leave, _FREE | _HELD),
    (FloorState.HELD, Withdrawn): (Floor._leave, _FREE | _HELD),
}
"""(state, event) -> (what is done, the states that may follow). The docs are drawn from it."""
