"""The sound card of this machine.

The device stays open while it speaks and for a while after, so that the next utterance starts at
once, and is closed then, so that the machine or a headset can sleep. A device that stops asking for
sound is lost, whatever its library says. Opening again looks for the default of that time.
"""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from vivavoce.errors import PlaceError
from vivavoce.places.device import Backend, Output
from vivavoce.places.miniaudio_output import PERIOD_SECONDS, MiniAudio
from vivavoce.places.pacing import PacedSpeaker
from vivavoce.places.portaudio import PortAudio
from vivavoce.places.sound_server import default_sink, mend, stream_latency
from vivavoce.sound.resample import OutputResampler
from vivavoce.vocabulary.audio import HOUSE_FORMAT
from vivavoce.vocabulary.place import Place, SpeakerReport

REST_SECONDS = 30.0
WATCH_SECONDS = 0.2
PATIENCE_SECONDS = 0.8
"""For how long a device may ask for nothing."""
FIRST_PATIENCE_SECONDS = 3.0
"""A sound server that was idle may first finish a buffer of two seconds."""
ASK_SECONDS = 2.0
"""How often the sound server is asked how long sound waits in it, while something plays."""
UNTOLD_SECONDS = 0.03
"""For how long a block waits before it sounds, where neither library nor server tells."""
UNTOLD_SLEEPY_SECONDS = 0.25
"""The same for a Bluetooth device: rather too late than heard before it sounds."""
SLEEPY = ("bluetooth", "bluez")
SLEEPY_AFTER_SECONDS = 5.0


class DeskPlace(PacedSpeaker):
    """Plays on a device by name, or on the default device while there is none of that name.

    `lead_in` is how many seconds of silence go before speech on a Bluetooth device that slept.
    """

    def __init__(
        self,
        device: str = "",
        *,
        rest_seconds: float = REST_SECONDS,
        lead_in: float = 0.2,
        backends: Sequence[Backend] | None = None,
    ) -> None:
        super().__init__()
        self.place = Place("desk", can_be_missing=True)
        self._device = device
        self._rest_seconds = rest_seconds
        self._lead_in = HOUSE_FORMAT.samples(lead_in)
        self._backends = tuple(backends or default_backends())
        self._thread: ThreadPoolExecutor | None = None
        self._tap: _Tap | None = None
        self._output: Output | None = None
        self._waking: asyncio.Task[None] | None = None
        self._watch_timer: asyncio.TimerHandle | None = None
        self._waking_run: asyncio.Task[None] | None = None
        self._sleepy = False
        self._quiet_since = float("-inf")
        self._asked_at = float("-inf")
        self._rested_since = 0.0

    async def open(self, report: Callable[[SpeakerReport], None]) -> None:
        """Open the device, if it is not. Raises `PlaceError`."""
        self._report = report
        await self._wake()

    async def close(self) -> None:
        """Fall silent and give the device back."""
        self._silence()
        if self._waking is not None:
            await asyncio.wait([self._waking])
        closing = self._let_go()
        if closing is not None:
            await asyncio.wait([closing], timeout=2.0)
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    @property
    def awake(self) -> bool:
        """Whether the device is open."""
        return self._output is not None

    # -- opening and closing, on a thread: it may take seconds ------------------------------------

    async def _wake(self) -> None:
        if self._output is not None:
            return
        if self._waking is None:
            self._waking = asyncio.get_running_loop().create_task(self._open_device())
        try:
            await asyncio.shield(self._waking)
        finally:
            if self._waking is not None and self._waking.done():
                self._waking = None

    async def _open_device(self) -> None:
        tap = _Tap(self._take)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "desk")
        opening = partial(open_output, self._backends, self._device, tap)
        loop = asyncio.get_running_loop()
        self._output, name = await loop.run_in_executor(self._thread, opening)
        self._tap = tap
        self.place = replace(self.place, description=name)
        self._sleepy = any(word in name.lower() for word in SLEEPY)
        tap.untold = UNTOLD_SLEEPY_SECONDS if self._sleepy else UNTOLD_SECONDS
        self._quiet_since = float("-inf")
        if self._ring.active:
            self._wake_listener()
        self._rested_since = self.now()
        self._watch()

    def _let_go(self) -> asyncio.Future[None] | None:
        """Close the device on its thread; from now on it gets silence."""
        output, self._output = self._output, None
        if self._watch_timer is not None:
            self._watch_timer.cancel()
            self._watch_timer = None
        if output is None or self._tap is None or self._thread is None:
            return None
        self._tap.cut = True
        return asyncio.get_running_loop().run_in_executor(self._thread, output.close)

    # -- runs ------------------------------------------------------------------------------------

    def _begun(self) -> None:
        if self._output is not None:
            self._wake_listener()
            self._ask_latency()
        else:
            self._waking_run = asyncio.get_running_loop().create_task(self._wake_for_run())

    def _ask_latency(self) -> None:
        """Ask the sound server, on the desk's thread, how long sound waits in it."""
        if self._tap is not None and self._thread is not None:
            self._asked_at = self.now()
            self._thread.submit(self._tap.learn)

    def _ended(self) -> None:
        self._rested_since = self._quiet_since = self.now()

    async def _wake_for_run(self) -> None:
        try:
            await self._wake()
        except PlaceError as error:
            self._abandon(error.message)

    def _wake_listener(self) -> None:
        """Let silence go first where the device slept."""
        if self._sleepy and self.now() - self._quiet_since > SLEEPY_AFTER_SECONDS:
            with self._lock:
                self._ring.lead_in(self._lead_in)

    # -- watching --------------------------------------------------------------------------------

    def _watch(self) -> None:
        self._watch_timer = None
        assert self._tap is not None
        now = self.now()
        if now - self._tap.asked_at > self._tap.patience(now):
            self._let_go()
            self._abandon("The loudspeaker is gone.")
        elif self._ring.active and now - self._asked_at > ASK_SECONDS:
            self._ask_latency()
            self._watch_again()
        elif not self._ring.active and now - self._rested_since > self._rest_seconds:
            self._let_go()
        else:
            self._watch_again()

    def _watch_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._watch_timer = loop.call_later(WATCH_SECONDS, self._watch)


class _Tap:
    """Where one opened device draws its sound; cut when the device is given up."""

    def __init__(self, take: Callable[[int, float], bytes]) -> None:
        self.cut = False
        self.untold = UNTOLD_SECONDS
        """Seconds that a block waits, where the library does not tell."""
        self.asked_at = self._opened_at = time.monotonic()
        self._take = take
        self._resampler: OutputResampler | None = None

    def patience(self, now: float) -> float:
        """For how many seconds the device may now ask for nothing."""
        young = now - self._opened_at < FIRST_PATIENCE_SECONDS
        return FIRST_PATIENCE_SECONDS if young else PATIENCE_SECONDS

    def learn(self) -> None:
        """Take what the sound server says of the delay, one block added. Blocks."""
        latency = stream_latency(os.getpid())
        if latency is not None:
            self.untold = latency + PERIOD_SECONDS

    def __call__(self, frames: int, told: float | None, rate: int) -> bytes:
        """The next block, on the device's thread."""
        now = self.asked_at = time.monotonic()
        delay = self.untold if told is None else told
        if self.cut:
            return bytes(frames * HOUSE_FORMAT.frame_bytes)
        if rate == HOUSE_FORMAT.rate:
            return self._take(frames, now + delay)
        resampler = self._resampler = self._resampler or OutputResampler(rate)
        return resampler.pull(
            frames, lambda samples: self._take(samples, now + delay + resampler.lag)
        )


def default_backends() -> tuple[Backend, ...]:
    """miniaudio, and PortAudio where that finds nothing to play on.

    Through PulseAudio miniaudio falls silent within 20 ms, PortAudio's way over ALSA needs 60.
    """
    return (MiniAudio(), PortAudio())


def open_output(backends: Sequence[Backend], device: str, tap: _Tap) -> tuple[Output, str]:
    """Open the named device where it exists, else the default; tell its name. Blocks.

    Raises `PlaceError` when no library can play.
    """
    rates = (HOUSE_FORMAT.rate,)
    if device:
        for backend in backends:
            if device in _devices(backend):
                return backend.open(device, rates, tap), device
    failures = []
    for backend in backends:
        try:
            output = backend.open("", rates, tap)
        except PlaceError as error:
            failures.append(error.message.rstrip("."))
            continue
        return output, default_sink() or output.name
    reasons = "; ".join(failures)
    raise PlaceError(f"No loudspeaker can be opened: {reasons}.", code="no-sound-card", mend=mend())


def _devices(backend: Backend) -> Sequence[str]:
    try:
        return backend.devices()
    except PlaceError:
        return ()
