"""From a text to what a listener heard: rendering -> floor -> synthesis -> playback -> a place.

Each quiet room says what is to be done; the tables at the end of this module say who does it.
"""

import asyncio
import traceback
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from vivavoce import rendering
from vivavoce.errors import EngineError, NoVoice, PlaceError, StoreError, VivavoceError
from vivavoce.floor import Effect as FloorEffect
from vivavoce.floor import Floor, Granted, Queued, Released, Requested, Withdrawn
from vivavoce.playback import events as playing
from vivavoce.playback.ending import MESSAGES, ending
from vivavoce.playback.life import Cause, Stage, objection
from vivavoce.playback.player import Player, State
from vivavoce.playback.route import patience, route
from vivavoce.playback.track import Track
from vivavoce.ports import Clock, Journal, Speaker, Synthesizer
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Fence, Synthesize
from vivavoce.vocabulary.place import Drained, Played, SpeakerLost, SpeakerReport
from vivavoce.vocabulary.speech import Rendering
from vivavoce.vocabulary.utterance import Ending, Utterance

PUMP_BYTES = HOUSE_FORMAT.frame_bytes * HOUSE_FORMAT.samples(0.2)
"""How much is offered to a speaker at once."""
TICK_SECONDS = 0.5
LONG_TEXT = 4_000
"""Characters from which on a text is rendered beside the event loop."""


@dataclass(slots=True)
class _Feed:
    """What the speaker is fed from."""

    track: Track
    speaker: Speaker
    fence: Fence
    cursor: int
    """Bytes of the track that the speaker has taken or passed over."""
    open: bool = False
    finished: bool = False


@dataclass(slots=True, eq=False)
class Spoken:
    """An accepted utterance on its way to its one end."""

    track: Track
    speaker: Speaker
    ended: asyncio.Future[Ending]
    admission: asyncio.Task[None] | None = None
    """Done once it is accepted; who asked may go away before, the admission goes on."""
    synthesis: asyncio.Task[None] | None = None
    kept: bool = True
    """Whether the journal has it; False: it is lost if this process dies."""


@dataclass(slots=True, eq=False)
class Edges:
    """What speaking touches."""

    synthesizer: Synthesizer
    speakers: Sequence[Speaker]
    """The places, the preferred one first; stand-ins are not audible."""
    journal: Journal
    clock: Clock
    wall_clock: Callable[[], float]
    """Seconds since the epoch, for people."""


@dataclass(slots=True, eq=False)
class Speaking:
    """All that is spoken to one listener."""

    edges: Edges
    floor: Floor = field(default_factory=Floor)
    player: Player = field(default_factory=Player)
    notice: Callable[[str, dict[str, object]], None] = lambda event, fields: None
    """Told what happened, with ids, counts and durations; never with what was said."""
    volume: float = 1.0
    text_limit: int = 20_000
    """Characters of one utterance that are spoken, at most."""
    _spoken: dict[str, Spoken] = field(default_factory=dict)
    _feed: _Feed | None = None
    _speaker: Speaker | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _ticking: bool = False
    _searching: asyncio.Task[None] | None = None

    # -- what doors ask --------------------------------------------------------------------------

    async def say(self, utterance: Utterance) -> Spoken:
        """Accept an utterance; the same id is the same utterance.

        On return it is in the journal, unless the journal cannot be written: see `Spoken.kept`.
        """
        spoken = self._spoken.get(utterance.id)
        if spoken is None:
            spoken = self._enter(utterance)
            spoken.admission = self._spawn(self._admit(spoken))
        if spoken.admission is not None:
            await asyncio.shield(spoken.admission)
        return spoken

    async def catch_up(self) -> list[Spoken]:
        """Say what is parked, the oldest first. Raises `StoreError`."""
        accepted = []
        for utterance in await self.edges.journal.parked():
            if utterance.id not in self._spoken:
                spoken = self._enter(utterance)
                spoken.admission = self._spawn(self._accept(spoken))
                await asyncio.shield(spoken.admission)
                accepted.append(spoken)
        return accepted

    async def withdraw(self, utterance_id: str) -> None:
        """Take an utterance back: silence at once when it sounds."""
        spoken = self._spoken.get(utterance_id)
        if spoken is None:
            return
        if self.player.live is spoken.track:
            self.command(playing.Withdraw())
        else:
            self._leave_queue(utterance_id, Cause.WITHDRAWN, "")

    def command(self, event: playing.Event) -> None:
        """Do what a person commands, now."""
        self._perform(self.player.handle(event, self.edges.clock.now()))

    def set_volume(self, volume: float) -> None:
        """Loudness of all places, 0.0 to 1.0."""
        self.volume = volume
        for speaker in self.edges.speakers:
            speaker.set_volume(volume)

    def waiting(self) -> tuple[Utterance, ...]:
        """What waits for the floor, the next one first."""
        return tuple(self._spoken[request].track.utterance for request in self.floor.waiting())

    def stage(self, utterance_id: str) -> Stage | None:
        """Where an utterance is that has not ended; None for any other."""
        spoken = self._spoken.get(utterance_id)
        if spoken is None:
            return None
        return Stage.SOUNDING if spoken.track.furthest else Stage.WAITING

    @property
    def place(self) -> str:
        """The name of the place that plays, or that played last."""
        return self._speaker.place.name if self._speaker else ""

    async def close(self) -> None:
        """Fall silent: what sounds is cut, what waits is parked; all callers are told."""
        ends = [spoken.ended for spoken in self._spoken.values()]
        self.command(playing.Stop(everyone=True))
        if ends:
            await asyncio.wait(ends, timeout=2.0)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for speaker in self.edges.speakers:
            await speaker.close()

    # -- from a text to the floor ----------------------------------------------------------------

    def _enter(self, utterance: Utterance) -> Spoken:
        track = Track(utterance, began=self.edges.wall_clock())
        ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        spoken = Spoken(track, self._speakers_for(track)[0], ended)
        self._spoken[utterance.id] = spoken
        return spoken

    async def _admit(self, spoken: Spoken) -> None:
        before = await self._ending_before(spoken.track.id)
        if self._spoken.get(spoken.track.id) is not spoken:
            return  # It was taken back before it was kept.
        if before is None:
            await self._accept(spoken)
        else:
            del self._spoken[spoken.track.id]
            spoken.ended.set_result(before)

    async def _ending_before(self, utterance_id: str) -> Ending | None:
        try:
            return await self.edges.journal.ending(utterance_id)
        except StoreError:
            return None

    def _speakers_for(self, track: Track | None) -> list[Speaker]:
        by_place = {speaker.place: speaker for speaker in self.edges.speakers}
        return [by_place[place] for place in route(tuple(by_place), track)]

    async def _accept(self, spoken: Spoken) -> None:
        track = spoken.track
        try:
            await self.edges.journal.accept(track.utterance)
        except StoreError as error:
            spoken.kept = False
            self.notice("not-journaled", {"id": track.id, "code": error.code})
        try:
            track.prepare(await _render(track.utterance))
        except Exception as error:  # noqa: BLE001 - whatever broke, the utterance has its end
            self.notice("render-failed", {"id": track.id, **_fault(error)})
            self._end(spoken, Stage.WAITING, Cause.BROKEN, "")
            return
        if self._spoken.get(track.id) is not spoken:
            return  # It was taken back while it was read.
        self.notice("accepted", {"id": track.id, "segments": len(track.segments)})
        if (cause := objection(track.spoken, self.text_limit)) is not None:
            self._end(spoken, Stage.WAITING, cause, "")
            return
        self._floor(Requested(track.id, track.utterance.session))

    def _floor(self, event: Requested | Released | Withdrawn) -> None:
        for effect in self.floor.handle(event):
            _FLOOR_EFFECTS[type(effect)](self, effect)

    def _granted(self, effect: FloorEffect) -> None:
        assert isinstance(effect, Granted)
        spoken = self._spoken[effect.request]
        spoken.synthesis = self._spawn(self._synthesise(spoken.track))
        self.command(playing.Begin(spoken.track, effect.number))

    def _queued(self, effect: FloorEffect) -> None:
        assert isinstance(effect, Queued)
        self.notice("queued", {"id": effect.request, "position": effect.position})

    # -- synthesis -------------------------------------------------------------------------------

    async def _synthesise(self, track: Track) -> None:
        """Fill a track from the front, to its end: what began to sound is kept whole."""
        try:
            for index in range(len(track.segments)):
                await self._synthesise_segment(track, index)
        except EngineError as error:
            track.fall_short(error.code, _told(error))
        except Exception as error:  # noqa: BLE001 - whatever broke, the utterance has its end
            self.notice("synthesis-failed", {"id": track.id, **_fault(error)})
            track.fall_short(Cause.BROKEN, MESSAGES[Cause.BROKEN])
        track.complete = True
        self._pump()

    async def _synthesise_segment(self, track: Track, index: int) -> None:
        segment, manner = track.segments[index], track.utterance.manner
        request = Synthesize(segment.text, segment.language, manner.voice, speed=manner.speed)
        track.begin_segment(index)
        try:
            async with aclosing(self.edges.synthesizer.synthesize(request)) as chunks:
                async for chunk in chunks:
                    track.add(chunk)
                    self._pump()
        except NoVoice as error:
            track.fall_short(error.code, _told(error))
            return
        track.end_segment()

    # -- what the player wants -------------------------------------------------------------------

    def _perform(self, effects: list[playing.Effect]) -> None:
        for effect in effects:
            _PLAYER_EFFECTS[type(effect)](self, effect)
        self._keep_ticking()

    def _play(self, effect: playing.Effect) -> None:
        assert isinstance(effect, playing.Play)
        spoken = self._spoken.get(effect.track.id)
        speaker = spoken.speaker if spoken else self._speakers_for(None)[0]
        cursor = effect.at * HOUSE_FORMAT.frame_bytes
        self._end_search()
        self._feed = _Feed(effect.track, speaker, effect.fence, cursor)
        self._spawn(self._start(self._feed))

    async def _start(self, feed: _Feed) -> None:
        speaker = feed.speaker
        try:
            await speaker.open(self._reporter(speaker))
        except PlaceError as error:
            self.notice("no-speaker", {"place": speaker.place.name, "code": error.code})
            if self._feed is feed:
                self.command(playing.SpeakerVanished())
            return
        if self._feed is not feed:
            return
        self._speaker = speaker
        speaker.set_volume(self.volume)
        speaker.start(feed.fence)
        if self.player.held:
            speaker.pause()
        feed.open = True
        self._pump()

    def _pump(self) -> None:
        """Give the speaker what it has room for."""
        feed = self._feed
        if feed is None or not feed.open or feed.finished:
            return
        pcm = feed.track.pcm
        while piece := bytes(pcm[feed.cursor : feed.cursor + PUMP_BYTES]):
            taken = feed.speaker.write(feed.fence, piece)
            feed.cursor += taken
            if taken < len(piece):
                return
        if feed.track.complete:
            feed.finished = True
            feed.speaker.finish(feed.fence)

    def _silence(self, effect: playing.Effect) -> None:
        assert isinstance(effect, playing.Silence)
        feed, self._feed = self._feed, None
        if feed is not None:
            feed.speaker.clear(effect.fence)

    def _hold_speaker(self, effect: playing.Effect) -> None:
        if self._feed is not None and self._feed.open:
            self._feed.speaker.pause()

    def _release_speaker(self, effect: playing.Effect) -> None:
        if self._feed is not None and self._feed.open:
            self._feed.speaker.resume()

    def _finished(self, effect: playing.Effect) -> None:
        assert isinstance(effect, playing.Finished)
        self._end_search()
        spoken = self._spoken[effect.track.id]
        if effect.stage is Stage.WAITING and spoken.synthesis is not None:
            spoken.synthesis.cancel()
        self._end(spoken, effect.stage, effect.cause, effect.hint)
        self._floor(Released(effect.track.id))

    def _sounded(self, effect: playing.Effect) -> None:
        assert isinstance(effect, playing.Sounded)
        self.notice("sounding", {"id": effect.track.id})

    def _park_waiting(self, effect: playing.Effect) -> None:
        assert isinstance(effect, playing.ParkWaiting)
        for request in self.floor.waiting(effect.session):
            self._leave_queue(request, Cause.STOPPED, effect.hint)

    def _leave_queue(self, request: str, cause: Cause, hint: str) -> None:
        self._floor(Withdrawn(request))
        self._end(self._spoken[request], Stage.WAITING, cause, hint)

    def _find_speaker(self, effect: playing.Effect) -> None:
        self._feed = None
        self._end_search()
        self._searching = self._spawn(self._search())

    def _end_search(self) -> None:
        if self._searching is not None:
            self._searching.cancel()
            self._searching = None

    async def _search(self) -> None:
        """Try the speakers in order until one opens."""
        began, live = self.edges.clock.now(), self.player.live
        while True:
            candidates, why = self._speakers_for(live), ""
            for speaker in candidates:
                try:
                    await speaker.open(self._reporter(speaker))
                except PlaceError as error:
                    why = why or _told(error)
                    continue
                self._move_to(speaker)
                return
            if self.edges.clock.now() - began >= patience([s.place for s in candidates]):
                self._give_up(live, why)
                return
            await asyncio.sleep(TICK_SECONDS)

    def _give_up(self, live: Track | None, why: str) -> None:
        if live is not None:
            live.fall_short(Cause.STRANDED, why)
        self.command(playing.NoSpeaker())

    def _move_to(self, speaker: Speaker) -> None:
        live = self.player.live
        if live is not None:
            self._spoken[live.id].speaker = speaker
        self.notice("speaker", {"place": speaker.place.name})
        self.command(playing.SpeakerFound())

    # -- what a speaker reports ------------------------------------------------------------------

    def _reporter(self, speaker: Speaker) -> Callable[[SpeakerReport], None]:
        """Takes what a speaker reports; what one tells that is not fed any more is passed over."""

        def report(told: SpeakerReport) -> None:
            if self._feed is not None and self._feed.speaker is speaker:
                _REPORTS[type(told)](self, told)

        return report

    def _played(self, report: SpeakerReport) -> None:
        assert isinstance(report, Played)
        self.command(playing.Progressed(report.fence, report.samples))
        self._pump()

    def _drained(self, report: SpeakerReport) -> None:
        assert isinstance(report, Drained)
        if self._feed is not None and self._feed.fence == report.fence:
            self._feed.track.path = report.path
        self.command(playing.RunDrained(report.fence, report.samples))

    def _lost(self, report: SpeakerReport) -> None:
        self.command(playing.SpeakerVanished())

    # -- ends ------------------------------------------------------------------------------------

    def _end(self, spoken: Spoken, stage: Stage, cause: Cause, hint: str) -> None:
        told = ending(spoken.track, spoken.speaker.place, stage, cause, hint)
        del self._spoken[spoken.track.id]
        self._spawn(self._record(spoken, told))

    async def _record(self, spoken: Spoken, told: Ending) -> None:
        try:
            await self.edges.journal.finish(spoken.track.id, told)
        except StoreError as error:
            self.notice("not-journaled", {"id": spoken.track.id, "code": error.code})
        self.notice("ended", {"id": spoken.track.id, "end": told.end, "words": told.heard_words})
        if not spoken.ended.done():
            spoken.ended.set_result(told)

    # -- time ------------------------------------------------------------------------------------

    def _keep_ticking(self) -> None:
        if self.player.state is not State.IDLE and not self._ticking:
            self._ticking = True
            asyncio.get_running_loop().call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        self._ticking = False
        self.command(playing.Tick())

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.notice("task-failed", _fault(error))


def _told(error: VivavoceError) -> str:
    """An error as one sentence with its mend."""
    return f"{error.message} Try: {error.mend or 'vivavoce doctor'}"


def _fault(error: BaseException) -> dict[str, object]:
    """What broke and where, for the log; an error's own words may hold what was said."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.name}:{frame.lineno}" for frame in frames[-3:]]
    return {"error": type(error).__name__, "where": where}


async def _render(utterance: Utterance) -> Rendering:
    if len(utterance.text) < LONG_TEXT:
        return _rendered(utterance)
    return await asyncio.to_thread(_rendered, utterance)


def _rendered(utterance: Utterance) -> Rendering:
    whole = rendering.render(utterance.text, language=utterance.manner.language)
    return Rendering(rendering.open_with_clause(whole.segments), whole.omitted)


_FLOOR_EFFECTS: dict[type[FloorEffect], Callable[[Speaking, FloorEffect], None]] = {
    Granted: Speaking._granted,
    Queued: Speaking._queued,
}

_PLAYER_EFFECTS: dict[type[playing.Effect], Callable[[Speaking, playing.Effect], None]] = {
    playing.Play: Speaking._play,
    playing.Silence: Speaking._silence,
    playing.HoldSpeaker: Speaking._hold_speaker,
    playing.ReleaseSpeaker: Speaking._release_speaker,
    playing.Finished: Speaking._finished,
    playing.Sounded: Speaking._sounded,
    playing.ParkWaiting: Speaking._park_waiting,
    playing.FindSpeaker: Speaking._find_speaker,
}

_REPORTS: dict[type[SpeakerReport], Callable[[Speaking, SpeakerReport], None]] = {
    Played: Speaking._played,
    Drained: Speaking._drained,
    SpeakerLost: Speaking._lost,
}
