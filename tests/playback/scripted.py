"""One listener's player and floor, with a speaker that is moved by hand."""

from dataclasses import dataclass, field

from vivavoce.floor import Effect as FloorEffect
from vivavoce.floor import Floor, Granted, Released, Requested, Withdrawn
from vivavoce.playback import player as playing
from vivavoce.playback.history import History
from vivavoce.playback.life import Cause, Stage
from vivavoce.playback.player import PauseRule, Player, State
from vivavoce.playback.track import Track
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Fence, SpeechChunk, WordTime
from vivavoce.vocabulary.speech import Rendering, Run, Segment, SegmentKind, Span
from vivavoce.vocabulary.utterance import Utterance

SECOND = HOUSE_FORMAT.rate


def silence(samples: int) -> bytes:
    return bytes(HOUSE_FORMAT.frame_bytes * samples)


def segment(text: str, at: int = 0, *, pause_ms: int = 0, language: str = "en") -> Segment:
    """A sentence that stands verbatim at `at` in its source."""
    source = Span(at, at + len(text))
    runs = (Run(Span(0, len(text)), source),)
    return Segment(text, language, SegmentKind.PARAGRAPH, source, runs, pause_ms)


def unmade(name: str, *texts: str, session: str = "s") -> Track:
    """A track of which no sound was made yet."""
    texts = texts or (f"This is {name}.",)
    source = " ".join(texts)
    track = Track(Utterance(name, source, session))
    starts = [sum(len(text) + 1 for text in texts[:index]) for index in range(len(texts))]
    segments = tuple(segment(text, at) for text, at in zip(texts, starts, strict=True))
    track.prepare(Rendering(segments))
    return track


def speak(track: Track, index: int, samples_of_word: int) -> None:
    """Make the sound of a segment, all words of one length."""
    text = track.segments[index].text
    words, position = [], 0
    for order, word in enumerate(text.split()):
        position = text.index(word, position)
        span = Span(position, position + len(word))
        words.append(WordTime(span, order * samples_of_word, (order + 1) * samples_of_word))
        position = span.end
    track.begin_segment(index)
    track.add(SpeechChunk(silence(len(words) * samples_of_word), tuple(words)))
    track.end_segment()


def made(name: str, samples: int = SECOND, *, session: str = "s") -> Track:
    """A whole track of so many samples."""
    track = unmade(name, session=session)
    track.begin_segment(0)
    track.add(SpeechChunk(silence(samples)))
    track.end_segment()
    track.complete = True
    return track


@dataclass
class Sounding:
    """The run that the speaker plays."""

    track: Track
    at: int
    fence: Fence
    heard: int = 0


@dataclass
class Ear:
    """Does what floor and player want, and keeps account. `assert`s hold in every history."""

    history_size: int = 8
    pause_rule: PauseRule = field(default_factory=PauseRule)
    now: float = 100.0
    tracks: dict[str, Track] = field(default_factory=dict)
    started: list[tuple[str, int]] = field(default_factory=list)
    """What began to play, and from which sample on."""
    ends: dict[str, tuple[Stage, Cause, str]] = field(default_factory=dict)
    """How each utterance ended, and with which hint."""
    first_sounds: list[str] = field(default_factory=list)
    held: bool = False
    searches: int = 0
    run: Sounding | None = None
    newest: Fence = field(default_factory=lambda: Fence(0, 0))

    def __post_init__(self) -> None:
        self.floor = Floor()
        self.player = Player(History(self.history_size), self.pause_rule)

    # -- what happens

    def request(self, track: Track) -> Track:
        """An agent wants to speak."""
        self.tracks[track.id] = track
        self._floor(Requested(track.id, track.utterance.session))
        return track

    def say(self, name: str, samples: int = SECOND, *, session: str = "s") -> Track:
        """An agent wants to speak, and the whole sound is there."""
        return self.request(made(name, samples, session=session))

    def command(self, event: playing.Event) -> list[playing.Effect]:
        """Tell the player something, and do what it wants."""
        effects = self.player.handle(event, self.now)
        for effect in effects:
            self._do(effect)
        return effects

    def advance(self, samples: int, *, drain: bool = True) -> int:
        """The speaker plays on and reports; returns how many samples sounded."""
        run = self.run
        if run is None or self.held:
            return 0
        count = min(samples, run.track.samples - run.at - run.heard)
        run.heard += count
        if count:
            self.command(playing.Progressed(run.fence, run.heard))
        if drain:
            self.drain()
        return count

    def drain(self) -> None:
        """The speaker reports that the run was heard to its end, if it was."""
        run = self.run
        if run and run.track.complete and run.at + run.heard >= run.track.samples:
            self.run = None
            self.command(playing.RunDrained(run.fence, run.heard))

    def wait(self, seconds: float) -> None:
        """Time passes, and is told."""
        self.now += seconds
        self.command(playing.Tick())

    def lose(self) -> None:
        """The speaker is gone."""
        self.run = None
        self.command(playing.SpeakerVanished())

    def withdraw(self, name: str) -> None:
        """A caller takes its utterance back."""
        if self.player.live is self.tracks[name]:
            self.command(playing.Withdraw())
        elif name in self.floor.waiting():
            self._floor(Withdrawn(name))
            self._end(name, Stage.WAITING, Cause.WITHDRAWN, "")

    # -- what is told

    @property
    def state(self) -> State:
        return self.player.state

    @property
    def sounding(self) -> tuple[str, int] | None:
        """What plays now, and at which sample."""
        return (self.run.track.id, self.run.at + self.run.heard) if self.run else None

    @property
    def remembered(self) -> list[str]:
        return [track.id for track in self.player.history]

    def cause(self, name: str) -> Cause:
        return self.ends[name][1]

    # -- what is done

    def _floor(self, event: Requested | Released | Withdrawn) -> None:
        for effect in self.floor.handle(event):
            self._granted(effect)

    def _granted(self, effect: FloorEffect) -> None:
        if isinstance(effect, Granted):
            assert self.player.live is None
            assert effect.number > self.newest.grant
            self.command(playing.Begin(self.tracks[effect.request], effect.number))
            assert self.player.live is self.tracks[effect.request]

    def _do(self, effect: playing.Effect) -> None:
        match effect:
            case playing.Play(track, at, fence):
                assert fence > self.newest
                assert 0 <= at <= track.samples
                assert self.run is None, "a run is silenced before the next begins"
                self.newest, self.held = fence, False
                self.run = Sounding(track, at, fence)
                self.started.append((track.id, at))
            case playing.Silence(fence):
                assert self.run is None or self.run.fence == fence
                self.run = None
            case playing.HoldSpeaker():
                self.held = True
            case playing.ReleaseSpeaker():
                self.held = False
            case playing.Sounded(track):
                assert track.id not in self.first_sounds
                self.first_sounds.append(track.id)
            case playing.Finished(track, stage, cause, hint):
                self._end(track.id, stage, cause, hint)
                self._floor(Released(track.id))
            case playing.ParkWaiting(session, hint):
                for name in self.floor.waiting(session):
                    self._floor(Withdrawn(name))
                    self._end(name, Stage.WAITING, Cause.STOPPED, hint)
            case playing.FindSpeaker():
                self.searches += 1

    def _end(self, name: str, stage: Stage, cause: Cause, hint: str) -> None:
        assert name not in self.ends, "an utterance ends once"
        self.ends[name] = (stage, cause, hint)
