"""The peer: voice-mode 9 as an agent starts it, measured at the same null sink as we are.

It runs as an MCP server on pipes. Its engine is an OpenAI-compatible server of ours on the loopback
that answers at once, so that what is measured is the peer's own. It keeps its defaults but for its
control channel, which is off by default.
"""

import contextlib
import json
import queue
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from bench import raw
from bench.figures import Figure
from bench.scene import QUIET_SECONDS, quantile, rss_mb
from bench.venvs import venv
from vivavoce.testing.soundserver import Recorder, SoundServer, tone

PACKAGE = "voice-mode==9.0.1"
NAME = "peer (voice-mode 9)"
SENTENCE = "The tests are green now."
SHORT_SECONDS = 0.3
LONG_SECONDS = 8.0
"""Longer than a stop takes by far."""
WARM_UPS = 2
SETTLE_SECONDS = 0.8
"""So long after a command or a call the recording is looked at."""
ANSWER_SECONDS = 60.0
STARTS = 3


class PeerFailed(Exception):
    """The peer cannot be installed, or it answered that it has not spoken."""


# -- what the benchmarks tell --------------------------------------------------------------------


def speak_figures(count: int) -> Iterator[Figure]:
    """From the call to the first sound, as figures; raw numbers are kept."""
    yield from _told("speak", "call to first sound", lambda server: speak_latencies(server, count))


def stop_figures(count: int) -> Iterator[Figure]:
    """From a stop in mid-sentence to silence, as figures; raw numbers are kept."""
    title = "stop in mid-sentence to silence"
    yield from _told("stop", title, lambda server: stop_latencies(server, count))


def start_figures() -> Iterator[Figure]:
    """Start, memory and the time of its control command, as figures; raw numbers are kept."""
    try:
        with _sound_server() as server:
            starts = start_costs(server, STARTS)
    except PeerFailed as error:
        yield Figure(f"{NAME}, start: {error}", None, "ms")
        return
    raw.keep("peer-start", starts.as_numbers(), PACKAGE)
    yield Figure(f"{NAME}, start to list of tools, p50", statistics.median(starts.start_ms), "ms")
    yield Figure(f"{NAME}, memory after speaking", statistics.median(starts.memory_mb), "MB")
    yield Figure(
        f"{NAME}, control command as a process, p50", statistics.median(starts.command_ms), "ms"
    )


def _told(part: str, title: str, measure: Callable[[SoundServer], list[float]]) -> Iterator[Figure]:
    try:
        with _sound_server() as server:
            found = measure(server)
    except PeerFailed as error:
        yield Figure(f"{NAME}, {title}: {error}", None, "ms")
        return
    raw.keep(f"peer-{part}", {f"{title}, ms": found}, PACKAGE)
    yield Figure(f"{NAME}, {title}, p50", statistics.median(found), "ms")
    yield Figure(f"{NAME}, {title}, p95", quantile(found, 0.95), "ms")


@contextmanager
def _sound_server() -> Iterator[SoundServer]:
    with (
        tempfile.TemporaryDirectory(prefix="vivavoce-bench-") as folder,
        SoundServer(Path(folder)) as server,
    ):
        yield server


# -- measuring -----------------------------------------------------------------------------------


def speak_latencies(server: SoundServer, count: int) -> list[float]:
    """Milliseconds from sending the call to the first audible sample, warm.

    Raises `PeerFailed`.
    """
    found = []
    with Engine(SHORT_SECONDS) as engine, Peer(server, engine) as peer, server.record() as ears:
        for number in range(WARM_UPS + count):
            sent = peer.converse()
            recording = ears.wait_until(sent + SETTLE_SECONDS)
            sound = recording.first_sound(sent)
            peer.result()
            if sound is None:
                raise PeerFailed("nothing was audible in time")
            if number >= WARM_UPS:
                found.append((sound - sent) * 1000)
            time.sleep(QUIET_SECONDS)
    return found


def stop_latencies(server: SoundServer, count: int) -> list[float]:
    """Milliseconds from a stop in mid-sentence to the last audible sample, warm.

    The command goes over a connection that stands already. Raises `PeerFailed`.
    """
    found = []
    with Engine(LONG_SECONDS) as engine, Peer(server, engine) as peer, server.record() as ears:
        for number in range(WARM_UPS + count):
            sent = peer.converse()
            _wait_for_sound(ears, sent)
            with peer.control() as commands:
                time.sleep(0.3 + 0.013 * (number % 20))
                stopped = time.monotonic()
                commands.sendall(b'{"command": "stop"}\n')
            recording = ears.wait_until(stopped + SETTLE_SECONDS)
            last = recording.last_sound(stopped + SETTLE_SECONDS)
            if "control: stop" not in peer.result():
                raise PeerFailed("a stop did not stop it")
            if number >= WARM_UPS:
                found.append(((last or stopped) - stopped) * 1000)
            time.sleep(QUIET_SECONDS)
    return found


@dataclass(frozen=True)
class Costs:
    """What starting the peer costs, a number a start."""

    start_ms: list[float]
    """From spawning it to its list of tools."""
    memory_mb: list[float]
    """Resident, after it has spoken."""
    command_ms: list[float]
    """Its control command as a process, while it is idle: it finds no socket and ends."""

    def as_numbers(self) -> Mapping[str, list[float]]:
        """The raw numbers by what they are."""
        return {
            "start to list of tools, ms": self.start_ms,
            "memory after speaking, MB": self.memory_mb,
            "control command as a process, ms": self.command_ms,
        }


def start_costs(server: SoundServer, count: int) -> Costs:
    """Start it some times; the first start, which compiles its files, is left out.

    Raises `PeerFailed`.
    """
    costs = Costs([], [], [])
    with Engine(SHORT_SECONDS) as engine:
        for number in range(1 + count):
            began = time.monotonic()
            with Peer(server, engine) as peer:
                listed = (time.monotonic() - began) * 1000
                peer.converse()
                peer.result()
                memory = rss_mb(peer.pid)
                command = peer.command_ms()
            if number:
                costs.start_ms.append(listed)
                costs.memory_mb.append(memory)
                costs.command_ms.append(command)
    return costs


def _wait_for_sound(ears: Recorder, after: float) -> None:
    deadline = after + 5.0
    while time.monotonic() < deadline:
        if ears.wait_until(time.monotonic() - 0.01).first_sound(after) is not None:
            return
    raise PeerFailed("nothing was audible in time")


# -- its engine ----------------------------------------------------------------------------------


class Engine:
    """An OpenAI-compatible server on the loopback that speaks a tone, at once."""

    def __init__(self, seconds: float) -> None:
        pcm = tone(seconds)

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self._answer("audio/pcm", pcm)

            def do_GET(self) -> None:
                self._answer("application/json", b'{"object": "list", "data": []}')

            def _answer(self, kind: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle(self) -> None:
                # Who is stopped hangs up in the middle.
                with contextlib.suppress(ConnectionError):
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """Its address, with the version as such addresses have it."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5.0)


# -- the peer itself -----------------------------------------------------------------------------


class Peer:
    """The peer's MCP server as a process; as a context manager it is started and ended by its id.

    Raises `PeerFailed` from entering it.
    """

    def __init__(self, server: SoundServer, engine: Engine) -> None:
        self._home = server.home / "peer"
        self._socket = self._home / "control.sock"
        self._env = self._environment(server, engine)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._number = 0
        self._python: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._python = venv("peer", PACKAGE)
        if self._python is None:
            raise PeerFailed(f"{PACKAGE} could not be installed")
        self._stand_in_for_ffmpeg()
        self._process = subprocess.Popen(
            [str(self._python), "-m", "voice_mode"],
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        try:
            self._greet()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None
        return self._process.pid

    def converse(self) -> float:
        """Ask it to speak and not to listen; returns when it was asked, in monotonic seconds."""
        asked = {"message": SENTENCE, "wait_for_response": False}
        self._number += 1
        return self._send("tools/call", self._number, name="converse", arguments=asked)

    def result(self) -> str:
        """What the call came to. Raises `PeerFailed` if it has not spoken."""
        answer = self._answer(self._number)
        text = json.dumps(answer.get("result", answer))
        if "spoken successfully" in text or "control: stop" in text:
            return text
        raise PeerFailed(f"it answered {text[:200]}")

    @contextmanager
    def control(self) -> Iterator[socket.socket]:
        """A connection to its control channel, which is there while it speaks."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5.0)
            connection.connect(str(self._socket))
            yield connection

    def command_ms(self) -> float:
        """Milliseconds of its control command as a process."""
        command = [str(self._python), "-m", "voice_mode", "control", "resume"]
        began = time.monotonic()
        subprocess.run(
            command, env=self._env, capture_output=True, timeout=ANSWER_SECONDS, check=False
        )
        return (time.monotonic() - began) * 1000

    def _greet(self) -> None:
        client = {"name": "bench", "version": "1"}
        self._ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self._send("notifications/initialized", None)
        self._ask("tools/list")

    def _ask(self, method: str, **params: object) -> dict[str, object]:
        self._number += 1
        self._send(method, self._number, **params)
        return self._answer(self._number)

    def _send(self, method: str, number: int | None, **params: object) -> float:
        assert self._process is not None
        assert self._process.stdin is not None
        request = {"jsonrpc": "2.0", "method": method, "params": params}
        line = json.dumps(request if number is None else {**request, "id": number}).encode()
        sent = time.monotonic()
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        return sent

    def _answer(self, number: int) -> dict[str, object]:
        """The answer of that number; what else it says on the way is let go."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if not line:
                raise PeerFailed("it ended")
            answer: dict[str, object] = json.loads(line)
            if answer.get("id") == number and "method" not in answer:
                return answer
        raise PeerFailed("it does not answer")

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _end(self) -> None:
        """Hang up, as an agent does, and end it if that is not enough."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return
        process.stdin.close()
        if not _ends(process):
            process.terminate()
        if not _ends(process):
            process.kill()
            process.wait()
        process.stdout.close()

    def _stand_in_for_ffmpeg(self) -> None:
        """It refuses to speak without ffmpeg, which it does not use for PCM: a name will do."""
        programs = self._home / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        for name in ("ffmpeg", "ffprobe"):
            if shutil.which(name) is None and not (programs / name).exists():
                (programs / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
                (programs / name).chmod(0o755)

    def _environment(self, server: SoundServer, engine: Engine) -> dict[str, str]:
        """Nothing of whoever measures, no proxies and no keys; all addresses are the loopback's."""
        return {
            "PATH": f"{self._home / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            **server.env,
            "HOME": str(self._home),
            "VOICEMODE_BASE_DIR": str(self._home / "voicemode"),
            "VOICEMODE_TTS_BASE_URLS": engine.base_url,
            "VOICEMODE_STT_BASE_URLS": engine.base_url,
            "VOICEMODE_CONTROL_CHANNEL_ENABLED": "true",
            "VOICEMODE_CONTROL_SOCKET": str(self._socket),
            "FASTMCP_CHECK_FOR_UPDATES": "off",
            "FASTMCP_SHOW_SERVER_BANNER": "false",
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
        }


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Whether it ends within some seconds."""
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        return False
    return True
