"""Which speakers to try for a track, in order."""

from collections.abc import Sequence

from vivavoce.playback.track import Track
from vivavoce.ports import Speaker


def speakers_to_try(speakers: Sequence[Speaker], track: Track | None) -> tuple[Speaker, ...]:
    """The wished place first, then the others that are audible, then the stand-ins.

    A track of which something was heard never moves to a stand-in: nobody would hear the rest.
    """
    wish = track.utterance.manner.place if track else ""
    wished = [s for s in speakers if s.place.name == wish and s.place.audible]
    if wished and wish != "desk":
        return tuple(wished)
    audible = [s for s in speakers if s.place.audible and s.place.name == "desk"]
    if track and track.furthest:
        return tuple(audible)
    return (*audible, *(s for s in speakers if not s.place.audible))
