"""A sound server for tests: one for a whole run of the tests, or one that may be killed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.testing.soundserver import SoundServer, missing_programs


def need_sound_server() -> None:
    """Skip where PulseAudio is not installed; in CI it has to be."""
    if missing := missing_programs():
        reason = f"not installed: {', '.join(missing)} (apt-get install pulseaudio)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_sound_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoundServer]:
    need_sound_server()
    with SoundServer(tmp_path_factory.mktemp("sound")) as server:
        yield server


@pytest.fixture
def sound_server(shared_sound_server: SoundServer, monkeypatch: pytest.MonkeyPatch) -> SoundServer:
    """A server whose sink `spk` is the default output of this process."""
    use(shared_sound_server, monkeypatch)
    return shared_sound_server


@pytest.fixture
def own_sound_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SoundServer]:
    """A server of the test's own, with two sinks, of which one is Bluetooth by its name."""
    need_sound_server()
    with SoundServer(tmp_path, ("spk", "bluez_headset")) as server:
        use(server, monkeypatch)
        yield server


def use(server: SoundServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.env.items():
        monkeypatch.setenv(name, value)
