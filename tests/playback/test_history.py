"""The last utterances with their sound."""

import pytest

from tests.playback.scripted import made, silence
from vivavoce.playback import history as module
from vivavoce.playback.history import History
from vivavoce.vocabulary.audio import SpeechChunk


def names(history: History) -> list[str]:
    return [track.id for track in history]


def test_the_newest_stay_each_once():
    history = History(2)
    tracks = [made(name, 10) for name in "abc"]
    for track in [*tracks, tracks[2]]:
        history.remember(track)
    assert names(history) == ["b", "c"]
    assert history[-1] is tracks[2]


def test_the_same_text_said_twice_is_two_utterances():
    history = History()
    for _ in range(2):
        history.remember(made("a", 10))
    assert len(history) == 2


def test_the_oldest_leave_when_there_is_too_much_sound(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MEMORY_BYTES", 100)
    history = History()
    for name in "abc":
        history.remember(made(name, 20))
    assert names(history) == ["b", "c"]


def test_the_newest_stays_whole_however_long_it_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MEMORY_BYTES", 100)
    history = History()
    history.remember(made("a", 20))
    long = made("b", 20)
    history.remember(long)
    long.add(SpeechChunk(silence(1000)))
    history.trim()
    assert names(history) == ["b"]


@pytest.mark.parametrize("size", [0, -1])
def test_a_history_holds_at_least_one(size: int):
    with pytest.raises(ValueError, match="at least one"):
        History(size)
