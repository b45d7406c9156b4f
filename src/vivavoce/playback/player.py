"""What sounds now: the live utterance, a replay, or nothing. One table, one `handle`.

The live utterance is the one whose agent has the floor. A replay comes from the history; while it
sounds, the live utterance waits where it was and goes on afterwards. How far the live utterance was
heard only grows: going back does not make it unheard.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from vivavoce.playback.events import (
    Begin,
    Effect,
    Event,
    FindSpeaker,
    Finished,
    HoldSpeaker,
    NoSpeaker,
    ParkWaiting,
    Pause,
    Play,
    Progressed,
    ReleaseSpeaker,
    Resume,
    RunDrained,
    Silence,
    SkipBack,
    SkipForward,
    Sounded,
    SpeakerFound,
    SpeakerVanished,
    Stop,
    Tick,
    Withdraw,
)
from vivavoce.playback.history import History
from vivavoce.playback.life import Cause, Stage
from vivavoce.playback.track import Track
from vivavoce.vocabulary.audio import Fence

STALL_SECONDS = 10.0
"""Playback without progress for so long ends, and the floor passes on."""


class State(Enum):
    """What sounds."""

    IDLE = "idle"
    STARTING = "starting"
    """The live utterance has the floor, and nothing of it was heard yet."""
    PLAYING = "playing"
    PAUSED = "paused"
    REPLAYING = "replaying"
    REPLAY_PAUSED = "replay-paused"
    STRANDED = "stranded"
    """The speaker is gone; another is looked for."""


_Outcome = tuple[State, list[Effect]]


@dataclass(slots=True)
class _Run:
    """A stretch of unbroken playing."""

    track: Track
    start: int
    """Where in the track it began, in samples."""
    fence: Fence
    heard: int = 0
    """Samples of the run that were heard."""
    drained: bool = False
    """Heard to its last sample, though a pause holds what comes next."""

    @property
    def position(self) -> int:
        """The playhead, in samples from the beginning of the track."""
        return self.start + self.heard


@dataclass(frozen=True, slots=True)
class PauseRule:
    """When a pause ends by itself, and how."""

    seconds: float = 300.0
    """0 = never."""
    resume: bool = False
    """False: it ends in a stop."""


@dataclass(slots=True)
class _Live:
    track: Track
    grant: int
    position: int = 0
    """Where it goes on after a replay or on another speaker, in samples."""


@dataclass(slots=True)
class Player:
    """What sounds to one listener."""

    history: History = field(default_factory=History)
    pause_rule: PauseRule = field(default_factory=PauseRule)
    state: State = State.IDLE
    _live: _Live | None = None
    _run: _Run | None = None
    _fence: Fence = field(default_factory=lambda: Fence(0, 0))
    _cursor: int | None = None
    """The history entry that the last skip-back went to."""
    _paused_at: float = 0.0
    _progress_at: float = 0.0

    @property
    def live(self) -> Track | None:
        """The utterance that has the floor."""
        return self._live.track if self._live else None

    @property
    def current(self) -> Track | None:
        """What the playhead is on, live or replayed."""
        return self._run.track if self._run else self.live

    @property
    def position(self) -> int:
        """The playhead, in samples from the beginning of the current track."""
        if self._run:
            return self._run.position
        return self._live.position if self._live else 0

    @property
    def held(self) -> bool:
        """Whether the speaker is to be silent in the middle of a run."""
        return self.state in (State.PAUSED, State.REPLAY_PAUSED)

    @property
    def fence(self) -> Fence:
        """The fence of the last run."""
        return self._fence

    def handle(self, event: Event, now: float) -> list[Effect]:
        """Take one event at a time in monotonic seconds; return what has to be done, in order."""
        transition, targets = TABLE[self.state, type(event)]
        state, effects = transition(self, event, now)
        assert state in targets, (self.state, event, state)
        self.state = state
        return effects

    # -- runs -----------------------------------------------------------------------------------

    def _play(self, track: Track, at: int, now: float) -> Play:
        newest = max(self._fence, Fence(self._live.grant, 0)) if self._live else self._fence
        self._fence = Fence(newest.grant, newest.run + 1)
        self._run = _Run(track, at, self._fence)
        self._progress_at = now
        return Play(track, at, self._fence)

    def _hush(self) -> list[Effect]:
        """End the run that sounds, if any; the live utterance keeps its place."""
        run, self._run = self._run, None
        if run is None:
            return []
        if self._live and run.track is self._live.track:
            self._live.position = run.position
        return [Silence(run.fence)]

    def _go_on(self, now: float) -> _Outcome:
        """Back to the live utterance, where it was; without one, to silence."""
        self._cursor = None
        if self._live is None:
            return State.IDLE, []
        play = self._play(self._live.track, self._live.position, now)
        return self._live_state(), [play]

    def _live_state(self) -> State:
        assert self._live
        return State.PLAYING if self._live.track.furthest else State.STARTING

    # -- the live utterance ----------------------------------------------------------------------

    def _begin(self, event: Event, now: float) -> _Outcome:
        assert isinstance(event, Begin)
        assert self._live is None, "the floor has one holder"
        self._live = _Live(event.track, event.grant)
        return self._go_on(now)

    def _begin_behind_replay(self, event: Event, now: float) -> _Outcome:
        assert isinstance(event, Begin)
        self._live = _Live(event.track, event.grant)
        return self.state, []

    def _advance(self, event: Event, now: float) -> _Outcome:
        assert isinstance(event, Progressed | RunDrained)
        run = self._run
        if run is None or event.fence != run.fence or event.samples <= run.heard:
            return self.state, []
        run.heard = event.samples
        self._progress_at = now
        if self._live is None or run.track is not self._live.track:
            return self.state, []
        first: list[Effect] = []
        if not run.track.furthest:
            self.history.remember(run.track)
            first = [Sounded(run.track)]
        run.track.furthest = max(run.track.furthest, run.position)
        return (State.PLAYING if self.state is State.STARTING else self.state), first

    def _drained(self, event: Event, now: float) -> _Outcome:
        assert isinstance(event, RunDrained)
        if self._run is None or event.fence != self._run.fence:
            return self.state, []
        _, first = self._advance(event, now)
        if self.held:
            # It ended as the pause came: what follows must not sound before the pause is over.
            self._run.drained = True
            return self.state, first
        state, effects = self._run_over(now)
        return state, first + effects

    def _run_over(self, now: float) -> _Outcome:
        assert self._run
        track, self._run = self._run.track, None
        if self._live and track is self._live.track:
            return self._finish(Cause.SHORT if track.shortfall else Cause.DRAINED)
        return self._go_on(now)

    def _finish(self, cause: Cause, hint: str = "") -> _Outcome:
        """End the live utterance. What was heard to its end counts so, whatever ended it."""
        assert self._live
        track, self._live = self._live.track, None
        self._cursor = None
        cause = Cause.DRAINED if track.heard_to_its_end else cause
        stage = Stage.SOUNDING if track.furthest else Stage.WAITING
        return State.IDLE, [Finished(track, stage, cause, hint)]

    def _cut(self, cause: Cause, hint: str = "") -> _Outcome:
        silence = self._hush()
        state, effects = self._finish(cause, hint)
        return state, silence + effects

    # -- commands --------------------------------------------------------------------------------

    def _pause(self, event: Event, now: float) -> _Outcome:
        self._paused_at = now
        replaying = self.state is State.REPLAYING
        return (State.REPLAY_PAUSED if replaying else State.PAUSED), [HoldSpeaker()]

    def _resume(self, event: Event, now: float) -> _Outcome:
        self._progress_at = now
        if self._run is None:
            return self._go_on(now)
        if self._run.drained:
            return self._run_over(now)
        replaying = self.state is State.REPLAY_PAUSED
        return (State.REPLAYING if replaying else self._live_state()), [ReleaseSpeaker()]

    def _stop(self, event: Event, now: float) -> _Outcome:
        assert isinstance(event, Stop)
        live = self.live
        effects: list[Effect] = self._hush()
        self._cursor = None
        # Who waits is parked first, so that the floor does not pass to one of them.
        if event.everyone:
            effects.append(ParkWaiting(None, event.hint))
        elif live:
            effects.append(ParkWaiting(live.utterance.session, event.hint))
        if live:
            effects += self._finish(Cause.STOPPED, event.hint)[1]
        return State.IDLE, effects

    def _skip_forward(self, event: Event, now: float) -> _Outcome:
        assert isinstance(event, SkipForward)
        return self._cut(Cause.SKIPPED, event.hint)

    def _end_replay(self, event: Event, now: float) -> _Outcome:
        silence = self._hush()
        state, effects = self._go_on(now)
        return state, silence + effects

    def _skip_back(self, event: Event, now: float) -> _Outcome:
        target = self._back_target()
        if target is None:
            return self.state, []
        self._cursor = target
        silence = self._hush()
        track = self.history[target]
        effects = [*silence, self._play(track, 0, now)]
        if track is self.live:
            return State.PLAYING, effects
        return State.REPLAYING, effects

    def _back_target(self) -> int | None:
        """The history entry that skip-back goes to; None where there is nothing to go back to."""
        if not len(self.history):
            return None
        if self._cursor is None:
            return len(self.history) - 1
        return max(0, self._cursor - 1)

    def _withdraw(self, event: Event, now: float) -> _Outcome:
        return self._cut(Cause.WITHDRAWN)

    def _withdraw_behind_replay(self, event: Event, now: float) -> _Outcome:
        if self._live is None:
            return self.state, []
        cursor, state = self._cursor, self.state
        effects = self._finish(Cause.WITHDRAWN)[1]
        self._cursor = cursor
        return state, effects

    # -- speakers --------------------------------------------------------------------------------

    def _strand(self, event: Event, now: float) -> _Outcome:
        silence = self._hush()
        self._cursor = None
        return State.STRANDED, [*silence, FindSpeaker()]

    def _strand_paused(self, event: Event, now: float) -> _Outcome:
        return State.PAUSED, [*self._hush(), FindSpeaker()]

    def _strand_replay(self, event: Event, now: float) -> _Outcome:
        """The replay is over; the live utterance waits for a speaker, paused if the replay was."""
        waiting = State.PAUSED if self.held else State.STRANDED
        silence = self._hush()
        self._cursor = None
        return (waiting if self._live else State.IDLE), [*silence, FindSpeaker()]

    def _found(self, event: Event, now: float) -> _Outcome:
        # A speaker that comes and goes without a sound is no progress.
        progress_at = self._progress_at
        state, effects = self._go_on(now)
        self._progress_at = progress_at
        return state, effects

    def _give_up(self, event: Event, now: float) -> _Outcome:
        return self._cut(Cause.STRANDED)

    # -- time ------------------------------------------------------------------------------------

    def _watch(self, event: Event, now: float) -> _Outcome:
        if now - self._progress_at < STALL_SECONDS:
            return self.state, []
        if self.state is State.REPLAYING:
            return self._end_replay(event, now)
        return self._cut(Cause.STRANDED if self.state is State.STRANDED else Cause.STALLED)

    def _watch_pause(self, event: Event, now: float) -> _Outcome:
        rule = self.pause_rule
        if not rule.seconds or now - self._paused_at < rule.seconds:
            return self.state, []
        return self._resume(event, now) if rule.resume else self._stop(Stop(), now)

    def _stay(self, event: Event, now: float) -> _Outcome:
        return self.state, []


_Transition = tuple[Callable[[Player, Event, float], _Outcome], frozenset[State]]


def _row(transition: Callable[[Player, Event, float], _Outcome], *targets: State) -> _Transition:
    return transition, frozenset(targets)


_IDLE, _STARTING, _PLAYING, _PAUSED = State.IDLE, State.STARTING, State.PLAYING, State.PAUSED
_REPLAYING, _REPLAY_PAUSED, _STRANDED = State.REPLAYING, State.REPLAY_PAUSED, State.STRANDED
_AFTER_REPLAY = (_IDLE, _STARTING, _PLAYING)

_CHANGES: dict[tuple[State, type[Event]], _Transition] = {
    (_IDLE, Begin): _row(Player._begin, _STARTING),
    (_IDLE, SkipBack): _row(Player._skip_back, _IDLE, _REPLAYING),
    (_IDLE, Stop): _row(Player._stop, _IDLE),
    (_STARTING, Progressed): _row(Player._advance, _STARTING, _PLAYING),
    (_STARTING, RunDrained): _row(Player._drained, _STARTING, _IDLE),
    (_STARTING, Pause): _row(Player._pause, _PAUSED),
    (_STARTING, Stop): _row(Player._stop, _IDLE),
    (_STARTING, SkipForward): _row(Player._skip_forward, _IDLE),
    (_STARTING, SkipBack): _row(Player._skip_back, _STARTING, _REPLAYING),
    (_STARTING, Withdraw): _row(Player._withdraw, _IDLE),
    (_STARTING, SpeakerVanished): _row(Player._strand, _STRANDED),
    (_STARTING, Tick): _row(Player._watch, _STARTING, _IDLE),
    (_PLAYING, Progressed): _row(Player._advance, _PLAYING),
    (_PLAYING, RunDrained): _row(Player._drained, _PLAYING, _IDLE),
    (_PLAYING, Pause): _row(Player._pause, _PAUSED),
    (_PLAYING, Stop): _row(Player._stop, _IDLE),
    (_PLAYING, SkipForward): _row(Player._skip_forward, _IDLE),
    (_PLAYING, SkipBack): _row(Player._skip_back, _PLAYING, _REPLAYING),
    (_PLAYING, Withdraw): _row(Player._withdraw, _IDLE),
    (_PLAYING, SpeakerVanished): _row(Player._strand, _STRANDED),
    (_PLAYING, Tick): _row(Player._watch, _PLAYING, _IDLE),
    (_PAUSED, Progressed): _row(Player._advance, _PAUSED),
    (_PAUSED, RunDrained): _row(Player._drained, _PAUSED),
    (_PAUSED, Resume): _row(Player._resume, _STARTING, _PLAYING, _IDLE),
    (_PAUSED, Stop): _row(Player._stop, _IDLE),
    (_PAUSED, SkipForward): _row(Player._skip_forward, _IDLE),
    (_PAUSED, SkipBack): _row(Player._skip_back, _PAUSED, _PLAYING, _REPLAYING),
    (_PAUSED, Withdraw): _row(Player._withdraw, _IDLE),
    (_PAUSED, SpeakerVanished): _row(Player._strand_paused, _PAUSED),
    (_PAUSED, Tick): _row(Player._watch_pause, _PAUSED, _STARTING, _PLAYING, _IDLE),
    (_REPLAYING, Begin): _row(Player._begin_behind_replay, _REPLAYING),
    (_REPLAYING, Progressed): _row(Player._advance, _REPLAYING),
    (_REPLAYING, RunDrained): _row(Player._drained, _REPLAYING, *_AFTER_REPLAY),
    (_REPLAYING, Pause): _row(Player._pause, _REPLAY_PAUSED),
    (_REPLAYING, Stop): _row(Player._stop, _IDLE),
    (_REPLAYING, SkipForward): _row(Player._end_replay, *_AFTER_REPLAY),
    (_REPLAYING, SkipBack): _row(Player._skip_back, _REPLAYING),
    (_REPLAYING, Withdraw): _row(Player._withdraw_behind_replay, _REPLAYING),
    (_REPLAYING, SpeakerVanished): _row(Player._strand_replay, _STRANDED, _IDLE),
    (_REPLAYING, Tick): _row(Player._watch, _REPLAYING, *_AFTER_REPLAY),
    (_REPLAY_PAUSED, Begin): _row(Player._begin_behind_replay, _REPLAY_PAUSED),
    (_REPLAY_PAUSED, Progressed): _row(Player._advance, _REPLAY_PAUSED),
    (_REPLAY_PAUSED, RunDrained): _row(Player._drained, _REPLAY_PAUSED),
    (_REPLAY_PAUSED, Resume): _row(Player._resume, _REPLAYING, *_AFTER_REPLAY),
    (_REPLAY_PAUSED, Stop): _row(Player._stop, _IDLE),
    (_REPLAY_PAUSED, SkipForward): _row(Player._end_replay, *_AFTER_REPLAY),
    (_REPLAY_PAUSED, SkipBack): _row(Player._skip_back, _REPLAYING),
    (_REPLAY_PAUSED, Withdraw): _row(Player._withdraw_behind_replay, _REPLAY_PAUSED),
    (_REPLAY_PAUSED, SpeakerVanished): _row(Player._strand_replay, _PAUSED, _IDLE),
    (_REPLAY_PAUSED, Tick): _row(Player._watch_pause, _REPLAY_PAUSED, _REPLAYING, *_AFTER_REPLAY),
    (_STRANDED, SpeakerFound): _row(Player._found, _STARTING, _PLAYING),
    (_STRANDED, NoSpeaker): _row(Player._give_up, _IDLE),
    (_STRANDED, Pause): _row(Player._pause, _PAUSED),
    (_STRANDED, Stop): _row(Player._stop, _IDLE),
    (_STRANDED, SkipForward): _row(Player._skip_forward, _IDLE),
    (_STRANDED, Withdraw): _row(Player._withdraw, _IDLE),
    (_STRANDED, Tick): _row(Player._watch, _STRANDED, _IDLE),
}

EVENTS: tuple[type[Event], ...] = Event.__args__

TABLE: dict[tuple[State, type[Event]], _Transition] = {
    (state, event): _CHANGES.get((state, event), _row(Player._stay, state))
    for state in State
    for event in EVENTS
}
"""(state, event) -> (what is done, the states that may follow). The docs are drawn from it."""
