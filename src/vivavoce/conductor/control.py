"""Commands of the control channel, done: each kind of command has one method."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from vivavoce.conductor.speak import Speaking
from vivavoce.playback import events as playing
from vivavoce.playback.status import entry, sounding
from vivavoce.ports import Journal
from vivavoce.vocabulary.utterance import Ending, Manner, Utterance
from vivavoce.wire import control as wire

Fields = dict[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class Controls:
    """What a person commands, at any door."""

    speaking: Speaking
    journal: Journal
    new_id: Callable[[], str]
    manner: Callable[[], Manner]
    """How things are said where a caller does not say how."""
    about: Callable[[], Fields]
    """What `status` tells of the daemon itself."""

    async def do(self, command: wire.Command) -> Fields:
        """Do it, and return what the answer tells. Raises `VivavoceError`."""
        return await _METHODS[type(command)](self, command)

    def _event(self, event: playing.Event) -> Fields:
        self.speaking.command(event)
        return {"state": self.speaking.player.state.value}

    async def _pause(self, command: wire.Command) -> Fields:
        return self._event(playing.Pause())

    async def _resume(self, command: wire.Command) -> Fields:
        return self._event(playing.Resume())

    async def _stop(self, command: wire.Command) -> Fields:
        assert isinstance(command, wire.StopCommand)
        return self._event(playing.Stop(command.all, command.hint))

    async def _skip_forward(self, command: wire.Command) -> Fields:
        assert isinstance(command, wire.SkipForwardCommand)
        return self._event(playing.SkipForward(command.hint))

    async def _skip_back(self, command: wire.Command) -> Fields:
        return self._event(playing.SkipBack())

    async def _status(self, command: wire.Command) -> Fields:
        assert isinstance(command, wire.StatusCommand)
        if command.id:
            return await self._status_of(command.id)
        waiting = [_who(utterance) for utterance in self.speaking.waiting()]
        return {
            **sounding(self.speaking.player),
            "place": self.speaking.place,
            "volume": self.speaking.volume,
            "waiting": waiting,
            **self.about(),
        }

    async def _status_of(self, utterance_id: str) -> Fields:
        if (stage := self.speaking.stage(utterance_id)) is not None:
            return {"id": utterance_id, "stage": stage.value}
        ended = await self.journal.ending(utterance_id)
        return {"id": utterance_id, "stage": "unknown", **(_ended(ended) if ended else {})}

    async def _volume(self, command: wire.Command) -> Fields:
        assert isinstance(command, wire.VolumeCommand)
        if command.volume is not None:
            self.speaking.set_volume(command.volume)
        return {"volume": self.speaking.volume}

    async def _say(self, command: wire.Command) -> Fields:
        assert isinstance(command, wire.SayCommand)
        own = self.manner()
        manner = Manner(
            command.voice or own.voice,
            command.speed or own.speed,
            command.place or own.place,
            command.language or own.language,
        )
        session = command.session or f"control-{command.agent}"
        utterance = Utterance(self.new_id(), command.text, session, command.agent, manner=manner)
        await self.speaking.say(utterance)
        return {"id": utterance.id}

    async def _history(self, command: wire.Command) -> Fields:
        parked = await self.journal.parked()
        return {
            "history": [entry(track) for track in self.speaking.player.history],
            "parked": [_who(utterance) for utterance in parked],
        }


def _who(utterance: Utterance) -> Fields:
    return {"id": utterance.id, "session": utterance.session, "agent": utterance.agent}


def _ended(ended: Ending) -> Fields:
    return {"stage": "ended", **ended.as_fields()}


_METHODS: dict[type[wire.Command], Callable[[Controls, wire.Command], Awaitable[Fields]]] = {
    wire.PauseCommand: Controls._pause,
    wire.ResumeCommand: Controls._resume,
    wire.StopCommand: Controls._stop,
    wire.SkipForwardCommand: Controls._skip_forward,
    wire.SkipBackCommand: Controls._skip_back,
    wire.StatusCommand: Controls._status,
    wire.VolumeCommand: Controls._volume,
    wire.SayCommand: Controls._say,
    wire.HistoryCommand: Controls._history,
}
