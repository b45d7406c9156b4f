"""A person's first minutes: a reply is heard at a real sound server, stopped, and heard again."""

import json
import subprocess
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.soundserver import need_sound_server
from vivavoce.testing.daemon import PrivateDaemon
from vivavoce.testing.soundserver import RATE, SoundServer, correlation
from vivavoce.testing.synthesizer import tones

REPLY = """\
# Done

The **build** is green, see `run_tests`:

```console
$ make test
```

1. All tests pass.
2. Nothing is left open.
"""
SETTLE_SECONDS = 0.5


@pytest.fixture(autouse=True, scope="module")
def _needed():
    need_sound_server()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with SoundServer(tmp_path_factory.mktemp("sound")) as server:
        yield server


@pytest.fixture(scope="module")
def daemon(server, tmp_path_factory):
    home = tmp_path_factory.mktemp("daemon")
    with PrivateDaemon(home, env=server.env, engines="tones,hibari") as daemon:
        yield daemon


@pytest.fixture
def recorder(server):
    with server.record() as recorder:
        yield recorder


def test_a_reply_is_heard_as_it_was_synthesised(daemon, recorder):
    said = daemon.run("say", "--json", "--voice", "tones", "-", stdin=REPLY.encode())
    told = json.loads(said.stdout)
    assert (said.returncode, told["end"]) == (0, "heard")
    assert told["heard"].startswith("Done. The build is green, see run tests")
    recording = recorder.wait_until(time.monotonic())
    wanted = array("h", tones("The build is green,")[0])
    likeness, _ = correlation(recording.samples, wanted)
    assert likeness > 0.95


def test_the_voice_that_comes_with_it_speaks(daemon, recorder):
    said = daemon.run("say", "--json", "--voice", "heart", "It works.")
    assert said.returncode == 0, said
    recording = recorder.wait_until(time.monotonic())
    assert recording.sounding() > 0.3 * RATE


def test_a_stop_is_silent_in_time_and_the_caller_knows_the_word(daemon, recorder):
    text = " ".join(["word"] * 60)
    with ThreadPoolExecutor() as pool:
        saying = pool.submit(daemon.run, "say", "--json", "--voice", "tones", text)
        wait_for_words(daemon, 5)
        assert daemon.run("control", "stop").returncode == 0
        stopped = time.monotonic()
        said = saying.result(timeout=30)
    recording = recorder.wait_until(stopped + SETTLE_SECONDS)
    assert recording.first_sound(stopped + 0.2) is None
    told = json.loads(said.stdout)
    assert (said.returncode, told["end"]) == (1, "cut")
    bursts = sum(1 for begin, end in recording.silences(0.04) if begin > recording.began)
    assert told["heard_words"] <= bursts
    assert told["heard_words"] >= 5


def wait_for_words(daemon, words):
    with daemon.client() as client:
        deadline = time.monotonic() + 30.0
        while time.monotonic() < deadline:
            status = next(client.ask("control", command={"command": "status"}))
            if status.get("utterance", {}).get("heard_words", 0) >= words:
                return
    raise AssertionError("it was not heard")


def test_a_pause_is_silent_and_loses_nothing(daemon, recorder):
    text = " ".join(["word"] * 12)
    with daemon.client() as client:
        answers = client.ask("say", 30.0, text=text, voice="tones")
        next(answers)
        wait_for_words(daemon, 3)
        next(client.ask("control", command={"command": "pause"}))
        paused = time.monotonic()
        recording = recorder.wait_until(paused + SETTLE_SECONDS)
        assert recording.first_sound(paused + 0.2) is None
        next(client.ask("control", command={"command": "resume"}))
        assert next(answers)["end"] == "heard"
    recording = recorder.wait_until(time.monotonic() + 0.1)
    likeness, _ = correlation(recording.samples, array("h", tones("word word")[0]))
    assert likeness > 0.95
    expected = sum(1 for sample in array("h", tones(text)[0]) if abs(sample) > 1000)
    heard = sum(1 for sample in recording.samples if abs(sample) > 1000)
    assert abs(heard - expected) < 0.02 * RATE


def test_what_was_said_can_be_heard_again_when_nothing_is_spoken(daemon, recorder):
    daemon.run("say", "--voice", "tones", "one two three")
    before = time.monotonic()
    assert daemon.run("control", "skip-back").returncode == 0
    recording = recorder.wait_until(before + 1.5)
    again = recording.samples[recording.index_at(before) :]
    likeness, _ = correlation(again, array("h", tones("one two three")[0]))
    assert likeness > 0.95


def test_without_a_sound_card_a_file_is_written_and_nobody_claims_that_it_was_heard(tmp_path):
    nowhere = {"PULSE_SERVER": f"unix:{tmp_path}/none"}
    with PrivateDaemon(tmp_path, env=nowhere, engines="tones") as daemon:
        said = daemon.run("say", "--json", "one two")
        told = json.loads(said.stdout)
        assert (said.returncode, told["end"], told["reason"]) == (1, "parked", "no-sound-card")
        assert told["heard_words"] == 0
        assert tones("one two")[0] in Path(told["path"]).read_bytes()
        with daemon.client() as client:
            (parked,) = next(client.ask("catch_up", action="list"))["parked"]
        assert parked["text"] == "one two"


def test_a_sound_server_that_dies_and_comes_back_is_spoken_to_again(tmp_path):
    with (
        SoundServer(tmp_path / "sound") as server,
        PrivateDaemon(tmp_path / "daemon", env=server.env, engines="tones") as daemon,
    ):
        assert daemon.run("say", "before").returncode == 0
        with daemon.client() as client:
            answers = client.ask("say", 40.0, text=" ".join(["word"] * 25))
            next(answers)
            wait_for_words(daemon, 3)
            server.kill()
            server.stop()
            server.start()
            assert next(answers)["end"] == "heard"


def test_a_wav_is_written_without_a_daemon(tmp_path):
    alone = PrivateDaemon(tmp_path, engines="hibari")
    said = alone.run("say", "--out", str(tmp_path / "reply.wav"), "It works.")
    assert said.returncode == 0, said
    assert (tmp_path / "reply.wav").read_bytes()[:4] == b"RIFF"
    with pytest.raises(Exception, match="daemon"):
        alone.client()


def test_the_doors_of_the_daemon_are_for_the_person_alone(daemon):
    listed = subprocess.run(
        ["stat", "-c", "%a", daemon.where.control_socket, daemon.where.daemon_socket],
        capture_output=True,
        check=True,
        text=True,
    )
    assert listed.stdout.split() == ["600", "600"]
