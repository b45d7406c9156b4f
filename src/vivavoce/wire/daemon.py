"""What clients of ours ask over `daemon.sock`, as models. The first frame is a hello.

A request has a `seq`; its answers carry the same one. `say` has two: `accepted` and `ended`.
"""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from vivavoce.errors import CallerError
from vivavoce.wire.control import Command, explain
from vivavoce.wire.notation import JsonObject


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    seq: int = 0


Speed = Annotated[float, Field(ge=0.5, le=2.0)]
"""1.0 is the voice's own pace."""


def _checked(settings: dict[str, str | float | bool]) -> dict[str, str | float | bool]:
    speed = settings.get("speed", 1.0)
    if isinstance(speed, str | bool) or not 0.5 <= speed <= 2.0:
        raise ValueError("speed is a number from 0.5 to 2.0")
    return settings


class Hello(_Message):
    """Who is at the door."""

    op: Literal["hello"]
    what: str
    version: str
    session: str = ""
    agent: str = ""
    cwd: str = ""
    pid: int = 0
    started: float = 0.0
    tmux_pane: str = ""
    settings: Annotated[dict[str, str | float | bool], AfterValidator(_checked)] = {}
    """Session-scoped settings; daemon-scoped ones are reported in the answer and not applied."""


class Say(_Message):
    """Say a text."""

    op: Literal["say"]
    text: str
    id: str = ""
    """The utterance's id, made by the caller so that a retry is the same one; may be empty."""
    agent: str = ""
    voice: str = ""
    speed: Speed | None = None
    place: Literal["", "desk", "file", "null"] = ""
    language: str = ""
    wait: bool = True
    """Whether the caller stays for the end; when it goes away, what it waits for is taken back."""


class Control(_Message):
    """A command of the control channel."""

    op: Literal["control"]
    command: Annotated[Command, Field(discriminator="command")]


class Voices(_Message):
    """All voices that the engines know."""

    op: Literal["voices"]


class CatchUp(_Message):
    """What is parked: list it, say it, or forget it."""

    op: Literal["catch_up"]
    action: Literal["list", "say", "forget"] = "say"


class Reload(_Message):
    """Read the configuration again."""

    op: Literal["reload"]


class Shutdown(_Message):
    """End the daemon; what waits is parked."""

    op: Literal["shutdown"]


Request = Hello | Say | Control | Voices | CatchUp | Reload | Shutdown

_REQUESTS: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="op")])


def parse(message: JsonObject) -> Request:
    """One message as a request. Raises `CallerError`."""
    try:
        return _REQUESTS.validate_python(message)
    except ValidationError as error:
        raise CallerError(explain(error)) from None
