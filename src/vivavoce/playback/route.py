"""Which places to try for a track, in order."""

from collections.abc import Sequence

from vivavoce.playback.track import Track
from vivavoce.vocabulary.place import Place

SEARCH_SECONDS = 10.0
"""For how long a speaker that comes and goes is looked for."""


def patience(places: Sequence[Place]) -> float:
    """For how many seconds to look for one of these places; what cannot come back, not at all."""
    return SEARCH_SECONDS if any(place.can_be_missing for place in places) else 0.0


def route(places: Sequence[Place], track: Track | None) -> tuple[Place, ...]:
    """The place that was asked for; for speech that asked for none, the first, then the stand-ins.

    `places` begins with the preferred one. A place that was asked for by name has no substitute,
    except that a missing sound card is stood in for. A track of which something was heard never
    moves to a stand-in: nobody would hear the rest.
    """
    wish = track.utterance.manner.place if track else ""
    first = next((p for p in places if p.name == wish and p.audible), places[0])
    if (track and track.furthest) or not first.can_be_missing:
        return (first,)
    return (first, *(p for p in places if not p.audible))
