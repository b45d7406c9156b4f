"""Plays through miniaudio, which brings its own library and needs nothing installed."""

import atexit
from collections.abc import Generator, Sequence
from functools import cache
from types import ModuleType

from vivavoce.errors import PlaceError
from vivavoce.places.device import Output, Source
from vivavoce.places.hush import hushed_stderr

PERIOD_SECONDS = 0.01
PERIODS = 4


@cache
def _library() -> ModuleType:
    try:
        import miniaudio
    except (OSError, ImportError) as error:
        raise PlaceError(
            "miniaudio cannot be loaded.", code="no-miniaudio", mend="pip install miniaudio"
        ) from error
    assert isinstance(miniaudio, ModuleType)
    return miniaudio


class MiniAudio:
    """The sound devices that miniaudio finds."""

    name = "miniaudio"

    def devices(self) -> Sequence[str]:
        """The names of all devices that play. Raises `PlaceError`."""
        return [str(found["name"]) for found in self._found()]

    def open(self, device: str, rates: Sequence[int], source: Source) -> Output:
        """Open a device at the first rate, which miniaudio converts. Raises `PlaceError`."""
        found = self._found()
        if not found:
            raise PlaceError("miniaudio finds no device that plays.")
        chosen = next((one for one in found if one["name"] == device), None)
        try:
            return _Stream(_library(), chosen, device or "default", rates[0], source)
        except _library().MiniaudioError as error:
            name = device or "the default device"
            raise PlaceError(f"miniaudio cannot open {name} ({error}).") from error

    def _found(self) -> list[dict[str, object]]:
        library = _library()
        try:
            with hushed_stderr():
                devices = library.Devices(_audible_backends(library))
                return list(devices.get_playbacks())
        except library.MiniaudioError as error:
            raise PlaceError("miniaudio finds no sound system.") from error


def _audible_backends(library: ModuleType) -> list[object]:
    """All sound systems, without the one that plays nowhere."""
    silent = (library.Backend.NULL, library.Backend.CUSTOM)
    return [backend for backend in library.Backend if backend not in silent]


class _Stream:
    def __init__(
        self,
        library: ModuleType,
        chosen: dict[str, object] | None,
        name: str,
        rate: int,
        source: Source,
    ) -> None:
        self.name = name
        self.rate = rate
        with hushed_stderr():
            self._device = library.PlaybackDevice(
                output_format=library.SampleFormat.SIGNED16,
                nchannels=1,
                sample_rate=rate,
                buffersize_msec=round(PERIOD_SECONDS * 1000),
                callback_periods=PERIODS,
                device_id=chosen["id"] if chosen else None,
                backends=_audible_backends(library),
                app_name="vivavoce",
            )
        blocks = _blocks(source, rate)
        next(blocks)
        self._device.start(blocks)
        # A device that still asks while the interpreter goes down would keep it from going.
        atexit.register(self.close)

    def close(self) -> None:
        """Discard what the device still holds."""
        atexit.unregister(self.close)
        self._device.close()


def _blocks(source: Source, rate: int) -> Generator[bytes, int, None]:
    frames = yield b""
    while True:
        frames = yield source(frames, None, rate)
