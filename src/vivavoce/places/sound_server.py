"""What the sound server says of its default output, where one runs (PulseAudio, PipeWire)."""

import shutil
import subprocess

ANSWER_SECONDS = 0.5
STARTS = {
    "pipewire-pulse": "systemctl --user start pipewire pipewire-pulse",
    "pulseaudio": "pulseaudio --start",
}
INSTALLS = {"apt-get": "sudo apt-get install pulseaudio && pulseaudio --start"}


def default_sink() -> str:
    """The name of the default output, such as `bluez_output.…`, or nothing. Blocks."""
    pactl = shutil.which("pactl")
    if pactl is None:
        return ""
    try:
        answer = subprocess.run(
            [pactl, "get-default-sink"],
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()


def mend() -> str:
    """The command that brings a sound server up here; empty where none is known."""
    commands = {**STARTS, **INSTALLS}
    return next((command for name, command in commands.items() if shutil.which(name)), "")
