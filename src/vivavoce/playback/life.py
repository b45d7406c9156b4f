"""The life of an utterance: accepted, then exactly one of four ends.

Of what was *cut* the person heard something; of what was *parked* nothing, so it can be caught up.
"""

from enum import StrEnum

from vivavoce.vocabulary.utterance import End


class Stage(StrEnum):
    """Where an accepted utterance that has not ended is."""

    WAITING = "waiting"
    """Nothing of it was heard."""
    SOUNDING = "sounding"


class Cause(StrEnum):
    """What ends an utterance."""

    DRAINED = "drained"
    """Its last sample was heard."""
    INAUDIBLE = "inaudible"
    """It was played to the end at a stand-in that nobody hears."""
    SHORT = "short"
    """What could be spoken of it was heard; the rest could not be spoken."""
    STOPPED = "stopped"
    SKIPPED = "skipped"
    WITHDRAWN = "withdrawn"
    """Its caller went away, or asked for it."""
    STALLED = "stalled"
    """Nothing of it was heard for too long."""
    STRANDED = "stranded"
    """There is no speaker any more."""
    BROKEN = "broken"
    """Something in the house broke that never should."""
    DAEMON_DIED = "daemon-died"
    UNSPEAKABLE = "unspeakable"
    """Nothing in it can or may be spoken."""
    TOO_LONG = "too-long"


_ENDS_EARLY = (
    Cause.SHORT,
    Cause.STOPPED,
    Cause.SKIPPED,
    Cause.WITHDRAWN,
    Cause.STALLED,
    Cause.STRANDED,
    Cause.BROKEN,
)

TABLE: dict[tuple[Stage, Cause], End] = {
    **{(Stage.WAITING, cause): End.PARKED for cause in _ENDS_EARLY},
    **{(Stage.SOUNDING, cause): End.CUT for cause in _ENDS_EARLY},
    (Stage.WAITING, Cause.DRAINED): End.HEARD,
    (Stage.SOUNDING, Cause.DRAINED): End.HEARD,
    (Stage.WAITING, Cause.INAUDIBLE): End.PARKED,
    (Stage.SOUNDING, Cause.INAUDIBLE): End.PARKED,
    # How far it was heard died with the process, so it counts as unheard.
    (Stage.WAITING, Cause.DAEMON_DIED): End.PARKED,
    (Stage.SOUNDING, Cause.DAEMON_DIED): End.PARKED,
    (Stage.WAITING, Cause.UNSPEAKABLE): End.REFUSED,
    (Stage.SOUNDING, Cause.UNSPEAKABLE): End.CUT,
    (Stage.WAITING, Cause.TOO_LONG): End.REFUSED,
    (Stage.SOUNDING, Cause.TOO_LONG): End.CUT,
}
"""(stage, cause) -> the end."""


def objection(spoken: str, limit: int) -> Cause | None:
    """Why a text is not spoken at all; `limit` is in characters. None: it is spoken."""
    if not spoken:
        return Cause.UNSPEAKABLE
    return Cause.TOO_LONG if len(spoken) > limit else None
