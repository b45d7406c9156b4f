"""A sound server of one's own: a PulseAudio with null sinks, and ears at them.

What is played is recorded at the sink's monitor, and each sample has a time on the monotonic clock.
Needs the programs `pulseaudio` and `parec`; only `correlation` needs numpy.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

RATE = 24_000
AUDIBLE = 200
"""Samples louder than this are sound; a tone of speech is in the thousands."""
START_SECONDS = 10.0
READ_BYTES = 4_096

_ASOUNDRC = """\
pcm.!default { type pulse }
ctl.!default { type pulse }
"""


def missing_programs() -> list[str]:
    """What has to be installed before a sound server can be started."""
    return [name for name in ("pulseaudio", "parec", "pactl") if shutil.which(name) is None]


class SoundServer:
    """A private PulseAudio below `home`; as a context manager it is started and ended by its id."""

    def __init__(self, home: Path, sinks: Sequence[str] = ("spk",)) -> None:
        self.home = home
        self.sinks = tuple(sinks)
        runtime = home / "run"
        self.env: Mapping[str, str] = {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "PULSE_SERVER": f"unix:{runtime / 'pulse.sock'}",
            "ALSA_CONFIG_PATH": f"/usr/share/alsa/alsa.conf:{home / '.asoundrc'}",
        }
        """What a program needs in its environment to play here."""
        self._process: subprocess.Popen[bytes] | None = None
        self._listeners: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers. Raises `TimeoutError`."""
        runtime = Path(self.env["XDG_RUNTIME_DIR"])
        runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.home / ".asoundrc").write_text(_ASOUNDRC)
        socket = self.env["PULSE_SERVER"].removeprefix("unix:")
        Path(socket).unlink(missing_ok=True)
        command = ["pulseaudio", "--daemonize=no", "--exit-idle-time=-1", "-n"]
        command += ["-L", f"module-native-protocol-unix auth-anonymous=1 socket={socket}"]
        for sink in self.sinks:
            command += ["-L", _null_sink(sink)]
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_it_answers()
        # Or else the monitor that is recorded changes when the default sink does.
        self.control("set-default-source", f"{self.sinks[0]}.monitor")
        # A listener that is in a hurry keeps a sink as quick as a sound card is.
        self._listeners = [self._listen(sink) for sink in self.sinks]

    def stop(self) -> None:
        """End it. Idempotent."""
        for listener in self._listeners:
            _end(listener)
        self._listeners = []
        if self._process is not None:
            _end(self._process)
            self._process = None

    def kill(self) -> None:
        """Let it die without a word, as a crash would."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def set_default(self, sink: str) -> None:
        """What a person does in the sound settings: choose another output."""
        self.control("set-default-sink", sink)

    def control(self, *words: str) -> str:
        """Ask the server through `pactl`. Raises `subprocess.CalledProcessError`."""
        return subprocess.run(
            [shutil.which("pactl") or "pactl", *words],
            env={**os.environ, **self.env},
            check=True,
            capture_output=True,
            text=True,
            timeout=5,
        ).stdout

    def record(self, sink: str = "") -> "Recorder":
        """Listen to a sink, the first by default, from now on."""
        return Recorder(self, sink or self.sinks[0])

    def parec(self, sink: str) -> list[str]:
        """The command that records a sink as 16-bit mono of `RATE`."""
        form = ["--raw", "--format=s16le", f"--rate={RATE}", "--channels=1"]
        return ["parec", *form, "--latency-msec=10", "-d", f"{sink}.monitor"]

    def _listen(self, sink: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.parec(sink),
            env={**os.environ, **self.env},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                if all(sink in self.control("list", "short", "sinks") for sink in self.sinks):
                    return
            except subprocess.SubprocessError:
                pass
            time.sleep(0.05)
        self.stop()
        raise TimeoutError("PulseAudio did not answer")


@dataclass(frozen=True, slots=True)
class Recording:
    """What was heard at a sink."""

    samples: "array[int]"
    began: float
    """Monotonic seconds of the first sample."""

    def time_of(self, index: int) -> float:
        """Monotonic seconds at which a sample sounded."""
        return self.began + index / RATE

    def index_at(self, when: float) -> int:
        """The sample that sounded at a time, within the recording."""
        return min(len(self.samples), max(0, round((when - self.began) * RATE)))

    def first_sound(self, after: float = 0.0) -> float | None:
        """Monotonic seconds of the first audible sample after a time; None: all is silent."""
        for index in range(self.index_at(after), len(self.samples)):
            if abs(self.samples[index]) > AUDIBLE:
                return self.time_of(index)
        return None

    def last_sound(self, before: float = float("inf")) -> float | None:
        """Monotonic seconds of the last audible sample before a time; None: all is silent."""
        end = len(self.samples) if before == float("inf") else self.index_at(before)
        for index in range(end - 1, -1, -1):
            if abs(self.samples[index]) > AUDIBLE:
                return self.time_of(index)
        return None

    def silences(self, longer_than: float = 0.05) -> list[tuple[float, float]]:
        """Where nothing was audible, from and to in monotonic seconds, in order."""
        found, since = [], 0
        for index, sample in enumerate((*self.samples, AUDIBLE + 1)):
            if abs(sample) > AUDIBLE:
                if (index - since) / RATE > longer_than:
                    found.append((self.time_of(since), self.time_of(index)))
                since = index + 1
        return found

    def sounding(self) -> int:
        """How many samples sounded, also those where a wave crosses zero."""
        silent = sum(end - start for start, end in self.silences(longer_than=0.005))
        return max(0, len(self.samples) - round(silent * RATE))


class Recorder:
    """Records a sink in a thread of its own, from the first bytes on until `stop`."""

    def __init__(self, server: SoundServer, sink: str) -> None:
        self._pcm = bytearray()
        self._began: float | None = None
        self._flowing = threading.Event()
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            server.parec(sink),
            env={**os.environ, **server.env},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        if not self._flowing.wait(START_SECONDS):
            self.stop()
            raise TimeoutError("parec delivers nothing")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def so_far(self) -> Recording:
        """What was recorded until now."""
        with self._changed:
            pcm, began = bytes(self._pcm), self._began
        return Recording(array("h", pcm[: len(pcm) // 2 * 2]), began or time.monotonic())

    def wait_until(self, when: float, timeout: float = 5.0) -> Recording:
        """Wait until what sounded at a time is recorded. Raises `TimeoutError`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._end() >= when, timeout):
                raise TimeoutError("the recording does not go on")
        return self.so_far()

    def stop(self) -> Recording:
        """End, and hand over what was recorded. Idempotent."""
        _end(self._process)
        self._thread.join(5.0)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return self.so_far()

    def _end(self) -> float:
        return (self._began or 0.0) + len(self._pcm) / 2 / RATE

    def _read(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while piece := os.read(descriptor, READ_BYTES):
            now = time.monotonic()
            with self._changed:
                self._pcm += piece
                # The piece that came with the least delay tells the time of all.
                began = now - len(self._pcm) / 2 / RATE
                self._began = began if self._began is None else min(self._began, began)
                self._changed.notify_all()
            self._flowing.set()


def correlation(heard: Sequence[int], spoken: Sequence[int]) -> tuple[float, int]:
    """How alike the best matching stretch is (1.0: the same), and where in `heard` it begins."""
    import numpy as np

    recorded, wanted = np.asarray(heard, dtype=float), np.asarray(spoken, dtype=float)
    if len(recorded) < len(wanted):
        recorded = np.pad(recorded, (0, len(wanted) - len(recorded)))
    size = 1 << int(np.ceil(np.log2(len(recorded) + len(wanted))))
    product = np.fft.irfft(np.fft.rfft(recorded, size) * np.conj(np.fft.rfft(wanted, size)), size)
    places = len(recorded) - len(wanted) + 1
    energy = np.concatenate(([0.0], np.cumsum(recorded**2)))
    windows = energy[len(wanted) : len(wanted) + places] - energy[:places]
    scale = np.sqrt(np.maximum(windows, 1.0) * max(1.0, float(np.sum(wanted**2))))
    likeness = product[:places] / scale
    best = int(np.argmax(likeness))
    return float(likeness[best]), best


def tone(seconds: float, hertz: float = 440.0, loudness: int = 12_000) -> bytes:
    """A square-edged tone as 16-bit mono PCM of `RATE`; it begins and ends audibly."""
    half = RATE / hertz / 2
    count = round(seconds * RATE)
    return array(
        "h", [loudness if int(n / half) % 2 == 0 else -loudness for n in range(count)]
    ).tobytes()


def noise(seconds: float, seed: int = 1, loudness: int = 12_000) -> bytes:
    """Sound of which no stretch is like another, as 16-bit mono PCM of `RATE`."""
    state, samples, level = seed, array("h"), 0.0
    for _ in range(round(seconds * RATE)):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        # Low-passed, so that resampling on the way leaves it as it is.
        level += 0.1 * ((state / 0x3FFF_FFFF - 1.0) - level)
        samples.append(round(2 * level * loudness))
    return samples.tobytes()


def _null_sink(name: str) -> str:
    """The module that plays nowhere, at once: without `norewinds` it may first wait two seconds."""
    described = f"sink_properties=device.description={name}"
    return f"module-null-sink sink_name={name} rate=48000 channels=2 norewinds=1 {described}"


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
