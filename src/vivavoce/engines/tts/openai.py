"""Any server that speaks the OpenAI protocol at /v1/audio/speech.

What a server says in an error never reaches a message of ours: it may quote the key.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib import import_module
from ipaddress import ip_address
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vivavoce.engines.casting import cast
from vivavoce.engines.pcm import Resampler, wav_header
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.tts.breaker import Breaker
from vivavoce.engines.words import estimate
from vivavoce.errors import EngineFailed
from vivavoce.ports import Clock
from vivavoce.vocabulary.audio import HOUSE_FORMAT, PcmFormat, SpeechChunk, Synthesize, Voice

if TYPE_CHECKING:
    import httpx

_DEFAULT_VOICE = "alloy"
_DEAD_SECONDS = 5.0
"""How long a server that did not answer is not asked again."""
_MAX_BYTES = 30_000_000
"""Ten minutes of speech: no segment is longer."""
_HELD_BYTES = 960
"""20 ms, held back so that there is always a last chunk, which tells the words' times."""
_FAULTS: Mapping[int, str] = {
    400: "the server did not accept the request",
    401: "the API key was rejected",
    403: "the API key was rejected",
    404: "the server does not have that address, model or voice",
    429: "the server is busy, or the account's quota is used up",
}


class _Monotonic:
    def now(self) -> float:
        return time.monotonic()


class OpenAI:
    """The `Synthesizer` of one OpenAI-compatible server. Word times are estimated."""

    def __init__(self, settings: EngineSettings, clock: Clock | None = None) -> None:
        self._settings = settings
        self._breaker = Breaker(clock or _Monotonic(), _DEAD_SECONDS)
        self._opened: httpx.AsyncClient | None = None

    async def voices(self) -> tuple[Voice, ...]:
        """The configured voice; none where no server is configured."""
        if not self._settings.openai_base_url:
            return ()
        return (
            Voice(
                self._settings.openai_voice or _DEFAULT_VOICE,
                "openai",
                self._settings.openai_languages,
                f"{self._settings.openai_model} at {self._host}",
                local=_is_loopback(self._host),
            ),
        )

    async def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Speak a text; words' times come with the last chunk. Raises `NoVoice`, `EngineFailed`."""
        voice = cast(await self.voices(), replace(request, engine="openai"))
        if self._breaker.open:
            raise self._failure("it does not answer; it is asked again in some seconds")
        pcm = bytearray()
        told = 0
        async with self._answer(request, voice) as response:
            async for piece in _house_pcm(response.aiter_bytes()):
                pcm += piece
                if len(pcm) > _MAX_BYTES:
                    raise self._failure("the server sent more sound than any text is long")
                if len(pcm) - told > _HELD_BYTES:
                    yield SpeechChunk(bytes(pcm[told:-_HELD_BYTES]), exact=False)
                    told = len(pcm) - _HELD_BYTES
        if not pcm:
            raise self._failure("the server sent no sound")
        yield SpeechChunk(bytes(pcm[told:]), estimate(request.text, bytes(pcm)), exact=False)

    async def close(self) -> None:
        """Close the connection."""
        if self._opened is not None:
            await self._opened.aclose()
            self._opened = None

    @property
    def _host(self) -> str:
        return urlsplit(self._settings.openai_base_url).hostname or ""

    @property
    def _address(self) -> str:
        base = self._settings.openai_base_url.rstrip("/").removesuffix("/v1")
        return f"{base}/v1/audio/speech"

    def _client(self) -> "httpx.AsyncClient":
        """The one client, whose connection is kept open between requests."""
        if self._opened is None:
            httpx = _httpx()
            key = self._settings.openai_api_key
            headers = {b"Accept-Encoding": b"identity"}
            if key:
                headers[b"Authorization"] = f"Bearer {key}".encode()
            self._opened = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(
                    self._settings.read_seconds, connect=self._settings.connect_seconds
                ),
                trust_env=not _is_loopback(self._host),
            )
        return self._opened

    @asynccontextmanager
    async def _answer(self, request: Synthesize, voice: Voice) -> AsyncIterator["httpx.Response"]:
        """The server's answer, once it is known to be sound. Raises `EngineFailed`."""
        httpx = _httpx()
        body = {
            "model": self._settings.openai_model,
            "voice": voice.name,
            "input": request.text,
            "response_format": "pcm",
            "speed": request.speed,
        }
        try:
            async with self._client().stream("POST", self._address, json=body) as response:
                self._check(response)
                yield response
        # The cause is dropped on purpose: its text holds the address, which may hold a password.
        except httpx.TimeoutException:
            self._breaker.trip()
            raise self._failure("the server did not answer in time") from None
        except httpx.TransportError:
            self._breaker.trip()
            raise self._failure("the server cannot be reached, or broke off") from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise self._failure("the server's answer or its address makes no sense") from None

    def _check(self, response: "httpx.Response") -> None:
        status = response.status_code
        if status >= 500:
            self._breaker.trip()
            raise self._failure(f"the server has a fault of its own ({status})")
        self._breaker.close()
        if status != 200:
            fault = _FAULTS.get(status, "the server refused")
            raise self._failure(f"{fault} ({status})")
        kind = response.headers.get("content-type", "")
        if kind.startswith(("text/", "application/json")):
            raise self._failure("the server answered with text instead of sound")

    def _failure(self, reason: str) -> EngineFailed:
        return EngineFailed(f"Speech from {self._host} failed: {reason}.")


async def _house_pcm(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The sound in the house format; what is no WAV file is in the house format already."""
    head = b""
    resampler = None
    async for piece in pieces:
        if resampler is not None:
            yield resampler.feed(piece)
            continue
        head += piece
        start = _beginning(head)
        if start is not None:
            source, at = start
            resampler = Resampler(source)
            yield resampler.feed(head[at:])
    if resampler is not None:
        yield resampler.feed(b"", last=True)


def _beginning(head: bytes) -> tuple[PcmFormat, int] | None:
    """Format of the sound and where it begins; None: too little has come to tell."""
    if len(head) < 4:
        return None
    return wav_header(head) if head.startswith(b"RIFF") else (HOUSE_FORMAT, 0)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _httpx() -> ModuleType:
    """httpx, imported when the first request is made: who configures no server pays nothing."""
    return import_module("httpx")
