"""One thing said: who says it, how it is to be said, and how it ended."""

from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Manner:
    """How something is to be said. Empty means: as the settings say."""

    voice: str = ""
    speed: float = 1.0
    """1.0 is the voice's own pace; 0.5 to 2.0."""
    place: str = ""
    """A place's name."""
    language: str = ""
    """BCP 47 primary tag that the caller is sure of."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One accepted thing to say."""

    id: str
    """Unique; given by the caller or made at the door."""
    text: str
    """Markdown, as the agent wrote it."""
    session: str
    """The agent's conversation."""
    agent: str = ""
    """The agent's name, for people."""
    listener: str = "default"
    fleeting: bool = False
    """Whether it is of use only now: it is not kept to be caught up."""
    manner: Manner = field(default_factory=Manner)


class End(StrEnum):
    """The four ends; an accepted utterance has exactly one."""

    HEARD = "heard"
    CUT = "cut"
    PARKED = "parked"
    """Unheard, kept, and can be caught up."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Ending:
    """How an utterance ended, and how far it was heard."""

    end: End
    reason: str = ""
    """A machine-readable code, such as "stopped"; empty when it was heard."""
    message: str = ""
    """One sentence for people, with what to do."""
    heard: str = ""
    """What was heard of the spoken text, up to a word."""
    rest: str = ""
    """What was not heard of the spoken text."""
    heard_words: int = 0
    words: int = 0
    source_offset: int = 0
    """How far in the source it was heard, in code points."""
    exact: bool = True
    """Whether the engine told the words' times; False: estimated."""
    path: str = ""
    """The file that was written, if one was."""
    hint: str = ""
    """Our own sentence to the agent on why it was stopped; never the caller's text."""

    def as_fields(self) -> dict[str, object]:
        """The ending as JSON fields; empty texts are left out."""
        told = {**asdict(self), "end": self.end.value}
        return {name: value for name, value in told.items() if value != ""}

    @classmethod
    def from_fields(cls, told: dict[str, Any]) -> Self:
        """The ending that JSON fields tell; fields that are not known are passed over."""
        known = {f.name: told[f.name] for f in fields(cls) if f.name in told}
        return cls(**{**known, "end": End(told["end"])})
