"""The composition root: the one place that knows everything, and decides nothing.

`open_house` builds the daemon, `write_speech` the short way from a text to a WAV file.
"""

import asyncio
import os
import signal
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from vivavoce import __version__
from vivavoce.conductor.control import Controls
from vivavoce.conductor.requests import Requests
from vivavoce.conductor.speak import Edges, Speaking, Spoken
from vivavoce.directories import Directories, directories
from vivavoce.engines import models
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.synthesis import WorkerSynthesizer
from vivavoce.errors import StoreError
from vivavoce.floor import Floor
from vivavoce.places.desk import DeskPlace
from vivavoce.places.file import FilePlace
from vivavoce.places.null import NullPlace
from vivavoce.playback.history import History
from vivavoce.playback.life import Stage
from vivavoce.playback.player import PauseRule, Player
from vivavoce.ports import Speaker
from vivavoce.settings import Loaded, Settings, read
from vivavoce.sockets.connection import LocalServer
from vivavoce.sockets.control import control_server
from vivavoce.sockets.daemon import daemon_server
from vivavoce.sockets.listening import Household, private_directory
from vivavoce.store.journal import Journal
from vivavoce.store.logbook import Logbook
from vivavoce.store.memory import MemoryJournal
from vivavoce.vocabulary.utterance import Ending, Manner, Utterance

OUT_LIMIT = 1_000_000
"""Characters spoken into a file, at most: about 18 hours."""


class MonotonicClock:
    """The machine's clock that only goes forward."""

    def now(self) -> float:
        """Seconds since some moment in the past."""
        return time.monotonic()


@dataclass(slots=True, eq=False)
class House:
    """A running daemon."""

    speaking: Speaking
    synthesizer: WorkerSynthesizer
    journal: Journal
    servers: tuple[LocalServer, ...]
    ended: asyncio.Event
    log: Logbook
    parked_at_start: int = 0

    async def say_hello(self, text: str) -> Spoken:
        """Say something of our own; returns once it sounds, or has ended without."""
        said = Utterance(new_id(), text, "house", "vivavoce", fleeting=True)
        spoken = await self.speaking.say(said)
        while self.speaking.stage(said.id) is Stage.WAITING:
            await asyncio.wait([spoken.ended], timeout=0.02)
        # What is written to a file has ended as soon as it has begun.
        await asyncio.wait([spoken.ended], timeout=0.1)
        return spoken


AT_START_ONLY = ("place", "device", "history_buffer_size", "control_socket")
"""Settings that a running daemon does not change."""


@dataclass(slots=True)
class Configuration:
    """The settings in force, and how to read them again."""

    loaded: Loaded
    apply: Callable[[Settings, Settings], None] = lambda old, new: None
    """Gets the settings from before and those that count now."""

    @property
    def settings(self) -> Settings:
        """The values."""
        return self.loaded.settings

    def manner(self) -> Manner:
        """How things are said where nobody says how."""
        own = self.settings
        return Manner(own.voice, own.speed, own.place, own.language)

    def reload(self) -> dict[str, list[str]]:
        """Read again; tells the faults, a sentence each, and what counts only after a restart.

        A setting with a fault has the value of the layer below.
        """
        before, self.loaded = self.settings, read(os.environ)
        self.apply(before, self.settings)
        later = [n for n in AT_START_ONLY if getattr(before, n) != getattr(self.settings, n)]
        return {"faults": [error.message for error in self.loaded.errors], "at_start": later}


def new_id() -> str:
    """A new utterance's id."""
    return uuid.uuid4().hex[:12]


def engine_settings(settings: Settings, where: Directories) -> EngineSettings:
    """What the engines need of the settings."""
    return EngineSettings(
        order=settings.engines,
        weights_dir=Path(where.data) / "weights",
        weights_path=settings.weights_path,
        allow_downloads=settings.allow_downloads,
        openai_base_url=settings.openai_base_url,
        openai_api_key=settings.openai_api_key,
        openai_model=settings.openai_model,
        openai_voice=settings.openai_voice,
        openai_languages=settings.openai_languages,
    )


def pause_rule(settings: Settings) -> PauseRule:
    """How a pause ends by itself."""
    return PauseRule(settings.control_pause_timeout, settings.control_pause_then == "resume")


def weights(loaded: Loaded, *, fetch: bool = False) -> tuple[models.WeightState, ...]:
    """The state of all weights; `fetch`: after what is missing was fetched.

    Raises `WeightsMissing`.
    """
    wanted = engine_settings(loaded.settings, directories(os.environ, os.getuid()))
    if fetch:
        models.fetch(wanted)
    return models.check(wanted)


def synthesizer(settings: Settings, where: Directories) -> WorkerSynthesizer:
    """The engines, in their worker."""
    return WorkerSynthesizer(
        engine_settings(settings, where), idle_timeout=settings.engine_idle_seconds
    )


def speakers(settings: Settings, where: Directories) -> tuple[Speaker, ...]:
    """All places, the preferred one first, the stand-in for a missing sound card last."""
    recordings = Path(where.state) / "recordings"
    places: dict[str, Speaker] = {
        "desk": DeskPlace(device=settings.device),
        "file": FilePlace(recordings),
        "null": NullPlace(),
    }
    preferred = places.pop(settings.place)
    return (preferred, *places.values(), FilePlace(recordings, audible=False))


@asynccontextmanager
async def open_house(loaded: Loaded, where: Directories) -> AsyncIterator[House]:
    """A daemon that listens, until the block is left.

    Raises `SocketTaken` and `HouseError`; a journal that cannot be opened is only noted.
    """
    configuration = Configuration(loaded)
    private_directory(Path(where.runtime))
    household = Household(Path(where.runtime))
    household.claim()
    try:
        house = _build(configuration, where)
        with suppress(StoreError):
            house.parked_at_start = await house.journal.open()
        for server in house.servers:
            await server.open()
        house.synthesizer.warm()
        try:
            yield house
        finally:
            await _close(house)
    finally:
        household.leave()


def _build(configuration: Configuration, where: Directories) -> House:
    settings, log = configuration.settings, Logbook(Path(where.state) / "vivavoce.log")
    voice, journal = synthesizer(settings, where), Journal(Path(where.state) / "journal.db")
    speaking = Speaking(
        Edges(voice, speakers(settings, where), journal, MonotonicClock(), time.time),
        # A fencing number from before a restart must never be newer than one from after it.
        floor=Floor(number=time.time_ns() // 1_000_000),
        player=Player(History(settings.history_buffer_size), pause_rule(settings)),
        notice=log.note,
        volume=settings.volume,
        text_limit=settings.text_limit,
    )
    ended = asyncio.Event()

    def apply(old: Settings, new: Settings) -> None:
        voice.reconfigure(engine_settings(new, where), new.engine_idle_seconds)
        speaking.text_limit, speaking.player.pause_rule = new.text_limit, pause_rule(new)
        if new.volume != old.volume:
            speaking.set_volume(new.volume)

    configuration.apply = apply

    def about() -> dict[str, object]:
        return {"version": __version__, "pid": os.getpid(), "worker_pid": voice.pid}

    controls = Controls(speaking, journal, new_id, configuration.manner, about)
    requests = Requests(
        speaking, controls, journal, voice, configuration.manner, configuration.reload, ended.set
    )
    control_path = settings.control_socket or where.control_socket
    servers = (
        control_server(Path(control_path), controls),
        daemon_server(Path(where.daemon_socket), requests.answer),
    )
    return House(speaking, voice, journal, servers, ended, log)


async def _close(house: House) -> None:
    # First who sounds and who waits get their ends, then the doors close.
    await house.speaking.close()
    for server in house.servers:
        await server.close()
    await house.synthesizer.close()
    await house.journal.close()
    house.log.close()


async def serve(loaded: Loaded, ready: Callable[[House], Awaitable[None]]) -> None:
    """Be the daemon until a signal or a client ends it."""
    loop = asyncio.get_running_loop()
    async with open_house(loaded, directories(os.environ, os.getuid())) as house:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, house.ended.set)
        await ready(house)
        await house.ended.wait()


async def write_speech(loaded: Loaded, text: str, manner: Manner, path: Path) -> Ending:
    """Speak a text into a WAV file, without a daemon. Raises `VivavoceError`."""
    where = directories(os.environ, os.getuid())
    voice = synthesizer(loaded.settings, where)
    place = FilePlace(path.parent, path=path)
    speaking = Speaking(
        Edges(voice, (place,), MemoryJournal(), MonotonicClock(), time.time),
        text_limit=OUT_LIMIT,
    )
    try:
        said = Utterance(new_id(), text, "out", manner=manner)
        return await (await speaking.say(said)).ended
    finally:
        await speaking.close()
        await voice.close()
