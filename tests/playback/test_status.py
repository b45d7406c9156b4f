"""What `status` and `history` tell."""

import json

from tests.playback.scripted import SECOND, Ear, made, speak, unmade
from vivavoce.playback import player as playing
from vivavoce.playback.status import entry, sounding


def test_silence_tells_its_state_only():
    assert sounding(Ear().player) == {"state": "idle"}


def test_it_tells_who_sounds_and_where_the_playhead_is():
    ear = Ear()
    track = unmade("a", "One two three.")
    speak(track, 0, SECOND)
    ear.request(track)
    ear.advance(2 * SECOND + SECOND // 2)
    assert sounding(ear.player) == {
        "state": "playing",
        "replay": False,
        "utterance": {
            "id": "a",
            "session": "s",
            "agent": "",
            "position_seconds": 2.5,
            "made_seconds": 3.0,
            "complete": False,
            "heard_words": 2,
            "heard_characters": 7,
            "text": "One two three.",
        },
    }


def test_it_tells_that_something_is_a_replay():
    ear = Ear()
    ear.say("a")
    ear.advance(SECOND)
    ear.command(playing.SkipBack())
    told = sounding(ear.player)
    assert (told["state"], told["replay"]) == ("replaying", True)


def test_without_a_speaker_it_tells_what_waits_for_one():
    ear = Ear()
    ear.say("a")
    ear.advance(SECOND // 2)
    ear.lose()
    told = sounding(ear.player)
    assert told["state"] == "stranded"
    assert told["replay"] is False


def test_an_entry_of_the_history_tells_its_sound():
    track = made("a", SECOND)
    track.voice, track.began = "hibari", 1_700_000_000.0
    told = entry(track)
    assert told == {
        "id": "a",
        "session": "s",
        "agent": "",
        "time": 1_700_000_000.0,
        "text": "This is a.",
        "voice": "hibari",
        "seconds": 1.0,
        "rate": 24_000,
        "channels": 1,
        "complete": True,
    }
    assert json.loads(json.dumps(told)) == told
