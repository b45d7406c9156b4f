"""From a text to what was heard, with an engine of tones and a speaker in memory."""

import asyncio

import pytest

from vivavoce.conductor.speak import Edges, Speaking
from vivavoce.playback import player as playing
from vivavoce.store.memory import MemoryJournal
from vivavoce.testing.clock import FakeClock
from vivavoce.testing.speaker import MemoryPlace
from vivavoce.testing.synthesizer import ScriptedSynthesizer, tones
from vivavoce.vocabulary.place import Place
from vivavoce.vocabulary.utterance import End, Manner, Utterance

BOUNDED = 5.0
"""Seconds after which a test gives up."""


class Scene:
    """One listener in memory."""

    def __init__(self, synthesizer=None, **speaking):
        self.desk = MemoryPlace(place=Place("desk", can_be_missing=True))
        self.stand_in = MemoryPlace(place=Place("file", audible=False))
        self.journal, self.clock = MemoryJournal(), FakeClock()
        self.synthesizer = synthesizer or ScriptedSynthesizer()
        edges = Edges(
            self.synthesizer, (self.desk, self.stand_in), self.journal, self.clock, lambda: 0.0
        )
        self.noted = []
        notice = lambda event, fields: self.noted.append((event, fields.get("id")))  # noqa: E731
        self.speaking = Speaking(edges, notice=notice, **speaking)

    async def say(self, text, id_="u1", session="s", **manner):
        spoken = await self.speaking.say(Utterance(id_, text, session, manner=Manner(**manner)))
        return spoken.ended

    async def settle(self):
        """Let all that can happen without time or sound happen."""
        for _ in range(200):
            await asyncio.sleep(0)

    async def play(self, seconds=1000.0):
        """Let the desk play for so long, as far as there is sound."""
        left = round(seconds * 24_000)
        await self.settle()
        while left > 0 and (played := self.desk.play(min(left, 1200))):
            left -= played
            await self.settle()

    def command(self, event):
        self.speaking.command(event)


@pytest.fixture
async def scene():
    scene = Scene()
    yield scene
    await scene.speaking.close()


async def ended(future):
    return await asyncio.wait_for(future, BOUNDED)


async def test_what_is_heard_is_what_was_synthesised(scene):
    future = await scene.say("The tests pass.")
    await scene.play()
    ending = await ended(future)
    assert ending.end is End.HEARD
    assert (ending.heard, ending.rest, ending.heard_words) == ("The tests pass.", "", 3)
    assert scene.desk.sound == tones("The tests pass.")[0]


async def test_an_accepted_utterance_is_in_the_journal_before_anything_sounds(scene):
    await scene.say("The tests pass.")
    assert scene.desk.sound == b""
    assert await scene.journal.ending("u1") is None
    assert "u1" in scene.journal._utterances


async def test_sentences_follow_each_other_in_order(scene):
    future = await scene.say("One is here. Two is there.")
    await scene.play()
    assert (await ended(future)).words == 6
    assert scene.desk.sound == tones("One is here.")[0] + tones("Two is there.")[0]


async def test_a_stop_in_the_middle_tells_the_word(scene):
    future = await scene.say("one two three four five")
    await scene.play(0.5)
    scene.command(playing.Stop())
    ending = await ended(future)
    assert (ending.end, ending.reason) == (End.CUT, "stopped")
    assert (ending.heard, ending.rest) == ("one two", "three four five")
    assert scene.desk.fence is None


async def test_a_stop_before_the_first_byte_of_a_slow_engine_parks_and_cancels():
    gate = asyncio.Event()
    scene = Scene(ScriptedSynthesizer(gate=gate))
    future = await scene.say("one two three")
    await scene.settle()
    scene.command(playing.Stop())
    ending = await ended(future)
    assert (ending.end, ending.heard_words) == (End.PARKED, 0)
    await scene.settle()
    assert scene.synthesizer.closed == scene.synthesizer.started == 1
    await scene.speaking.close()


async def test_the_next_one_waits_for_the_floor_and_then_speaks(scene):
    first = await scene.say("first one", "a", "s1")
    second = await scene.say("second one", "b", "s2")
    await scene.settle()
    assert [u.id for u in scene.speaking.waiting()] == ["b"]
    await scene.play()
    assert (await ended(first)).end is End.HEARD
    assert (await ended(second)).end is End.HEARD
    assert scene.desk.sound == tones("first one")[0] + tones("second one")[0]


async def test_a_stop_parks_what_waits_of_the_same_session_and_lets_others_speak(scene):
    futures = [await scene.say("some words", f"u{n}", f"s{n % 2}") for n in range(4)]
    await scene.play(0.1)
    scene.command(playing.Stop())
    await scene.play()
    ends = [(await ended(future)).end for future in futures]
    assert ends == [End.CUT, End.HEARD, End.PARKED, End.HEARD]


async def test_a_stop_for_all_parks_what_everybody_said(scene):
    futures = [await scene.say("some words", f"u{n}", f"s{n}") for n in range(3)]
    await scene.play(0.3)
    scene.command(playing.Stop(everyone=True, hint="quiet"))
    endings = [await ended(future) for future in futures]
    assert [e.end for e in endings] == [End.CUT, End.PARKED, End.PARKED]
    assert all("silence" in e.hint for e in endings)


async def test_what_was_parked_is_caught_up_in_order_and_then_is_heard(scene):
    futures = [await scene.say(f"text {n}", f"u{n}", f"s{n}") for n in range(3)]
    scene.command(playing.Stop(everyone=True))
    await asyncio.gather(*futures)
    again = await scene.speaking.catch_up()
    await scene.play()
    assert [(await ended(spoken.ended)).end for spoken in again] == [End.HEARD] * 3
    assert await scene.journal.parked() == ()
    assert scene.desk.sound == b"".join(tones(f"text {n}")[0] for n in range(3))


async def test_a_retry_of_the_same_utterance_is_not_spoken_twice(scene):
    first = await scene.say("only once")
    again = await scene.say("only once")
    await scene.play()
    assert await ended(first) == await ended(again)
    late = await scene.say("only once")
    assert (await ended(late)).end is End.HEARD
    await scene.play()
    assert scene.desk.sound == tones("only once")[0]


@pytest.mark.parametrize("turns", range(8))
async def test_a_caller_that_goes_away_while_it_is_accepted_leaves_no_utterance_without_end(
    scene, turns
):
    asking = asyncio.ensure_future(scene.say("one two"))
    for _ in range(turns):
        await asyncio.sleep(0)
    asking.cancel()
    await scene.speaking.withdraw("u1")
    await scene.play()
    assert scene.speaking.stage("u1") is None
    assert scene.speaking.waiting() == ()
    accepted = ("accepted", "u1") in scene.noted
    assert not accepted or (await scene.journal.ending("u1")).end is End.PARKED
    assert (await ended_after_play(scene, "three", "u2")).end is End.HEARD


async def test_a_caller_that_does_not_wait_may_go_away_at_once(scene):
    asking = asyncio.ensure_future(scene.say("one two"))
    await asyncio.sleep(0)
    asking.cancel()
    await scene.play()
    assert (await scene.journal.ending("u1")).end is End.HEARD


async def test_a_withdrawn_utterance_falls_silent_and_the_floor_passes_on(scene):
    first = await scene.say("one two three", "a", "s1")
    second = await scene.say("four five", "b", "s2")
    await scene.play(0.3)
    await scene.speaking.withdraw("a")
    assert (await ended(first)).end is End.CUT
    await scene.play()
    assert (await ended(second)).end is End.HEARD


async def test_a_waiting_utterance_that_is_withdrawn_never_sounds(scene):
    first = await scene.say("one two three", "a", "s1")
    second = await scene.say("four five", "b", "s2")
    await scene.settle()
    await scene.speaking.withdraw("b")
    assert (await ended(second)).end is End.PARKED
    await scene.play()
    assert (await ended(first)).end is End.HEARD
    assert scene.desk.sound == tones("one two three")[0]


async def test_a_pause_loses_no_sample(scene):
    future = await scene.say("one two three four")
    await scene.play(0.31)
    scene.command(playing.Pause())
    await scene.settle()
    assert scene.desk.play(5000) == 0
    scene.command(playing.Resume())
    await scene.play()
    assert (await ended(future)).end is End.HEARD
    assert scene.desk.sound == tones("one two three four")[0]


async def test_a_pause_before_the_first_byte_holds():
    gate = asyncio.Event()
    scene = Scene(ScriptedSynthesizer(gate=gate))
    future = await scene.say("one two")
    scene.command(playing.Pause())
    gate.set()
    await scene.play()
    assert scene.desk.sound == b""
    scene.command(playing.Resume())
    await scene.play()
    assert (await ended(future)).end is End.HEARD
    await scene.speaking.close()


async def test_skip_back_says_it_again_also_when_nothing_is_spoken(scene):
    await ended_after_play(scene, "one two")
    scene.command(playing.SkipBack())
    await scene.play()
    assert scene.desk.sound == tones("one two")[0] * 2
    assert [track.id for track in scene.speaking.player.history] == ["u1"]


async def ended_after_play(scene, text, id_="u1"):
    future = await scene.say(text, id_)
    await scene.play()
    return await ended(future)


async def test_speech_that_comes_during_a_replay_waits_for_its_end(scene):
    await ended_after_play(scene, "old words")
    scene.command(playing.SkipBack())
    await scene.play(0.1)
    future = await scene.say("new words", "u2")
    await scene.play()
    assert (await ended(future)).end is End.HEARD
    assert scene.desk.sound == tones("old words")[0] * 2 + tones("new words")[0]


async def test_an_engine_that_fails_in_the_middle_lets_what_it_made_be_heard():
    scene = Scene(ScriptedSynthesizer(fail_after=4))
    ending = await ended_after_play(scene, "one two three four five six")
    assert (ending.end, ending.reason) == (End.CUT, "engine-failed")
    assert ending.heard == "one two"
    await scene.speaking.close()


async def test_an_engine_that_fails_at_once_parks_the_text():
    scene = Scene(ScriptedSynthesizer(fail_after=0))
    ending = await ended_after_play(scene, "one two")
    assert (ending.end, ending.reason) == (End.PARKED, "engine-failed")
    assert len(await scene.journal.parked()) == 1
    await scene.speaking.close()


class Broken(ScriptedSynthesizer):
    async def synthesize(self, request):
        async for chunk in super().synthesize(request):
            yield chunk
            raise ZeroDivisionError


async def test_an_engine_that_breaks_in_a_way_that_nobody_foresaw_ends_the_utterance():
    scene = Scene(Broken())
    ending = await ended_after_play(scene, "one two three")
    assert (ending.end, ending.reason) == (End.CUT, "broken")
    assert (await ended_after_play(scene, "", "u2")).end is End.REFUSED
    await scene.speaking.close()


async def test_a_renderer_that_breaks_parks_the_text_and_leaves_the_floor_free(monkeypatch):
    scene = Scene()
    with monkeypatch.context() as broken:
        broken.setattr("vivavoce.rendering.render", lambda *args, **more: 1 / 0)
        ending = await ended(await scene.say("one two"))
    assert (ending.end, ending.reason) == (End.PARKED, "broken")
    assert (await ended_after_play(scene, "three", "u2")).end is End.HEARD
    await scene.speaking.close()


async def test_a_language_without_a_voice_is_passed_over_and_told():
    scene = Scene(ScriptedSynthesizer(languages=("en",)))
    ending = await ended_after_play(scene, "This is English text.\n\n这是中文。")
    assert (ending.end, ending.reason) == (End.CUT, "no-voice")
    assert scene.desk.sound == tones("This is English text.")[0]
    await scene.speaking.close()


@pytest.mark.parametrize("text", ["", "   \n", "<think>nothing</think>"])
async def test_what_has_nothing_to_say_is_refused(scene, text):
    ending = await ended(await scene.say(text))
    assert (ending.end, ending.reason) == (End.REFUSED, "unspeakable")


async def test_what_is_too_long_is_refused_and_the_floor_stays_free():
    scene = Scene(text_limit=10)
    assert (await ended(await scene.say("This is too long."))).reason == "too-long"
    assert (await ended_after_play(scene, "Short.", "u2")).end is End.HEARD
    await scene.speaking.close()


async def test_without_a_sound_card_a_stand_in_takes_it_and_nobody_claims_it_was_heard(scene):
    scene.desk.refuses = True
    future = await scene.say("one two")
    await scene.settle()
    scene.stand_in.play_all()
    ending = await ended(future)
    assert (ending.end, ending.reason) == (End.PARKED, "no-sound-card")
    assert ending.heard_words == 0
    assert scene.stand_in.sound == tones("one two")[0]


async def test_a_speaker_that_comes_back_goes_on_where_it_was(scene):
    future = await scene.say("one two three four")
    await scene.play(0.3)
    scene.desk.lose()
    await scene.play()
    assert (await ended(future)).end is End.HEARD
    assert scene.desk.sound == tones("one two three four")[0]


async def test_a_speaker_that_stays_away_ends_in_a_cut_at_the_word(scene, monkeypatch):
    monkeypatch.setattr("vivavoce.playback.route.SEARCH_SECONDS", 0.0)
    future = await scene.say("one two three four")
    await scene.play(0.3)
    scene.desk.refuses = True
    scene.desk.lose()
    ending = await ended(future)
    assert (ending.end, ending.reason, ending.heard) == (End.CUT, "stranded", "one")
    assert "no sound card" in ending.message
    assert scene.stand_in.sound == b""


async def test_closing_cuts_what_sounds_and_parks_what_waits(scene):
    first = await scene.say("one two three", "a", "s1")
    second = await scene.say("four", "b", "s2")
    await scene.play(0.3)
    await scene.speaking.close()
    assert [first.result().end, second.result().end] == [End.CUT, End.PARKED]


async def test_a_stalled_speaker_passes_the_floor_on(scene):
    first = await scene.say("one two three", "a", "s1")
    second = await scene.say("four", "b", "s2")
    await scene.play(0.3)
    scene.clock.advance(11.0)
    scene.command(playing.Tick())
    assert (await ended(first)).reason == "stalled"
    await scene.play()
    assert (await ended(second)).end is End.HEARD


async def test_notices_never_hold_what_was_said(scene):
    await ended_after_play(scene, "zebra crossing")
    assert [event for event, _ in scene.noted] == ["accepted", "sounding", "ended"]
