"""The sound card, as a null sink of a real sound server hears it.

What a test asserts of time is an order, or lies within half a second; figures are the benchmark's.
"""

import asyncio
import time
from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from tests.contract.speaker import Rig, SpeakerContract, opened
from vivavoce.errors import PlaceError
from vivavoce.places import desk
from vivavoce.places.desk import DeskPlace, default_backends
from vivavoce.places.device import Backend, Output, Source
from vivavoce.places.miniaudio_output import MiniAudio
from vivavoce.places.portaudio import PortAudio
from vivavoce.testing.soundserver import (
    Recorder,
    Recording,
    SoundServer,
    correlation,
    noise,
    tone,
)
from vivavoce.vocabulary.audio import Fence

RATE = 24_000
RUN = Fence(1, 1)
BACKENDS = pytest.mark.parametrize("backend", [PortAudio, MiniAudio])


@asynccontextmanager
async def at_the_desk(backend: type[Backend] | None = None, **ways: object) -> AsyncIterator[Rig]:
    backends = (backend(),) if backend else None
    async with opened(Rig(DeskPlace(backends=backends, **ways))) as rig:
        yield rig


async def heard(recorder: Recorder) -> Recording:
    """What sounded until now."""
    return await asyncio.to_thread(recorder.wait_until, time.monotonic())


async def until_audible(recorder: Recorder) -> None:
    async with asyncio.timeout(5):
        while (await heard(recorder)).first_sound() is None:
            await asyncio.sleep(0.01)


async def until_silent(recorder: Recorder) -> None:
    """Wait until nothing has sounded for a while."""
    async with asyncio.timeout(5):
        while True:
            recording = await heard(recorder)
            last = recording.last_sound()
            if last is not None and time.monotonic() - last > 0.2:
                return
            await asyncio.sleep(0.02)


def alike(recording: Recording, pcm: bytes) -> float:
    return correlation(recording.samples, array("h", pcm))[0]


class AtASoundServer(SpeakerContract):
    backend: type[Backend]

    @pytest.fixture
    async def rig(self, sound_server: SoundServer) -> AsyncIterator[Rig]:
        async with at_the_desk(self.backend) as rig:
            yield rig


class TestPortAudio(AtASoundServer):
    backend = PortAudio


class TestMiniAudio(AtASoundServer):
    backend = MiniAudio


@BACKENDS
async def test_what_is_heard_is_what_was_written(
    backend: type[Backend], sound_server: SoundServer
) -> None:
    said = noise(0.5)
    with sound_server.record() as recorder:
        async with at_the_desk(backend) as rig:
            rig.speaker.start(RUN)
            await rig.feed(RUN, said)
            rig.speaker.finish(RUN)
            await rig.until_drained(RUN, len(said) // 2)
            recording = await heard(recorder)
    assert alike(recording, said) > 0.95


@BACKENDS
async def test_drained_means_that_the_last_sample_was_heard(
    backend: type[Backend], sound_server: SoundServer
) -> None:
    with sound_server.record() as recorder:
        async with at_the_desk(backend) as rig:
            rig.speaker.start(RUN)
            await rig.feed(RUN, tone(10_000 / RATE))
            rig.speaker.finish(RUN)
            await rig.until_drained(RUN, 10_000)
        # The device was closed at once: had it still held samples, they would be missing.
        recording = await heard(recorder)
    assert recording.sounding() == pytest.approx(10_000, abs=100)


@BACKENDS
async def test_a_pause_is_silent_and_loses_no_sample(
    backend: type[Backend], sound_server: SoundServer
) -> None:
    said = noise(0.5)
    with sound_server.record() as recorder:
        async with at_the_desk(backend) as rig:
            rig.speaker.start(RUN)
            await rig.feed(RUN, said)
            rig.speaker.finish(RUN)
            await until_audible(recorder)
            rig.speaker.pause()
            await until_silent(recorder)
            stopped = rig.played(RUN)[-1]
            rig.speaker.resume()
            await rig.until_drained(RUN, RATE // 2)
            recording = await heard(recorder)
    assert 0 < stopped < RATE // 2
    before, after = said[: 2 * stopped], said[2 * stopped :]
    assert alike(recording, before) > 0.95
    assert alike(recording, after) > 0.95


@BACKENDS
async def test_a_clear_silences_and_tells_what_was_heard(
    backend: type[Backend], sound_server: SoundServer
) -> None:
    with sound_server.record() as recorder:
        async with at_the_desk(backend) as rig:
            rig.speaker.start(RUN)
            rig.speaker.write(RUN, tone(2.0))
            await until_audible(recorder)
            rig.speaker.clear(RUN)
            told = rig.played(RUN)[-1]
            await until_silent(recorder)
            recording = await heard(recorder)
    assert told < 2 * RATE
    assert recording.sounding() == pytest.approx(told, abs=0.05 * RATE)


@BACKENDS
async def test_the_position_is_what_the_sink_has_heard(
    backend: type[Backend], sound_server: SoundServer
) -> None:
    told: list[tuple[float, int]] = []
    with sound_server.record() as recorder:
        async with at_the_desk(backend) as rig:
            rig.speaker.start(RUN)
            rig.speaker.write(RUN, tone(0.5))
            rig.speaker.finish(RUN)
            while not rig.drained(RUN):
                await rig._next()
                told += [(time.monotonic(), position) for position in rig.played(RUN)[-1:]]
            recording = await heard(recorder)
    began = recording.first_sound()
    assert began is not None
    errors = sorted(samples / RATE - (when - began) for when, samples in told[:-1])
    assert errors
    # Half of them: a machine that is busy may look late at some.
    assert -0.05 < errors[len(errors) // 2] < 0.01


@BACKENDS
async def test_no_volume_is_silence_and_costs_no_sample(
    backend: type[Backend], sound_server: SoundServer
) -> None:
    with sound_server.record() as recorder:
        async with at_the_desk(backend) as rig:
            rig.speaker.start(RUN)
            rig.speaker.set_volume(0.0)
            # The loudness is reached within the first block, so let that be silent.
            await rig.feed(RUN, bytes(RATE // 5) + tone(0.3))
            rig.speaker.finish(RUN)
            await rig.until_drained(RUN, RATE // 10 + round(0.3 * RATE))
            recording = await heard(recorder)
    assert recording.first_sound() is None


@BACKENDS
async def test_a_sound_server_that_dies_is_reported_and_its_successor_found(
    backend: type[Backend], own_sound_server: SoundServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "FIRST_PATIENCE_SECONDS", desk.PATIENCE_SECONDS)
    async with at_the_desk(backend) as rig:
        rig.speaker.start(RUN)
        rig.speaker.write(RUN, noise(1.0))
        await rig.until_played(RUN, 1)
        own_sound_server.kill()
        await rig.until_lost()
        assert rig.speaker.write(RUN, noise(0.1)) == 0
        with pytest.raises(PlaceError) as told:
            await rig.speaker.open(rig.report)
        assert told.value.code == "no-sound-card"
        assert told.value.mend
        own_sound_server.stop()
        own_sound_server.start()
        await rig.speaker.open(rig.report)
        rig.speaker.start(Fence(2, 1))
        await rig.feed(Fence(2, 1), noise(0.1))
        rig.speaker.finish(Fence(2, 1))
        await rig.until_drained(Fence(2, 1), RATE // 10)


@BACKENDS
async def test_the_next_run_goes_to_the_new_default(
    backend: type[Backend], own_sound_server: SoundServer
) -> None:
    with own_sound_server.record("spk") as old, own_sound_server.record("bluez_headset") as new:
        async with at_the_desk(backend) as rig:
            await say(rig, RUN, 0.2)
            own_sound_server.set_default("bluez_headset")
            await rig.speaker.open(rig.report)
            await say(rig, Fence(1, 2), 0.4)
            at_old, at_new = await heard(old), await heard(new)
    assert at_old.sounding() == pytest.approx(0.2 * RATE, abs=100)
    assert at_new.sounding() == pytest.approx(0.4 * RATE, abs=100)


async def test_a_pinned_device_wins_while_it_exists(own_sound_server: SoundServer) -> None:
    pinned = {"device": "bluez_headset"}
    with (
        own_sound_server.record("spk") as default,
        own_sound_server.record("bluez_headset") as headset,
    ):
        async with at_the_desk(**pinned) as rig:
            await say(rig, RUN, 0.2)
            assert (await heard(default)).sounding() == 0
            assert (await heard(headset)).sounding() == pytest.approx(0.2 * RATE, abs=100)
    with own_sound_server.record("spk") as default:
        async with at_the_desk(device="unplugged") as rig:
            await say(rig, RUN, 0.2)
            assert (await heard(default)).sounding() == pytest.approx(0.2 * RATE, abs=100)


async def test_silence_goes_first_where_a_headset_slept_and_not_again(
    own_sound_server: SoundServer,
) -> None:
    own_sound_server.set_default("bluez_headset")
    async with at_the_desk() as rig:
        assert rig.speaker.place.description == "bluez_headset"
        leads = []
        for run in (1, 2):
            rig.speaker.start(Fence(1, run))
            leads.append(rig.speaker._ring._lead_in)
            await say_on(rig, Fence(1, run), 0.1)
    assert leads == [round(0.2 * RATE), 0]


async def test_a_device_that_rests_is_closed_and_wakes_for_the_next_run(
    sound_server: SoundServer,
) -> None:
    async with at_the_desk(rest_seconds=0.0) as rig:
        await say(rig, RUN, 0.1)
        async with asyncio.timeout(5):
            while rig.speaker.awake:
                await asyncio.sleep(0.01)
        await say(rig, Fence(1, 2), 0.1)


class RefusesTheHouseRate(PortAudio):
    """As raw ALSA devices do: only their own rate is taken."""

    def open(self, device: str, rates: Sequence[int], source: Source) -> Output:
        return super().open(device, (), source)


async def test_a_device_of_another_rate_gets_every_sample(sound_server: SoundServer) -> None:
    said = noise(0.4)
    with sound_server.record() as recorder:
        async with at_the_desk(RefusesTheHouseRate) as rig:
            assert rig.speaker._output.rate == 44_100
            rig.speaker.start(RUN)
            await rig.feed(RUN, said)
            rig.speaker.finish(RUN)
            await rig.until_drained(RUN, len(said) // 2)
        recording = await heard(recorder)
    assert alike(recording, said) > 0.95


class Missing(PortAudio):
    """As where the library is not installed."""

    def open(self, device: str, rates: Sequence[int], source: Source) -> Output:
        raise PlaceError("PortAudio is not installed.")


async def test_miniaudio_takes_over_where_portaudio_is_missing(sound_server: SoundServer) -> None:
    with sound_server.record() as recorder:
        async with opened(Rig(DeskPlace(backends=(Missing(), MiniAudio())))) as rig:
            await say(rig, RUN, 0.2)
            recording = await heard(recorder)
    assert recording.sounding() == pytest.approx(0.2 * RATE, abs=100)


async def test_no_sound_card_is_told_in_one_sentence_with_its_mend(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PULSE_SERVER", "unix:/nowhere")
    monkeypatch.setenv("ALSA_CONFIG_PATH", "/nowhere")
    with pytest.raises(PlaceError, match=r"^No loudspeaker can be opened: [^.]*\.$") as told:
        await DeskPlace(backends=default_backends()).open(lambda _report: None)
    assert told.value.code == "no-sound-card"
    assert capfd.readouterr().err == ""


async def say(rig: Rig, fence: Fence, seconds: float) -> None:
    rig.speaker.start(fence)
    await say_on(rig, fence, seconds)


async def say_on(rig: Rig, fence: Fence, seconds: float) -> None:
    await rig.feed(fence, tone(seconds))
    rig.speaker.finish(fence)
    await rig.until_drained(fence, round(seconds * RATE))
