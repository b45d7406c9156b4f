"""Plays through PortAudio, which `sounddevice` wraps."""

import subprocess
import sys
from array import array
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Protocol

from vivavoce.errors import PlaceError
from vivavoce.places.device import Output, Source
from vivavoce.places.hush import hush_alsa, hushed_stderr

PROBE_SECONDS = 10.0
BLOCK_SECONDS = 0.02
LATENCY_SECONDS = 0.04
"""Below this, streams through ALSA's PulseAudio plugin run away or stall; so do blocks of a size
that the plugin chooses itself."""


class _Times(Protocol):
    currentTime: float  # noqa: N815
    outputBufferDacTime: float  # noqa: N815


def _probe() -> None:
    """See that loading PortAudio does not abort: without a configuration of ALSA it does."""
    program = [sys.executable, "-c", "import sounddevice"]
    probe = subprocess.run(program, capture_output=True, timeout=PROBE_SECONDS, check=False)
    if probe.returncode < 0:
        raise PlaceError("PortAudio cannot be loaded.", code="no-portaudio")


@cache
def _library() -> ModuleType:
    """`sounddevice`; importing it starts PortAudio. Raises `PlaceError` where that is missing."""
    _probe()
    try:
        with hushed_stderr():
            import sounddevice
    except (OSError, ImportError) as error:
        raise PlaceError(
            "PortAudio is not installed.", code="no-portaudio", mend="apt install libportaudio2"
        ) from error
    assert isinstance(sounddevice, ModuleType)
    hush_alsa()
    return sounddevice


class PortAudio:
    """The sound devices that PortAudio finds."""

    name = "PortAudio"

    def __init__(self) -> None:
        self._fresh = True

    def devices(self) -> Sequence[str]:
        """The names of all devices that play. Raises `PlaceError`."""
        library = self._look_again()
        return [str(d["name"]) for d in library.query_devices() if d["max_output_channels"] > 0]

    def open(self, device: str, rates: Sequence[int], source: Source) -> Output:
        """Open a device in mono, or in stereo where it has no mono. Raises `PlaceError`."""
        library = self._look_again()
        try:
            found = library.query_devices(device or None, "output")
        except (library.PortAudioError, ValueError) as error:
            raise PlaceError("PortAudio finds no device that plays.") from error
        own = int(found["default_samplerate"])
        reason = ""
        for rate in (*rates, own):
            for channels in (1, 2):
                try:
                    return _Stream(library, str(found["name"]), (rate, channels), source)
                except library.PortAudioError as error:
                    reason = str(error.args[0]) if error.args else "unknown"
        raise PlaceError(f"PortAudio cannot open {found['name']} ({reason}).")

    def _look_again(self) -> ModuleType:
        """PortAudio lists devices once, when it starts: start it again to see today's."""
        library = _library()
        if not self._fresh:
            with hushed_stderr():
                library._terminate()  # noqa: SLF001
                library._initialize()  # noqa: SLF001
        self._fresh = False
        return library


class _Stream:
    def __init__(
        self, library: ModuleType, name: str, form: tuple[int, int], source: Source
    ) -> None:
        self.name = name
        self.rate, self._channels = form
        self._source = source
        with hushed_stderr():
            self._stream = library.RawOutputStream(
                samplerate=self.rate,
                channels=self._channels,
                dtype="int16",
                blocksize=round(self.rate * BLOCK_SECONDS),
                latency=LATENCY_SECONDS,
                callback=self._fill,
            )
        self._latency = float(self._stream.latency)
        self._stream.start()

    def _fill(self, block: memoryview, frames: int, times: _Times, _status: object) -> None:
        delay = times.outputBufferDacTime - times.currentTime
        pcm = self._source(frames, delay if delay > 0 else self._latency, self.rate)
        block[:] = pcm if self._channels == 1 else _doubled(pcm)

    def close(self) -> None:
        """Discard what the device still holds."""
        if sys.is_finalizing():
            return
        self._stream.close(ignore_errors=True)


def _doubled(pcm: bytes) -> bytes:
    """The same sound on two channels."""
    mono = array("h", pcm)
    stereo = array("h", bytes(2 * len(pcm)))
    stereo[0::2] = stereo[1::2] = mono
    return stereo.tobytes()
