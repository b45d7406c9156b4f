"""What sounds now: every pair of the table, and every case where people were let down elsewhere."""

import random
from collections.abc import Callable

import pytest

from tests.playback.scripted import SECOND, Ear, made, speak, unmade
from vivavoce.playback import player as playing
from vivavoce.playback.life import Cause, Stage
from vivavoce.playback.player import EVENTS, STALL_SECONDS, TABLE, PauseRule, Player, State
from vivavoce.vocabulary.audio import Fence

PAUSE, RESUME, STOP = playing.Pause(), playing.Resume(), playing.Stop()
FORWARD, BACK = playing.SkipForward(), playing.SkipBack()


def spoken(*names: str, **more: int) -> Ear:
    """An ear that has heard these, one after the other."""
    ear = Ear(**more)
    for name in names:
        ear.say(name)
        ear.advance(SECOND)
    return ear


# -- the table


def test_every_state_has_a_row_for_every_event():
    assert set(TABLE) == {(state, event) for state in State for event in EVENTS}


def _starting() -> Ear:
    ear = Ear()
    ear.say("a")
    return ear


def _playing() -> Ear:
    ear = spoken("a")
    ear.say("b")
    ear.advance(100)
    return ear


def _after(make: Callable[[], Ear], *events: playing.Event) -> Callable[[], Ear]:
    def made_and_moved() -> Ear:
        ear = make()
        for event in events:
            ear.command(event)
        return ear

    return made_and_moved


def _replaying_with_live() -> Ear:
    ear = spoken("a")
    ear.say("b")
    ear.command(BACK)
    return ear


SITUATIONS: dict[str, tuple[State, Callable[[], Ear]]] = {
    "nothing was ever said": (State.IDLE, Ear),
    "something was said": (State.IDLE, lambda: spoken("a")),
    "before the first sample": (State.STARTING, _starting),
    "in the middle": (State.PLAYING, _playing),
    "paused before the first sample": (State.PAUSED, _after(_starting, PAUSE)),
    "paused in the middle": (State.PAUSED, _after(_playing, PAUSE)),
    "paused without a speaker": (
        State.PAUSED,
        _after(_playing, PAUSE, playing.SpeakerVanished()),
    ),
    "replaying": (State.REPLAYING, _after(lambda: spoken("a"), BACK)),
    "replaying while one waits": (State.REPLAYING, _replaying_with_live),
    "replay paused": (State.REPLAY_PAUSED, _after(lambda: spoken("a"), BACK, PAUSE)),
    "replay paused while one waits": (State.REPLAY_PAUSED, _after(_replaying_with_live, PAUSE)),
    "no speaker before the first sample": (
        State.STRANDED,
        _after(_starting, playing.SpeakerVanished()),
    ),
    "no speaker in the middle": (State.STRANDED, _after(_playing, playing.SpeakerVanished())),
}


def events_for(player: Player) -> list[playing.Event]:
    """One of each kind, and reports of the run that sounds as well as of an old one."""
    fence, old = player.fence, Fence(0, 0)
    plain = [
        PAUSE,
        RESUME,
        STOP,
        playing.Stop(everyone=True, hint="quiet"),
        FORWARD,
        BACK,
        playing.Withdraw(),
        playing.SpeakerVanished(),
        playing.SpeakerFound(),
        playing.NoSpeaker(),
        playing.Tick(),
    ]
    reports = [
        kind(which, samples)
        for kind in (playing.Progressed, playing.RunDrained)
        for which in (fence, old)
        for samples in (0, 200)
    ]
    begin = [] if player.live else [playing.Begin(made("new"), fence.grant + 1)]
    return [*plain, *reports, *begin]


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_event_in_every_situation_leads_where_the_table_says(situation: str):
    state, make = SITUATIONS[situation]
    for index in range(len(events_for(make().player))):
        for seconds in (0.0, 1000.0):
            ear = make()
            assert ear.state is state
            event = events_for(ear.player)[index]
            ear.player.handle(event, ear.now + seconds)
            assert ear.player.state in TABLE[state, type(event)][1]


def _speaks_for_speaker(event: playing.Event, ear: Ear) -> bool:
    """What only the floor or the speaker itself may tell."""
    return getattr(event, "fence", None) == ear.player.fence or isinstance(event, playing.Begin)


def random_walk(ear: Ear, steps: int, choose: random.Random) -> set[tuple[State, type, State]]:
    """What happens to a listener in a long day; returns the arrows that were travelled."""
    travelled = set()
    handle = ear.player.handle

    def watched(event: playing.Event, now: float) -> list[playing.Effect]:
        before = ear.player.state
        effects = handle(event, now)
        travelled.add((before, type(event), ear.player.state))
        return effects

    def command(event: playing.Event) -> None:
        for effect in watched(event, ear.now):
            ear._do(effect)

    ear.command = command

    def anything() -> None:
        events = [event for event in events_for(ear.player) if not _speaks_for_speaker(event, ear)]
        command(choose.choice(events))

    acts = [
        lambda: ear.say(f"u{len(ear.tracks)}", choose.choice([0, 50, 300])),
        lambda: ear.advance(choose.choice([1, 100, 400])),
        lambda: ear.advance(400),
        lambda: (ear.advance(400, drain=False), command(PAUSE), ear.drain()),
        lambda: ear.wait(choose.choice([0.0, 11.0, 400.0])),
        lambda: command(choose.choice([PAUSE, BACK, FORWARD, playing.SpeakerVanished()])),
        lambda: (command(BACK), command(BACK)),
        anything,
    ]
    for _ in range(steps):
        choose.choice(acts)()
    return travelled


def test_every_arrow_that_the_docs_draw_can_be_travelled():
    choose, travelled = random.Random(4), set()
    for resumes in (False, True):
        for _ in range(400):
            travelled |= random_walk(Ear(pause_rule=PauseRule(300, resumes)), 60, choose)
    drawn = {(s, event, t) for (s, event), (_, targets) in TABLE.items() for t in targets}
    floor_keeps = {
        (state, playing.Begin, state)
        for state in set(State) - {State.REPLAYING, State.REPLAY_PAUSED}
    }  # The floor grants nothing while somebody has it.
    assert travelled - drawn == set()
    assert drawn - floor_keeps - travelled == set()


# -- from the floor to the end


def test_an_utterance_is_heard_from_its_first_to_its_last_sample():
    ear = Ear()
    track = ear.say("a", 10_000)
    assert (ear.state, ear.sounding) == (State.STARTING, ("a", 0))
    while ear.sounding:
        ear.advance(1024)
    assert track.furthest == 10_000  # the last, partly filled frame too
    assert ear.ends == {"a": (Stage.SOUNDING, Cause.DRAINED, "")}
    assert ear.first_sounds == ["a"]


def test_the_next_one_begins_when_the_one_before_has_ended():
    ear = Ear()
    for name in "abc":
        ear.say(name)
    for _ in range(6):
        ear.advance(SECOND // 2)
    assert ear.started == [("a", 0), ("b", 0), ("c", 0)]
    assert ear.remembered == ["a", "b", "c"]


def test_what_could_only_partly_be_spoken_ends_short():
    ear = Ear()
    track = made("a")
    track.fall_short("no-voice", "No voice speaks it.")
    ear.request(track)
    ear.advance(SECOND)
    assert ear.cause("a") is Cause.SHORT


def test_a_run_that_is_drained_in_one_report_counts_as_heard():
    ear = Ear()
    track = ear.say("a")
    ear.command(playing.RunDrained(ear.player.fence, SECOND))
    assert track.furthest == SECOND
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.DRAINED, "")
    assert ear.first_sounds == ["a"]


def test_reports_of_an_older_run_change_nothing():
    ear = Ear()
    track = ear.say("a")
    old = ear.player.fence
    ear.advance(100)
    ear.command(BACK)
    ear.command(playing.Progressed(old, 5000))
    ear.command(playing.RunDrained(old, SECOND))
    assert (ear.player.position, track.furthest, ear.state) == (0, 100, State.PLAYING)


# -- pause


def test_a_pause_loses_no_sample_and_repeats_none():
    ear = Ear()
    track = ear.say("x", 4 * SECOND)
    ear.advance(31_200)
    ear.command(PAUSE)
    for _ in range(8):
        ear.wait(1.0)
        assert ear.advance(SECOND) == 0
    ear.command(RESUME)
    assert ear.sounding == ("x", 31_200)
    ear.advance(4 * SECOND)
    assert ear.started == [("x", 0)]
    assert track.furthest == 4 * SECOND


def test_a_pause_before_the_first_sample_holds_until_it_is_resumed():
    ear = Ear()
    track = ear.request(unmade("a"))
    ear.command(PAUSE)
    speak(track, 0, 100)
    track.complete = True
    assert ear.advance(100) == 0
    ear.wait(60)
    ear.command(RESUME)
    assert ear.state is State.STARTING
    assert ear.advance(100) == 100


@pytest.mark.parametrize("samples", [0, SECOND])
def test_a_pause_that_comes_as_the_last_sample_sounds_holds_back_what_follows(samples: int):
    ear = Ear()
    ear.say("a", samples)
    ear.say("b")
    ear.advance(SECOND, drain=False)
    ear.command(PAUSE)
    ear.drain()
    assert ear.state is State.PAUSED
    assert [name for name, _ in ear.started] == ["a"]
    ear.command(RESUME)
    assert ear.cause("a") is Cause.DRAINED
    assert ear.sounding == ("b", 0)


def test_what_was_heard_to_its_end_was_heard_though_it_is_stopped_in_a_late_pause():
    ear = Ear()
    ear.say("a")
    ear.advance(SECOND, drain=False)
    ear.command(PAUSE)
    ear.drain()
    ear.command(playing.Stop(hint="quiet"))
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.DRAINED, "quiet")


def test_a_replay_that_ends_as_the_pause_comes_lets_nobody_speak_into_the_pause():
    ear = spoken("a")
    ear.command(BACK)
    ear.say("b")
    ear.advance(SECOND, drain=False)
    ear.command(PAUSE)
    ear.drain()
    assert (ear.state, ear.sounding) == (State.REPLAY_PAUSED, None)
    ear.command(RESUME)
    assert ear.sounding == ("b", 0)


@pytest.mark.parametrize("seconds", [299.0, 301.0])
def test_a_pause_that_lasts_too_long_ends_in_a_stop(seconds: float):
    ear = Ear()
    ear.say("a")
    ear.say("b")
    ear.advance(100)
    ear.command(PAUSE)
    ear.wait(seconds)
    over = seconds > 300
    assert ear.state is (State.IDLE if over else State.PAUSED)
    assert set(ear.ends) == ({"a", "b"} if over else set())


def test_a_pause_that_lasts_too_long_can_end_in_a_resume():
    ear = Ear(pause_rule=PauseRule(300, resume=True))
    ear.say("a")
    ear.advance(100)
    ear.command(PAUSE)
    ear.wait(301)
    assert (ear.state, ear.held, ear.sounding) == (State.PLAYING, False, ("a", 100))
    ear.wait(1)
    assert ear.state is State.PLAYING  # the pause is not counted as a stall


def test_a_pause_may_last_for_ever():
    ear = Ear(pause_rule=PauseRule(0))
    ear.say("a")
    ear.command(PAUSE)
    ear.wait(1_000_000)
    assert ear.state is State.PAUSED


def test_a_second_pause_does_not_prolong_the_first():
    ear = Ear()
    ear.say("a")
    ear.command(PAUSE)
    ear.wait(200)
    ear.command(PAUSE)
    ear.wait(101)
    assert ear.state is State.IDLE


# -- skip and stop


def test_skipping_while_paused_never_plays_the_old_one_again():
    ear = Ear()
    for name in "abc":
        ear.say(name, 3 * SECOND)
    ear.advance(SECOND)
    ear.command(PAUSE)
    ear.command(FORWARD)
    assert ear.sounding == ("b", 0)
    assert not ear.held
    ear.command(RESUME)
    ear.advance(SECOND)
    assert [name for name, _ in ear.started] == ["a", "b"]
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.SKIPPED, "")


def test_stop_ends_what_sounds_and_what_waits_of_the_same_session():
    ear = Ear()
    for name in "abcde":
        ear.say(name, 2 * SECOND)
    ear.advance(2 * SECOND)
    ear.advance(SECOND)
    ear.command(STOP)
    assert (ear.state, ear.sounding, ear.floor.waiting()) == (State.IDLE, None, ())
    ear.wait(7)
    ear.say("f")
    ear.advance(SECOND)
    assert [name for name, _ in ear.started] == ["a", "b", "f"]
    assert {name: ear.ends[name][0] for name in "bcde"} == {
        "b": Stage.SOUNDING,
        "c": Stage.WAITING,
        "d": Stage.WAITING,
        "e": Stage.WAITING,
    }


def test_stop_lets_another_session_speak():
    ear = Ear()
    ear.say("a", session="s")
    ear.say("b", session="t")
    ear.command(STOP)
    assert ear.sounding == ("b", 0)


def test_stop_for_all_parks_the_other_sessions_too():
    ear = Ear()
    ear.say("a", session="s")
    ear.say("b", session="t")
    ear.command(playing.Stop(everyone=True, hint="brevity"))
    assert ear.sounding is None
    assert ear.ends["b"] == (Stage.WAITING, Cause.STOPPED, "brevity")


def test_stop_before_the_first_sample_parks():
    ear = Ear()
    ear.request(unmade("a"))
    ear.command(STOP)
    assert ear.ends["a"] == (Stage.WAITING, Cause.STOPPED, "")
    assert ear.remembered == []


def test_stop_in_a_replay_ends_the_one_that_waits_behind_it_too():
    ear = spoken("a")
    ear.say("b")
    ear.advance(100)
    ear.command(BACK)
    ear.command(BACK)
    ear.say("c")
    assert ear.state is State.REPLAYING
    ear.command(STOP)
    assert (ear.state, ear.sounding) == (State.IDLE, None)
    assert ear.ends["b"][:2] == (Stage.SOUNDING, Cause.STOPPED)
    assert ear.ends["c"][:2] == (Stage.WAITING, Cause.STOPPED)


# -- back


def test_each_press_goes_one_back_and_the_oldest_is_the_end_of_it():
    ear = spoken("A", "B", "C")
    for _ in range(4):
        ear.command(BACK)
        ear.advance(4800)
    assert ear.started[3:] == [("C", 0), ("B", 0), ("A", 0), ("A", 0)]
    ear.command(STOP)
    assert (ear.state, ear.sounding) == (State.IDLE, None)
    assert ear.remembered == ["A", "B", "C"]
    assert all(ear.cause(name) is Cause.DRAINED for name in "ABC")


def test_the_first_press_restarts_what_sounds_and_makes_nothing_unheard():
    ear = spoken("a")
    track = ear.say("b")
    ear.advance(5000)
    ear.command(BACK)
    assert ear.sounding == ("b", 0)
    ear.advance(1000)
    assert track.furthest == 5000
    ear.command(FORWARD)
    assert ear.ends["b"][:2] == (Stage.SOUNDING, Cause.SKIPPED)


def test_after_a_replay_the_one_that_was_interrupted_goes_on_where_it_was():
    ear = spoken("a")
    ear.say("b")
    ear.advance(5000)
    ear.command(BACK)
    ear.advance(700)
    ear.command(BACK)
    assert ear.sounding == ("a", 0)
    ear.advance(SECOND)
    assert ear.sounding == ("b", 700)


def test_going_back_before_the_first_sample_replays_the_last_one_meanwhile():
    ear = spoken("a")
    track = ear.request(unmade("b"))
    ear.command(BACK)
    assert ear.sounding == ("a", 0)
    speak(track, 0, 1000)
    track.complete = True
    ear.advance(SECOND)
    assert (ear.state, ear.sounding) == (State.STARTING, ("b", 0))
    ear.advance(SECOND)
    assert ear.cause("b") is Cause.DRAINED
    assert ear.remembered == ["a", "b"]


def test_a_press_after_a_replay_begins_at_the_newest_again():
    ear = spoken("a", "b")
    ear.command(BACK)
    ear.command(BACK)
    ear.advance(SECOND)
    ear.command(BACK)
    assert ear.sounding == ("b", 0)


def test_there_is_nothing_to_go_back_to_before_anything_was_heard():
    ear = Ear()
    assert ear.command(BACK) == []
    ear.say("a")
    assert ear.command(BACK) == []
    assert (ear.state, ear.sounding) == (State.STARTING, ("a", 0))


def test_forward_in_a_replay_goes_to_the_one_that_waits():
    ear = spoken("a")
    ear.command(BACK)
    ear.say("b")
    ear.command(FORWARD)
    assert ear.sounding == ("b", 0)
    assert "b" not in ear.ends


def test_who_comes_during_a_replay_waits_for_its_end_under_a_fence_of_its_own():
    ear = spoken("a")
    ear.command(BACK)
    replay = ear.player.fence
    ear.say("b")
    assert ear.sounding == ("a", 0)
    ear.advance(SECOND)
    assert ear.sounding == ("b", 0)
    assert ear.player.fence.grant == replay.grant + 1


def test_who_leaves_during_a_replay_does_not_end_it():
    ear = spoken("a", "b")
    ear.command(BACK)
    ear.say("c")
    ear.withdraw("c")
    assert (ear.state, ear.sounding) == (State.REPLAYING, ("b", 0))
    ear.command(BACK)
    assert ear.sounding == ("a", 0)
    assert ear.ends["c"] == (Stage.WAITING, Cause.WITHDRAWN, "")


def test_what_was_cut_is_replayed_whole_once_it_is_made_whole():
    ear = Ear()
    track = ear.request(unmade("a", "One two.", "Three four."))
    speak(track, 0, 1000)
    ear.advance(500)
    ear.command(FORWARD)
    speak(track, 1, 1000)
    track.complete = True
    ear.command(BACK)
    assert ear.advance(SECOND) == 4000
    assert track.furthest == 500


def test_the_oldest_leave_the_history_when_it_is_full():
    ear = spoken("a", "b", "c", history_size=2)
    for _ in range(3):
        ear.command(BACK)
    assert ear.started[3:] == [("c", 0), ("b", 0), ("b", 0)]


def test_the_history_moves_on_only_when_no_replay_stands_in_it():
    ear = spoken("a", "b", history_size=2)
    ear.command(BACK)
    ear.command(BACK)
    ear.say("c")
    ear.command(BACK)
    assert ear.sounding == ("a", 0)
    ear.advance(SECOND)
    ear.advance(1)
    assert ear.remembered == ["b", "c"]
    ear.command(BACK)
    ear.command(BACK)
    assert ear.sounding == ("b", 0)


# -- callers that leave


def test_withdrawing_falls_silent_at_once_and_lets_the_next_one_speak():
    ear = Ear()
    ear.say("a")
    ear.say("b")
    ear.advance(100)
    ear.withdraw("a")
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.WITHDRAWN, "")
    assert ear.sounding == ("b", 0)


def test_withdrawing_without_a_speaker_ends_it_too():
    ear = Ear()
    ear.say("a")
    ear.advance(100)
    ear.lose()
    ear.withdraw("a")
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.WITHDRAWN, "")
    ear.command(playing.SpeakerFound())
    assert (ear.state, ear.sounding) == (State.IDLE, None)


# -- speakers that leave


def test_another_speaker_goes_on_where_the_lost_one_was():
    ear = Ear()
    ear.say("a")
    ear.advance(5000)
    ear.lose()
    assert (ear.state, ear.searches) == (State.STRANDED, 1)
    ear.command(playing.SpeakerFound())
    assert (ear.state, ear.sounding) == (State.PLAYING, ("a", 5000))


def test_without_another_speaker_it_is_cut_where_it_was():
    ear = Ear()
    ear.say("a")
    ear.advance(5000)
    ear.lose()
    ear.command(playing.NoSpeaker())
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.STRANDED, "")


def test_a_search_that_never_answers_does_not_keep_the_floor():
    ear = Ear()
    ear.say("a")
    ear.lose()
    ear.wait(STALL_SECONDS - 1)
    assert ear.state is State.STRANDED
    ear.wait(1)
    assert ear.ends["a"] == (Stage.WAITING, Cause.STRANDED, "")


def test_a_speaker_that_comes_and_goes_without_a_sound_does_not_keep_the_floor():
    ear = Ear()
    ear.say("a")
    ear.advance(5000)
    for _ in range(6):
        ear.lose()
        ear.wait(2)
        ear.command(playing.SpeakerFound())
    assert "a" in ear.ends


def test_a_pause_survives_the_loss_of_the_speaker_however_the_search_ends():
    for found in (playing.SpeakerFound(), playing.NoSpeaker()):
        ear = Ear()
        ear.say("a")
        ear.advance(5000)
        ear.command(PAUSE)
        ear.lose()
        ear.command(found)
        assert (ear.state, ear.sounding, ear.searches) == (State.PAUSED, None, 1)
        ear.command(RESUME)
        assert (ear.state, ear.sounding) == (State.PLAYING, ("a", 5000))


def test_a_speaker_that_is_found_during_a_pause_stays_silent():
    ear = Ear()
    ear.say("a")
    ear.lose()
    ear.command(PAUSE)
    ear.command(playing.SpeakerFound())
    assert (ear.state, ear.sounding) == (State.PAUSED, None)
    ear.command(RESUME)
    assert ear.sounding == ("a", 0)


def test_a_paused_replay_that_loses_its_speaker_leaves_the_live_one_paused():
    ear = spoken("a")
    ear.say("b")
    ear.command(BACK)
    ear.command(PAUSE)
    ear.lose()
    ear.command(playing.SpeakerFound())
    assert (ear.state, ear.sounding) == (State.PAUSED, None)
    ear.command(RESUME)
    assert ear.sounding == ("b", 0)


def test_a_replay_that_loses_its_speaker_is_over_and_the_live_one_goes_on():
    ear = spoken("a")
    ear.say("b")
    ear.command(BACK)
    ear.lose()
    ear.command(playing.SpeakerFound())
    assert ear.sounding == ("b", 0)


def test_losing_the_speaker_silences_the_run_before_another_is_looked_for():
    ear = Ear()
    ear.say("a")
    effects = ear.command(playing.SpeakerVanished())
    assert effects == [playing.Silence(ear.player.fence), playing.FindSpeaker()]


# -- no progress


@pytest.mark.parametrize(("seconds", "stays"), [(5.5, True), (9.9, True), (10.0, False)])
def test_a_slow_engine_may_take_its_time_and_a_stalled_one_may_not(seconds: float, stays: bool):
    ear = Ear()
    ear.request(unmade("a"))
    ear.say("b")
    ear.wait(seconds)
    assert ("a" not in ear.ends) is stays
    assert (ear.sounding == ("a", 0)) is stays
    if not stays:
        assert ear.ends["a"] == (Stage.WAITING, Cause.STALLED, "")
        assert ear.sounding == ("b", 0)


def test_who_makes_progress_is_never_robbed_however_long_it_speaks():
    ear = Ear()
    ear.say("a", 95 * SECOND)
    ear.say("b")
    for _ in range(94):
        ear.advance(SECOND)
        ear.wait(1)
    assert ear.sounding == ("a", 94 * SECOND)
    ear.advance(SECOND)
    assert ear.sounding == ("b", 0)


def test_a_report_without_progress_is_no_sign_of_life():
    ear = Ear()
    ear.say("a")
    ear.advance(100)
    for _ in range(10):
        ear.now += 1
        ear.command(playing.Progressed(ear.player.fence, 100))
    ear.wait(0)
    assert ear.ends["a"] == (Stage.SOUNDING, Cause.STALLED, "")


def test_a_stalled_replay_gives_way_to_the_live_one():
    ear = spoken("a")
    ear.say("b")
    ear.command(BACK)
    ear.wait(STALL_SECONDS)
    assert (ear.state, ear.sounding) == (State.STARTING, ("b", 0))
