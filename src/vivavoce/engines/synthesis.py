"""The daemon's `Synthesizer`: the engines in their worker, which comes and goes as needed."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import TypeVar

from vivavoce.engines.frames import Frame, Header, chunk_of, synthesize_header, voices_of
from vivavoce.engines.link import WorkerGone, WorkerLink
from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import EngineError, EngineFailed
from vivavoce.vocabulary.audio import SpeechChunk, Synthesize, Voice

_T = TypeVar("_T")

_DEFAULT_IDLE_SECONDS = 300.0


class WorkerSynthesizer:
    """Implements `Synthesizer`. Nothing here blocks the loop or imports an engine.

    The worker starts when it is first needed, and again after a crash: a request of which nothing
    was given yet is tried once more in the new worker. It ends after `idle_timeout` seconds.
    """

    def __init__(
        self, settings: EngineSettings, *, idle_timeout: float = _DEFAULT_IDLE_SECONDS
    ) -> None:
        self._settings = settings
        self._idle_timeout = idle_timeout
        self._link: WorkerLink | None = None
        self._starting = asyncio.Lock()
        self._requests = 0
        self._closed = False
        self._outdated = False
        self._idle: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def pid(self) -> int | None:
        """The worker's process; None while there is none."""
        return None if self._link is None or self._link.gone else self._link.pid

    async def voices(self) -> tuple[Voice, ...]:
        """All voices of the engines in the worker. Raises `EngineFailed`."""
        async with aclosing(self._ask({"do": "voices"})) as frames:
            async for frame in frames:
                return voices_of(frame.header)
        raise EngineFailed("The speech engines did not tell their voices.")

    async def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Speak a text in the worker. Raises `EngineError`."""
        async with aclosing(self._ask(synthesize_header(request))) as frames:
            async for frame in frames:
                yield chunk_of(frame)

    def warm(self, language: str = "en") -> asyncio.Task[None]:
        """Start the worker and load a language's voice, in the background.

        A failure is not told here: whoever wants to speak is told.
        """
        return self._spawn(self._preload(language))

    def reconfigure(self, settings: EngineSettings, idle_timeout: float) -> None:
        """Take other settings: at once if nothing is being spoken, else as soon as nothing is."""
        self._idle_timeout = idle_timeout
        if settings == self._settings:
            return
        self._settings, self._outdated = settings, True
        link = self._link
        if link is not None and not self._requests:
            self._stop_idling()
            self._link = None
            self._spawn(link.close())

    async def unload(self) -> None:
        """End the worker, unless it is in use."""
        if self._requests or self._link is None:
            return
        link, self._link = self._link, None
        await link.close()

    async def close(self) -> None:
        """End the worker, whatever it speaks; who still waits gets `EngineFailed`. Idempotent."""
        self._closed = True
        self._stop_idling()
        async with self._starting:
            link, self._link = self._link, None
        if link is not None:
            await link.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ask(self, header: Header) -> AsyncGenerator[Frame, None]:
        """The answers to a request, of a second worker if the first has given none and is gone."""
        given = False
        with self._in_use():
            for is_last in (False, True):
                link = await self._running()
                try:
                    async with aclosing(link.ask(header)) as frames:
                        async for frame in frames:
                            given = True
                            yield frame
                except WorkerGone:
                    if given or is_last:
                        raise EngineFailed("The speech engines' process has ended.") from None
                else:
                    return

    async def _running(self) -> WorkerLink:
        """The worker; a new one if there is none."""
        if self._link is not None and not self._link.gone:
            return self._link
        # A worker that is being started is everybody's: it outlives a request that is cancelled.
        return await asyncio.shield(self._spawn(self._start()))

    async def _start(self) -> WorkerLink:
        async with self._starting:
            if self._closed:
                raise EngineFailed("The speech engines are closed.")
            if self._link is not None and self._link.gone:
                await self._link.close()
                self._link = None
            if self._link is None:
                self._outdated = False
                self._link = await WorkerLink.start(self._settings)
            return self._link

    async def _preload(self, language: str) -> None:
        with suppress(EngineError):
            async with aclosing(self._ask({"do": "preload", "language": language})) as frames:
                async for _ in frames:
                    pass

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        self._requests += 1
        self._stop_idling()
        try:
            yield
        finally:
            self._requests -= 1
            if not self._requests and not self._closed:
                loop = asyncio.get_running_loop()
                delay = 0.0 if self._outdated else self._idle_timeout
                self._idle = loop.call_later(delay, self._spawn_unload)

    def _stop_idling(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _spawn_unload(self) -> None:
        self._spawn(self.unload())

    def _spawn(self, work: Coroutine[None, None, _T]) -> asyncio.Task[_T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
