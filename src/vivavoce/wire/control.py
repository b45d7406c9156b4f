"""The small public protocol of `control.sock`: one JSON object a line, one answer a line.

state     event   what happens
READING   Line    a request or an error
READING   Flood   the line is too long: one error, and the rest of it is passed over
SKIPPING  Line    the overlong line has ended; reading goes on
SKIPPING  Flood   nothing
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from vivavoce.errors import CallerError, ProtocolError, VivavoceError
from vivavoce.wire.notation import read, write

MAX_LINE = 8 * 1024
"""Bytes of one line, its newline not counted."""
MAX_CONNECTIONS = 8

Hint = Literal["", "switch-to-text", "brevity", "quiet"]


class _Command(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    request_id: str | int | None = None
    """Echoed in the answer."""


class PauseCommand(_Command):
    """Fall silent and keep the place."""

    command: Literal["pause"]


class ResumeCommand(_Command):
    """Go on after a pause."""

    command: Literal["resume"]


class StopCommand(_Command):
    """End what sounds and what waits of the same session."""

    command: Literal["stop"]
    all: bool = False
    """Park the waiting speech of other sessions, too."""
    hint: Hint = ""


class SkipForwardCommand(_Command):
    """Cut this utterance and go on to what comes next."""

    command: Literal["skip_forward"]
    hint: Hint = ""


class SkipBackCommand(_Command):
    """Restart the current or last utterance; each further press goes one back."""

    command: Literal["skip_back"]


class StatusCommand(_Command):
    """What sounds and who waits, or what became of one utterance."""

    command: Literal["status"]
    id: str = ""
    """An utterance's id."""


class VolumeCommand(_Command):
    """Set or tell the loudness."""

    command: Literal["volume"]
    volume: float | None = Field(default=None, ge=0.0, le=1.0)
    """0.0 (silent) to 1.0 (as synthesised); None: tell it."""


class SayCommand(_Command):
    """Say a text; the answer has its id."""

    command: Literal["say"]
    text: str = Field(min_length=1)
    agent: str = ""
    session: str = ""
    voice: str = ""
    speed: float | None = Field(default=None, ge=0.5, le=2.0)
    place: Literal["", "desk", "file", "null"] = ""
    language: str = ""


class HistoryCommand(_Command):
    """The last utterances, the newest last."""

    command: Literal["history"]


Command = (
    PauseCommand
    | ResumeCommand
    | StopCommand
    | SkipForwardCommand
    | SkipBackCommand
    | StatusCommand
    | VolumeCommand
    | SayCommand
    | HistoryCommand
)

_COMMANDS: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="command")])
COMMAND_NAMES = tuple(
    model.model_fields["command"].annotation.__args__[0] for model in Command.__args__
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that is not a command; it changes nothing."""

    error: VivavoceError
    request_id: str | int | None = None


class LineState(Enum):
    """Where in the stream a connection is."""

    READING = "reading"
    SKIPPING = "skipping"
    """Inside of a line that is too long."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line came to its end."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Flood:
    """A line has more than `MAX_LINE` bytes and no end yet."""


_Outcome = tuple[list[Command | Refusal], LineState]


class ControlStream:
    """One connection's bytes, cut into commands, whatever the pieces they come in."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._state = LineState.READING

    def receive(self, data: bytes) -> list[Command | Refusal]:
        """Take bytes and return a command, or a refusal, for each line that has ended."""
        self._buffer += data
        found: list[Command | Refusal] = []
        while (end := self._buffer.find(b"\n")) >= 0:
            body = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            found += self._handle(Flood()) if end > MAX_LINE else []
            found += self._handle(Line(body))
        if len(self._buffer) > MAX_LINE:
            self._buffer.clear()
            found += self._handle(Flood())
        return found

    def _handle(self, event: Line | Flood) -> list[Command | Refusal]:
        found, self._state = TABLE[self._state, type(event)](event)
        return found


def _read(event: Line | Flood) -> _Outcome:
    assert isinstance(event, Line)
    return ([parse(event.body)] if event.body.strip() else []), LineState.READING


def _refuse_line(event: Line | Flood) -> _Outcome:
    error = ProtocolError(f"A line has at most {MAX_LINE} bytes.", code="too-large")
    return [Refusal(error)], LineState.SKIPPING


def _end_skipping(event: Line | Flood) -> _Outcome:
    return [], LineState.READING


def _skip(event: Line | Flood) -> _Outcome:
    return [], LineState.SKIPPING


TABLE: dict[tuple[LineState, type[Line | Flood]], Callable[[Line | Flood], _Outcome]] = {
    (LineState.READING, Line): _read,
    (LineState.READING, Flood): _refuse_line,
    (LineState.SKIPPING, Line): _end_skipping,
    (LineState.SKIPPING, Flood): _skip,
}
"""(state, event) -> what is done."""


def parse(body: bytes) -> Command | Refusal:
    """One line as a command, or why it is none."""
    try:
        message = read(body)
    except ProtocolError as error:
        return Refusal(error)
    if not isinstance(message, dict):
        return Refusal(ProtocolError("The line is not a JSON object."))
    request_id = message.get("request_id")
    echo = request_id if isinstance(request_id, str | int) else None
    if message.get("command") not in COMMAND_NAMES:
        known = ", ".join(COMMAND_NAMES)
        return Refusal(CallerError(f"Known commands: {known}.", code="unknown-command"), echo)
    try:
        return _COMMANDS.validate_python(message)
    except ValidationError as error:
        return Refusal(CallerError(explain(error)), echo)


def explain(error: ValidationError) -> str:
    """The first fault of a message as one sentence, without the value: it may be private."""
    fault = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"][1:]) or "message"
    return f"{where}: {fault['msg']}."


def answer(request_id: str | int | None, **fields: object) -> bytes:
    """The line that answers a command that was done."""
    return _line({"ok": True, **_echo(request_id), **fields})


def refusal(refused: Refusal) -> bytes:
    """The line that answers what was not done."""
    error = refused.error
    told = {"ok": False, "code": error.code, "message": error.message}
    return _line({**told, **_echo(refused.request_id)})


def _echo(request_id: str | int | None) -> dict[str, object]:
    return {} if request_id is None else {"request_id": request_id}


def _line(message: dict[str, object]) -> bytes:
    return write(message) + b"\n"
