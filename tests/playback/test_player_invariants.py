"""Whatever a person, agents, engines and speakers do, in whatever order: what always holds."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.playback.scripted import SECOND, Ear, silence, unmade
from vivavoce.playback import player as playing
from vivavoce.playback.player import PauseRule, State
from vivavoce.playback.track import Track
from vivavoce.vocabulary.audio import SpeechChunk

SILENT = {State.IDLE, State.STRANDED}


class Day(RuleBasedStateMachine):
    """One listener's day. The `assert`s of `Ear` take part."""

    def __init__(self) -> None:
        super().__init__()
        self.ear = Ear(history_size=3, pause_rule=PauseRule(300, resume=False))
        self.furthest: dict[str, int] = {}
        self.grant = 0

    def command(self, event: playing.Event) -> list[playing.Effect]:
        return self.ear.command(event)

    def live_or_waiting(self) -> list[Track]:
        return [track for name, track in self.ear.tracks.items() if name not in self.ear.ends]

    # -- agents and engines

    @rule(session=st.sampled_from("st"), samples=st.integers(0, 500), complete=st.booleans())
    def ask(self, session: str, samples: int, complete: bool) -> None:
        track = unmade(f"u{len(self.ear.tracks)}", session=session)
        track.begin_segment(0)
        track.add(SpeechChunk(silence(samples)))
        track.complete = complete
        self.ear.request(track)

    @rule(samples=st.integers(1, 500), complete=st.booleans())
    def make_more(self, samples: int, complete: bool) -> None:
        for track in self.ear.tracks.values():
            if not track.complete:
                track.add(SpeechChunk(silence(samples)))
                track.complete = complete
                break
        self.ear.drain()

    @precondition(lambda self: self.live_or_waiting())
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        track = data.draw(st.sampled_from(self.live_or_waiting()))
        self.ear.withdraw(track.id)
        assert track.id in self.ear.ends

    # -- the speaker

    @rule(samples=st.integers(1, SECOND), drain=st.booleans())
    def play(self, samples: int, drain: bool) -> None:
        self.ear.advance(samples, drain=drain)

    @rule()
    def drain(self) -> None:
        self.ear.drain()

    @rule()
    def lose(self) -> None:
        self.ear.lose()

    @rule(event=st.sampled_from([playing.SpeakerFound(), playing.NoSpeaker()]))
    def end_search(self, event: playing.Event) -> None:
        self.command(event)

    @rule(seconds=st.sampled_from([0.5, 5.0, 11.0, 301.0]))
    def wait(self, seconds: float) -> None:
        self.ear.wait(seconds)

    # -- the person

    @rule()
    def pause(self) -> None:
        before = self.ear.sounding
        self.command(playing.Pause())
        assert self.ear.run is None or self.ear.held
        assert self.ear.sounding == before

    @rule()
    def resume(self) -> None:
        before, paused = self.ear.sounding, self.ear.state is State.PAUSED
        self.command(playing.Resume())
        if before:
            assert self.ear.sounding == before
        assert not (paused and self.ear.state is State.PAUSED)

    @rule(everyone=st.booleans())
    def stop(self, everyone: bool) -> None:
        live = self.ear.player.live
        started = len(self.ear.started)
        self.command(playing.Stop(everyone))
        if live is None or everyone:
            assert self.ear.sounding is None
            assert len(self.ear.started) == started
        else:
            assert live.id in self.ear.ends
            holder = self.ear.player.live
            assert holder is None or holder.utterance.session != live.utterance.session

    @rule()
    def skip_forward(self) -> None:
        sounding = self.ear.sounding
        self.command(playing.SkipForward())
        assert sounding is None or self.ear.run is None or self.ear.started[-1][0] != sounding[0]

    @rule()
    def skip_back(self) -> None:
        ends, remembered = dict(self.ear.ends), self.ear.remembered
        self.command(playing.SkipBack())
        assert (self.ear.ends, self.ear.remembered) == (ends, remembered)

    # -- what always holds

    @invariant()
    def the_holder_of_the_floor_is_the_live_utterance(self) -> None:
        live = self.ear.player.live
        assert self.ear.floor.holder == (live.id if live else None)

    @invariant()
    def nobody_waits_for_a_free_floor(self) -> None:
        assert self.ear.floor.holder or not self.ear.floor.waiting()

    @invariant()
    def everything_has_ended_once_or_holds_the_floor_or_waits(self) -> None:
        there = {*self.ear.floor.waiting(), self.ear.floor.holder} - {None}
        assert there | set(self.ear.ends) == set(self.ear.tracks)
        assert not there & set(self.ear.ends)

    @invariant()
    def how_far_something_was_heard_never_shrinks(self) -> None:
        for name, track in self.ear.tracks.items():
            assert self.furthest.get(name, 0) <= track.furthest <= track.samples
            self.furthest[name] = track.furthest

    @invariant()
    def the_history_holds_the_last_that_were_heard_each_once(self) -> None:
        assert self.ear.remembered == self.ear.first_sounds[-3:]

    @invariant()
    def nothing_sounds_in_a_silent_state(self) -> None:
        if self.ear.state in SILENT:
            assert self.ear.sounding is None
            assert self.ear.player.current is self.ear.player.live

    @invariant()
    def the_player_knows_where_the_speaker_is(self) -> None:
        if self.ear.run is not None:
            assert self.ear.player.current is self.ear.run.track
            assert self.ear.player.position == self.ear.run.at + self.ear.run.heard

    @invariant()
    def a_pause_is_silent(self) -> None:
        assert self.ear.run is None or self.ear.held == self.ear.player.held


Day.TestCase.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
TestDay = Day.TestCase
