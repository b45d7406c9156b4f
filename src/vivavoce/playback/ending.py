"""What a caller is told when its utterance has ended: sentences that we wrote."""

from vivavoce.playback.life import TABLE, Cause, Stage
from vivavoce.playback.track import Heard, Track
from vivavoce.vocabulary.place import Place
from vivavoce.vocabulary.utterance import End, Ending

HINTS = {
    "switch-to-text": "The person asks for written answers now; do not speak the next ones.",
    "brevity": "The person asks for shorter spoken answers.",
    "quiet": "The person asks for silence; speak only when they are needed.",
}
"""Why something was stopped, as the agent is told. The caller's own text never reaches an agent."""

MESSAGES = {
    Cause.DRAINED: "",
    Cause.INAUDIBLE: "There is no sound card here, so it was written to a file; nobody heard it.",
    Cause.SHORT: "Some of it could not be spoken.",
    Cause.STOPPED: "The person stopped it.",
    Cause.SKIPPED: "The person skipped it.",
    Cause.WITHDRAWN: "Its caller took it back or went away.",
    Cause.STALLED: "The speaker made no progress, so the floor passed on.",
    Cause.STRANDED: "The speaker is gone and no other was found; try: vivavoce doctor",
    Cause.BROKEN: "Something in vivavoce broke; see: vivavoce logs",
    Cause.DAEMON_DIED: "The daemon ended before it was heard; hear it with: vivavoce catch-up",
    Cause.UNSPEAKABLE: "There is nothing in it to say.",
    Cause.TOO_LONG: "It is too long to be spoken; make a file of it with: vivavoce say --out",
}


def ending(track: Track, place: Place, stage: Stage, cause: Cause, hint: str = "") -> Ending:
    """How a track's utterance ended. `hint` is a key of `HINTS` or empty."""
    if not place.audible and stage is Stage.SOUNDING:
        cause = Cause.INAUDIBLE
    end = TABLE[stage, cause]
    heard = _heard(track, end)
    reason, message = cause.value, MESSAGES[cause]
    if track.shortfall and cause in (Cause.SHORT, Cause.STRANDED):
        reason, message = track.shortfall.reason, track.shortfall.message
    if cause is Cause.INAUDIBLE:
        reason = "no-sound-card"
    return Ending(
        end=end,
        reason="" if end is End.HEARD else reason,
        message=message,
        heard=heard.text,
        rest=heard.rest,
        heard_words=heard.words,
        words=heard.of_words,
        source_offset=heard.source_offset,
        exact=track.exact,
        path=track.path,
        hint=HINTS.get(hint, ""),
    )


def _heard(track: Track, end: End) -> Heard:
    if end in (End.PARKED, End.REFUSED):
        return track.heard(0)
    if end is End.HEARD:
        return track.heard(track.samples)
    return track.heard(track.furthest)
