"""All engines of one process behind one `Synthesizer`."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

from vivavoce.engines.casting import cast
from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import EngineFailed, SettingError
from vivavoce.ports import Synthesizer
from vivavoce.vocabulary.audio import SpeechChunk, Synthesize, Voice

GROUP = "vivavoce.synthesizers"
"""Entry points of this group are callables that make a `Synthesizer` of `EngineSettings`."""
_ON_REQUEST = EntryPoint("tones", "vivavoce.testing.synthesizer:Tones", GROUP)
"""An engine for tests and benchmarks: there only if the settings name it."""
_MAX_TEXT = 20_000
"""Code points of one request: a segment is a sentence, and no sentence is as long."""


@runtime_checkable
class Preloadable(Protocol):
    """An engine that can load a voice before it is needed."""

    async def preload(self, voice: str) -> None:
        """Load it. Raises `EngineError`."""


@runtime_checkable
class Closeable(Protocol):
    """An engine that holds something open."""

    async def close(self) -> None:
        """Give it back. Idempotent."""


class Company:
    """Engines in the order in which they are asked; implements `Synthesizer`."""

    def __init__(self, engines: Mapping[str, Synthesizer]) -> None:
        self._engines = dict(engines)

    async def voices(self) -> tuple[Voice, ...]:
        """The voices of all engines, in their order."""
        return tuple(
            [voice for engine in self._engines.values() for voice in await engine.voices()]
        )

    async def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Cast the request and let that engine speak it."""
        if len(request.text) > _MAX_TEXT:
            raise EngineFailed(
                f"A text of {len(request.text)} letters is too long for one segment."
            )
        voice = cast(await self.voices(), request)
        wish = replace(request, engine=voice.engine, voice=voice.name)
        async with aclosing(self._engines[voice.engine].synthesize(wish)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def preload(self, language: str) -> None:
        """Load the voice that would speak a language. Raises `EngineError`."""
        voice = cast(await self.voices(), Synthesize("", language))
        engine = self._engines[voice.engine]
        if isinstance(engine, Preloadable):
            await engine.preload(voice.name)

    async def close(self) -> None:
        """Close all engines."""
        for engine in self._engines.values():
            if isinstance(engine, Closeable):
                await engine.close()


def hire(settings: EngineSettings) -> Company:
    """The company of the engines that the settings name. Raises `SettingError`."""
    known = {point.name: point for point in (_ON_REQUEST, *entry_points(group=GROUP))}
    unknown = [name for name in settings.order if name not in known]
    if unknown:
        raise SettingError(
            f"engines: {unknown[0]!r} is no speech engine here; known: {', '.join(sorted(known))}."
        )
    return Company({name: _make(known[name], settings) for name in settings.order})


def _make(point: EntryPoint, settings: EngineSettings) -> Synthesizer:
    make: Callable[[EngineSettings], Synthesizer] = point.load()
    return make(settings)
