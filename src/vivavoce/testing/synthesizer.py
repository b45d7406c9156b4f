"""A synthesizer whose words are tone bursts: known sound, known times, faults on request."""

import asyncio
import math
from array import array
from collections.abc import AsyncGenerator
from functools import lru_cache

from vivavoce.errors import EngineFailed, NoVoice
from vivavoce.vocabulary.audio import HOUSE_FORMAT, SpeechChunk, Synthesize, Voice, WordTime
from vivavoce.vocabulary.speech import Span

BURST_MS = 120
"""Length of a word at speed 1."""
GAP_MS = 80
"""Silence after each word at speed 1."""
SLOW_SECONDS = 5.0
"""What the voice "slow" waits before its first chunk."""
_TAGS = (
    "en de zh ar bg ca cs da el es et fa fi fr he hi hr hu id is it ja ko lt lv ms nb nl no pl pt"
    " ro ru sk sl sr sv sw ta th tr uk vi"
)
LANGUAGES = tuple(_TAGS.split())
_AMPLITUDE = 8_000


def frequency(word: int) -> int:
    """Hertz of the tone of a text's n-th word, counted from 0."""
    return 600 + 40 * (word % 40)


class ScriptedSynthesizer:
    """Speaks each word as a tone; the n-th word's tone is always the same.

    `gate` is waited for before the first chunk of each request; `fail_after` chunks the engine
    fails. `started` and `closed` count requests, so that a test sees a cancellation arrive.
    """

    def __init__(
        self,
        *,
        languages: tuple[str, ...] = LANGUAGES,
        chunk_ms: int = 100,
        gate: asyncio.Event | None = None,
        fail_after: int | None = None,
        ready: bool = True,
    ) -> None:
        self._languages = languages
        self._chunk_bytes = HOUSE_FORMAT.samples(chunk_ms / 1000) * HOUSE_FORMAT.frame_bytes
        self._gate = gate
        self._fail_after = fail_after
        self._ready = ready
        self.started = 0
        self.closed = 0

    async def voices(self) -> tuple[Voice, ...]:
        """The voice "tones", and "slow" that waits before it speaks."""
        why = "" if self._ready else "it was told not to be ready"
        return tuple(
            Voice(name, "tones", self._languages, "tone bursts", ready=self._ready, why=why)
            for name in ("tones", "slow")
        )

    async def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Speak a text as tones; each chunk tells the words that begin in it."""
        self._check(request)
        self.started += 1
        try:
            await self._wait(request.voice)
            pcm, words = tones(request.text, request.speed)
            for index, start in enumerate(range(0, len(pcm), self._chunk_bytes)):
                # As with any real engine, the loop has its turn between chunks.
                await asyncio.sleep(0)
                if index == self._fail_after:
                    raise EngineFailed("The scripted engine failed, as it was told to.")
                yield _chunk(pcm, words, start, start + self._chunk_bytes)
        finally:
            self.closed += 1

    def _check(self, request: Synthesize) -> None:
        if request.voice not in {"", "tones", "slow"}:
            raise NoVoice(f"There is no voice {request.voice!r} here. Did you mean tones?")
        if request.language not in self._languages:
            raise NoVoice(f"No voice here speaks {request.language!r}.")

    async def _wait(self, voice: str) -> None:
        if voice == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        if self._gate is not None:
            await self._gate.wait()


class Tones(ScriptedSynthesizer):
    """The same as an engine of the worker, named "tones"."""

    def __init__(self, _settings: object) -> None:
        super().__init__()


def tones(text: str, speed: float = 1.0) -> tuple[bytes, tuple[WordTime, ...]]:
    """The PCM of a text in tones, and the exact time of each word between white space."""
    burst, gap = (HOUSE_FORMAT.samples(ms / speed / 1000) for ms in (BURST_MS, GAP_MS))
    pcm = bytearray()
    words = []
    at = 0
    for index, word in enumerate(text.split()):
        at = text.index(word, at)
        start = index * (burst + gap)
        words.append(WordTime(Span(at, at + len(word)), start, start + burst))
        pcm += _burst(frequency(index), burst) + bytes(gap * HOUSE_FORMAT.frame_bytes)
        at += len(word)
    return bytes(pcm), tuple(words)


@lru_cache(maxsize=256)
def _burst(hertz: int, samples: int) -> bytes:
    step = 2 * math.pi * hertz / HOUSE_FORMAT.rate
    return array("h", (round(_AMPLITUDE * math.sin(step * n)) for n in range(samples))).tobytes()


def _chunk(pcm: bytes, words: tuple[WordTime, ...], start: int, end: int) -> SpeechChunk:
    first, stop = start // HOUSE_FORMAT.frame_bytes, end // HOUSE_FORMAT.frame_bytes
    return SpeechChunk(pcm[start:end], tuple(w for w in words if first <= w.start < stop))
