"""What the player takes and what it wants done.

Events are past tense, or a person's wish; effects are imperatives that the conductor carries out.
"""

from dataclasses import dataclass

from vivavoce.playback.life import Cause, Stage
from vivavoce.playback.track import Track
from vivavoce.vocabulary.audio import Fence


@dataclass(frozen=True, slots=True)
class Begin:
    """The floor was granted to this track's utterance."""

    track: Track
    grant: int


@dataclass(frozen=True, slots=True)
class Progressed:
    """The speaker has played on."""

    fence: Fence
    samples: int
    """Samples of the fence's run that were heard."""


@dataclass(frozen=True, slots=True)
class RunDrained:
    """A run was heard to its last sample."""

    fence: Fence
    samples: int


@dataclass(frozen=True, slots=True)
class Pause:
    """Fall silent and keep the place."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on after a pause."""


@dataclass(frozen=True, slots=True)
class Stop:
    """End what sounds and what waits of the same session; `everyone`: of all sessions."""

    everyone: bool = False
    hint: str = ""
    """Why, for the agent: a key of `ending.HINTS`."""


@dataclass(frozen=True, slots=True)
class SkipForward:
    """Cut what sounds and go on to what comes next."""

    hint: str = ""
    """Why, for the agent: a key of `ending.HINTS`."""


@dataclass(frozen=True, slots=True)
class SkipBack:
    """Restart the current or last utterance; each further press goes one back."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The live utterance's caller went away or took it back."""


@dataclass(frozen=True, slots=True)
class SpeakerVanished:
    """The speaker is gone."""


@dataclass(frozen=True, slots=True)
class SpeakerFound:
    """A speaker is ready again."""


@dataclass(frozen=True, slots=True)
class NoSpeaker:
    """No speaker could be found."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Event = (
    Begin
    | Progressed
    | RunDrained
    | Pause
    | Resume
    | Stop
    | SkipForward
    | SkipBack
    | Withdraw
    | SpeakerVanished
    | SpeakerFound
    | NoSpeaker
    | Tick
)


@dataclass(frozen=True, slots=True)
class Play:
    """Begin a run: this track from this sample on, under this fence. Unpauses."""

    track: Track
    at: int
    """Samples from the beginning of the track."""
    fence: Fence


@dataclass(frozen=True, slots=True)
class Silence:
    """End the run and discard what is unheard of it."""

    fence: Fence


@dataclass(frozen=True, slots=True)
class HoldSpeaker:
    """Fall silent and keep what is unheard."""


@dataclass(frozen=True, slots=True)
class ReleaseSpeaker:
    """Go on with the next unheard sample."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The live utterance has ended; its floor is free."""

    track: Track
    stage: Stage
    cause: Cause
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Sounded:
    """The first of the live utterance was heard."""

    track: Track


@dataclass(frozen=True, slots=True)
class ParkWaiting:
    """Park what waits of this session; None: of all."""

    session: str | None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class FindSpeaker:
    """Open the next speaker of the list."""


Effect = (
    Play | Silence | HoldSpeaker | ReleaseSpeaker | Sounded | Finished | ParkWaiting | FindSpeaker
)
