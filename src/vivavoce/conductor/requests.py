"""What our own clients ask, done: each kind of request has one method."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from vivavoce.conductor.control import Controls
from vivavoce.conductor.speak import Speaking, Spoken
from vivavoce.ports import Journal, Synthesizer
from vivavoce.vocabulary.utterance import Ending, Manner, Utterance
from vivavoce.wire import daemon as wire

Fields = dict[str, object]
Tell = Callable[[Fields], Awaitable[None]]
Settings = Callable[[], Manner]

SESSION_SETTINGS = frozenset({"voice", "speed", "language"})


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """The daemon as its clients see it."""

    speaking: Speaking
    controls: Controls
    journal: Journal
    synthesizer: Synthesizer
    manner: Settings
    """How things are said where a caller does not say how."""
    reload: Callable[[], dict[str, list[str]]]
    """Reads the configuration again and tells its `faults` and what counts only `at_start`."""
    shut_down: Callable[[], None]

    async def answer(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        """Do a request and return its last answer. Raises `VivavoceError`."""
        return await _METHODS[type(request)](self, request, hello, tell)

    async def _hello(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        ignored = sorted(set(hello.settings) - SESSION_SETTINGS)
        return {"version": self.controls.about()["version"], "not_applied": ignored}

    async def _say(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        assert isinstance(request, wire.Say)
        utterance = self._utterance(request, hello)
        if not request.wait:
            spoken = await self.speaking.say(utterance)
            await tell(_accepted(spoken))
            return {"event": "left", "id": utterance.id}
        try:
            spoken = await self.speaking.say(utterance)
            await tell(_accepted(spoken))
            told: Ending = await asyncio.shield(spoken.ended)
        except (asyncio.CancelledError, ConnectionError):
            await self.speaking.withdraw(utterance.id)
            raise
        return {"event": "ended", "id": utterance.id, **told.as_fields()}

    def _utterance(self, request: wire.Say, hello: wire.Hello) -> Utterance:
        own, session = self.manner(), hello.settings
        manner = Manner(
            voice=request.voice or str(session.get("voice", "")) or own.voice,
            speed=request.speed or float(session.get("speed", 0)) or own.speed,
            place=request.place or own.place,
            language=request.language or str(session.get("language", "")) or own.language,
        )
        name = request.agent or hello.agent
        return Utterance(
            id=request.id or self.controls.new_id(),
            text=request.text,
            session=hello.session or f"pid-{hello.pid}",
            agent=name,
            manner=manner,
        )

    async def _control(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        assert isinstance(request, wire.Control)
        return await self.controls.do(request.command)

    async def _voices(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        voices = await self.synthesizer.voices()
        names = ("name", "engine", "languages", "description", "ready", "why", "local")
        return {"voices": [{n: getattr(voice, n) for n in names} for voice in voices]}

    async def _catch_up(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        assert isinstance(request, wire.CatchUp)
        return await _CATCH_UP[request.action](self)

    async def _list_parked(self) -> Fields:
        parked = await self.journal.parked()
        return {"parked": [{"id": u.id, "agent": u.agent, "text": u.text} for u in parked]}

    async def _say_parked(self) -> Fields:
        accepted = await self.speaking.catch_up()
        endings = await asyncio.gather(*(spoken.ended for spoken in accepted))
        return {"endings": [ending.as_fields() for ending in endings]}

    async def _forget_parked(self) -> Fields:
        return {"forgotten": await self.journal.forget_parked()}

    async def _reload(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        return dict(self.reload())

    async def _shut_down(self, request: wire.Request, hello: wire.Hello, tell: Tell) -> Fields:
        self.shut_down()
        return {"event": "ending"}


def _accepted(spoken: Spoken) -> Fields:
    return {"event": "accepted", "id": spoken.track.id, "kept": spoken.kept}


_CATCH_UP: dict[str, Callable[[Requests], Awaitable[Fields]]] = {
    "list": Requests._list_parked,
    "say": Requests._say_parked,
    "forget": Requests._forget_parked,
}

_METHODS: dict[
    type[wire.Request],
    Callable[[Requests, wire.Request, wire.Hello, Tell], Awaitable[Fields]],
] = {
    wire.Hello: Requests._hello,
    wire.Say: Requests._say,
    wire.Control: Requests._control,
    wire.Voices: Requests._voices,
    wire.CatchUp: Requests._catch_up,
    wire.Reload: Requests._reload,
    wire.Shutdown: Requests._shut_down,
}
