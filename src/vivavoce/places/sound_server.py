"""What the sound server says of its default output, where one runs (PulseAudio, PipeWire)."""

import os
import re
import shutil
import subprocess

ANSWER_SECONDS = 0.5
STARTS = {
    "pipewire-pulse": "systemctl --user start pipewire pipewire-pulse",
    "pulseaudio": "pulseaudio --start",
}
_LATENCY = re.compile(r"^\s*(?:Buffer|Sink) Latency: (\d+) usec$", re.MULTILINE)
INSTALLS = {"apt-get": "sudo apt-get install pulseaudio && pulseaudio --start"}


def default_sink() -> str:
    """The name of the default output, such as `bluez_output.…`, or nothing. Blocks."""
    return _ask("get-default-sink").strip()


def _ask(*words: str) -> str:
    """What `pactl` answers, in English; nothing where it is missing or no server answers."""
    pactl = shutil.which("pactl")
    if pactl is None:
        return ""
    try:
        answer = subprocess.run(
            [pactl, *words],
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout


def stream_latency(pid: int) -> float | None:
    """How long a process's sound waits in the server and its device, in seconds. Blocks.

    None: there is no server, or it does not know the process.
    """
    latencies = [
        sum(int(found) for found in _LATENCY.findall(stream)) / 1e6
        for stream in _ask("list", "sink-inputs").split("\n\n")
        if f'application.process.id = "{pid}"' in stream
    ]
    return max(latencies, default=None)


def mend() -> str:
    """The command that brings a sound server up here; empty where none is known."""
    commands = {**STARTS, **INSTALLS}
    return next((command for name, command in commands.items() if shutil.which(name)), "")
