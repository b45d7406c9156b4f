"""Places where a person can be reached, and what a speaker there reports."""

from dataclasses import dataclass

from vivavoce.vocabulary.audio import Fence


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person can be reached."""

    name: str
    """"desk", "file" or "null"."""
    audible: bool = True
    """Whether what is played there reaches the person as they asked; False: a stand-in, such as a
    file that is written because there is no sound card. What went there is parked, not heard."""
    description: str = ""
    can_be_missing: bool = False
    """Whether it comes and goes, as a sound card does; then a stand-in takes its speech."""


@dataclass(frozen=True, slots=True)
class Played:
    """A speaker has played on. Sent while it plays, at least each 50 ms."""

    fence: Fence
    samples: int
    """Samples of this run that were heard: after the speaker's own latency, silence not counted."""


@dataclass(frozen=True, slots=True)
class Drained:
    """A run that was finished has been heard to its last sample."""

    fence: Fence
    samples: int
    path: str = ""
    """The file that it was written to, if it was."""


@dataclass(frozen=True, slots=True)
class SpeakerLost:
    """The speaker is gone and plays nothing more until it is opened again."""

    reason: str
    """One sentence for people."""


SpeakerReport = Played | Drained | SpeakerLost
"""What a speaker tells its listener."""
