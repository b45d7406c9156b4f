import asyncio
import io
import re
import wave
from array import array
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from tests.contract.synthesizer import SynthesizerContract, collect, samples
from tests.engines.tts.loopback import Answer, loopback
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.tts import openai as module
from vivavoce.engines.tts.openai import OpenAI
from vivavoce.errors import EngineFailed, NoVoice
from vivavoce.testing.synthesizer import tones
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Synthesize

KEY = "sk-" + "proj-" + "EXAMPLE" + "example0123456789abcd"
HELLO = Synthesize("hello there my friend", "en")


class StoppedClock:
    seconds = 0.0

    def now(self) -> float:
        return self.seconds


@asynccontextmanager
async def talking_to(answer, **settings):
    """An engine whose server always gives this answer, and the server."""
    async with (
        loopback(lambda asked: answer) as server,
        speaking_with(server, **settings) as engine,
    ):
        yield engine, server


@asynccontextmanager
async def speaking_with(server, clock=None, **settings):
    engine = OpenAI(
        EngineSettings(openai_base_url=server.address, openai_api_key=KEY, **settings),
        clock or StoppedClock(),
    )
    try:
        yield engine
    finally:
        await engine.close()


class TestOpenAI(SynthesizerContract):
    exact = False

    @pytest.fixture
    async def synthesizer(self):
        async with loopback() as server, speaking_with(server) as engine:
            yield engine


async def test_without_a_server_there_is_no_voice():
    engine = OpenAI(EngineSettings())
    assert await engine.voices() == ()
    with pytest.raises(NoVoice):
        await collect(engine, HELLO)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:8880", True),
        ("http://127.0.0.2:8880/v1", True),
        ("http://[::1]:8880", True),
        ("https://speech.example.com/v1", False),
        ("http://192.168.1.7:8880", False),
    ],
)
async def test_only_a_server_on_this_machine_is_local(address, local):
    (voice,) = await OpenAI(EngineSettings(openai_base_url=address)).voices()
    assert voice.local is local


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_asks_the_way_the_protocol_says(suffix):
    async with loopback() as server:
        server.address += suffix
        async with speaking_with(server, openai_model="kokoro", openai_voice="nova") as engine:
            await collect(engine, replace(HELLO, speed=1.25))
        assert server.headers[0].startswith(b"POST /v1/audio/speech ")
        assert f"Bearer {KEY}".encode() in server.headers[0]
        assert server.requests == [
            {
                "model": "kokoro",
                "voice": "nova",
                "input": HELLO.text,
                "response_format": "pcm",
                "speed": 1.25,
            }
        ]


async def test_gives_the_sound_as_the_server_sends_it():
    async with loopback() as server, speaking_with(server) as engine:
        chunks = await collect(engine, HELLO)
    assert b"".join(chunk.pcm for chunk in chunks) == tones(HELLO.text)[0]
    assert len(chunks) > 1


async def test_keeps_one_connection_open():
    async with loopback() as server, speaking_with(server) as engine:
        for _ in range(3):
            await collect(engine, HELLO)
        assert server.connections == 1


async def test_a_wav_file_of_another_rate_is_taken_too():
    async with talking_to(wav(rate=44_100, channels=2)) as (engine, _):
        chunks = await collect(engine, HELLO)
    assert samples(chunks) == pytest.approx(HOUSE_FORMAT.rate, abs=2)
    heard = array("h", b"".join(chunk.pcm for chunk in chunks))
    assert heard[len(heard) // 2] == pytest.approx(5_000, abs=20)


async def test_closing_hangs_up():
    gate = asyncio.Event()
    answer = Answer([bytes(8_000)] * 2, gate=gate)
    async with asyncio.timeout(10), talking_to(answer) as (engine, server):
        chunks = engine.synthesize(HELLO)
        await anext(chunks)
        await chunks.aclose()
        await server.hung_up.wait()


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "key was rejected"),
        (403, "key"),
        (404, "model"),
        (429, "busy"),
        (500, "own"),
        (302, ""),
    ],
)
async def test_an_error_says_what_and_never_quotes_the_server(status, says):
    quote = f'{{"error": "Incorrect API key provided: {KEY}"}}'.encode()
    answer = Answer([quote], status=status, kind="application/json")
    async with talking_to(answer) as (engine, _):
        with pytest.raises(EngineFailed) as caught:
            await collect(engine, HELLO)
    assert says in str(caught.value)
    assert str(status) in str(caught.value)
    told = everything_told(caught.value)
    assert not re.search("sk-?proj|EXAMPLE|Incorrect", told)


async def test_a_password_in_the_address_is_not_told():
    async with loopback() as server:
        where = server.address.replace("//", "//user:" + "hunter2" + "@")
    engine = OpenAI(EngineSettings(openai_base_url=where), StoppedClock())
    with pytest.raises(EngineFailed) as caught:
        await collect(engine, HELLO)
    assert "hunter2" not in everything_told(caught.value)
    await engine.close()


async def test_a_dead_server_is_not_asked_again_for_some_seconds():
    clock = StoppedClock()
    async with loopback() as server:
        pass
    async with speaking_with(server, clock) as engine:
        with pytest.raises(EngineFailed, match="cannot be reached"):
            await collect(engine, HELLO)
        async with revived(server):
            with pytest.raises(EngineFailed, match="asked again"):
                await collect(engine, HELLO)
            clock.seconds += 6
            assert await collect(engine, HELLO)


async def test_a_server_that_hangs_is_given_up():
    answer = Answer([b"\0\0", b"\0\0"], gate=asyncio.Event())
    async with talking_to(answer, read_seconds=0.05) as (engine, _):
        with pytest.raises(EngineFailed, match="in time"):
            await collect(engine, HELLO)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer([]), "no sound"),
        (Answer([b"<html>"], kind="text/html"), "text instead of sound"),
        (Answer([b"RIFF....WAVEdata\0\0\0\0"]), "cannot be read"),
    ],
)
async def test_what_is_no_sound_is_an_error(answer, says):
    async with talking_to(answer) as (engine, _):
        with pytest.raises(EngineFailed, match=says):
            await collect(engine, HELLO)


async def test_a_server_that_never_stops_sending_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "_MAX_BYTES", 10_000)
    async with talking_to(Answer([bytes(8_000)] * 9)) as (engine, _):
        with pytest.raises(EngineFailed, match="more sound"):
            await collect(engine, HELLO)


def everything_told(error: BaseException) -> str:
    """The text of an error and of all that a traceback would print with it."""
    told = [f"{error!s} {error!r} {vars(error)}"]
    if error.__cause__ is not None:
        told.append(everything_told(error.__cause__))
    if error.__context__ is not None and not error.__suppress_context__:
        told.append(everything_told(error.__context__))
    return " ".join(told)


@asynccontextmanager
async def revived(server):
    host, port = server.address.removeprefix("http://").split(":")
    async with await asyncio.start_server(server.serve, host, int(port)):
        yield


def wav(rate: int, channels: int) -> Answer:
    """One second of a constant, in one file with a lying length, as servers stream it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(array("h", [5_000] * rate * channels).tobytes())
    data = bytearray(file.getvalue())
    data[40:44] = b"\xff\xff\xff\xff"
    return Answer([bytes(data[at : at + 999]) for at in range(0, len(data), 999)], kind="audio/wav")
