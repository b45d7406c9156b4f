"""What `status` and `history` tell of playback."""

from vivavoce.playback.player import Player
from vivavoce.playback.track import Track
from vivavoce.vocabulary.audio import HOUSE_FORMAT


def sounding(player: Player) -> dict[str, object]:
    """What sounds now, and where its playhead is."""
    told: dict[str, object] = {"state": player.state.value}
    track = player.current
    if track is None:
        return told
    heard = track.word_at(player.position)
    last = track.words[heard - 1].spoken.end if heard else 0
    return {
        **told,
        "replay": track is not player.live,
        "utterance": {
            "id": track.id,
            "session": track.utterance.session,
            "agent": track.utterance.agent,
            "position_seconds": _seconds(player.position),
            "made_seconds": _seconds(track.samples),
            "complete": track.complete,
            "heard_words": heard,
            "heard_characters": last,
            "text": track.spoken,
        },
    }


def entry(track: Track) -> dict[str, object]:
    """One utterance of the history."""
    return {
        "id": track.id,
        "session": track.utterance.session,
        "agent": track.utterance.agent,
        "time": track.began,
        "text": track.spoken,
        "voice": track.voice,
        "seconds": _seconds(track.samples),
        "rate": HOUSE_FORMAT.rate,
        "channels": HOUSE_FORMAT.channels,
        "complete": track.complete,
    }


def _seconds(samples: int) -> float:
    return round(HOUSE_FORMAT.seconds(samples), 3)
