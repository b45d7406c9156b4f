"""A daemon as a process, spoken to by the command line and by both sockets; nowhere is it heard."""

import json
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from vivavoce.errors import NoDaemon, VivavoceError
from vivavoce.testing.daemon import PrivateDaemon
from vivavoce.testing.kills import kill_at_random
from vivavoce.wire.framing import encode

LONG = "One two three four five six seven eight nine ten. " * 6


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    home = tmp_path_factory.mktemp("daemon")
    with PrivateDaemon(home, place="null", engines="tones") as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def _quiet_afterwards(daemon):
    yield
    with daemon.client() as client:
        control(client, "stop", all=True)
        list(islice(client.ask("catch_up", action="forget"), 1))


def control(client, command, **fields):
    return next(client.ask("control", command={"command": command, **fields}))


def line(daemon, raw):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(daemon.where.control_socket)
        connection.sendall(raw)
        with connection.makefile("rb") as answers:
            return json.loads(answers.readline())


def test_say_tells_that_all_was_heard(daemon):
    said = daemon.run("say", "one two three")
    assert (said.returncode, said.stdout) == (0, b"heard: 3 words\n")


def test_say_reads_standard_input_and_files(daemon, tmp_path):
    (tmp_path / "reply.md").write_text("# Done\n\nIt **works**.", encoding="utf-8")
    from_file = daemon.run("say", "--json", "--file", str(tmp_path / "reply.md"))
    from_stdin = daemon.run("say", "--json", "-", stdin=b"# Done\n\nIt **works**.")
    assert json.loads(from_file.stdout)["heard"] == "Done. It works."
    assert json.loads(from_stdin.stdout)["heard"] == "Done. It works."


@pytest.mark.parametrize(
    "arguments",
    [
        ["say"],
        ["say", "text", "--file", "x"],
        ["say", "--file", "/nonexistent"],
        ["say", "--speed", "9", "text"],
        ["say", "--place", "moon", "text"],
        ["say", "--out", "sound.mp3", "text"],
        ["control", "volume", "loud"],
        ["control", "dance"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_and_exit_code_2(daemon, arguments):
    said = daemon.run(*arguments)
    assert said.returncode == 2
    assert b"Traceback" not in said.stderr
    assert said.stderr.strip()


def test_a_stop_from_another_process_tells_the_caller_where_it_was_cut(daemon):
    with ThreadPoolExecutor() as pool, daemon.client() as client:
        saying = pool.submit(daemon.run, "say", "--json", LONG)
        until(client, lambda status: status.get("utterance", {}).get("heard_words", 0) >= 2)
        control(client, "stop", hint="brevity")
        said = saying.result(timeout=30)
    told = json.loads(said.stdout)
    assert said.returncode == 1
    assert told["end"] == "cut"
    assert told["heard_words"] >= 2
    assert told["heard"] + " " + told["rest"] == LONG.strip()
    assert "shorter" in told["hint"]


def until(client, holds):
    """Ask for the status until it holds; each answer takes a turn of the daemon's loop."""
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline:
        status = control(client, "status")
        if holds(status):
            return status
    raise AssertionError(status)


def test_two_agents_speak_one_after_the_other(daemon):
    with daemon.client(session="a") as first, daemon.client(session="b") as second:
        one = first.ask("say", 30.0, text="one two three four")
        next(one)
        two = second.ask("say", 30.0, text="five")
        next(two)
        assert len(control(first, "status")["waiting"]) == 1
        assert next(two)["end"] == "heard"
        assert next(one)["end"] == "heard"


def test_a_caller_that_goes_away_takes_its_speech_with_it(daemon):
    with daemon.client() as watcher:
        caller = daemon.client(session="gone")
        asked = caller.ask("say", 30.0, text=LONG)
        id_ = next(asked)["id"]
        until(watcher, lambda status: status["state"] == "playing")
        caller.__exit__()
        until(watcher, lambda status: status["state"] == "idle")
        assert control(watcher, "status", id=id_)["reason"] == "withdrawn"


def test_what_nobody_waits_for_is_spoken_all_the_same(daemon):
    said = daemon.run("say", "--no-wait", "--json", "one two")
    id_ = json.loads(said.stdout)["id"]
    with daemon.client() as client:
        until(client, lambda status: control(client, "status", id=id_).get("end") == "heard")


def test_parked_speech_is_listed_and_caught_up(daemon):
    with daemon.client(session="a") as first, daemon.client(session="b") as second:
        one = first.ask("say", 30.0, text="one two")
        two = second.ask("say", 30.0, text="keep me")
        next(one)
        next(two)
        control(first, "stop", all=True)
        assert next(two)["end"] == "parked"
        assert next(one)["end"] in ("cut", "parked")
    listed = daemon.run("catch-up", "--list")
    assert b"keep me" in listed.stdout
    assert daemon.run("catch-up").returncode == 0
    assert b"nothing is parked" in daemon.run("catch-up", "--list").stdout


def test_the_control_command_answers_in_words_and_in_json(daemon):
    assert daemon.run("control", "volume", "0.5").stdout == b"volume 0.5\n"
    assert json.loads(daemon.run("control", "volume", "1", "--json").stdout) == {"volume": 1.0}
    assert daemon.run("control", "status").stdout == b"idle\n"
    assert daemon.run("control", "volume", "7").returncode == 1


def test_the_control_socket_speaks_json_lines(daemon):
    assert line(daemon, b'{"command": "status", "request_id": 7}\n')["request_id"] == 7
    assert line(daemon, b"nonsense\n")["code"] == "bad-json"
    assert line(daemon, b'{"command": "dance"}\n')["code"] == "unknown-command"
    assert line(daemon, b"x" * 9000)["code"] == "too-large"


def test_the_ninth_connection_is_turned_away_and_the_others_live_on(daemon):
    held = []
    try:
        for _ in range(8):
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(10)
            connection.connect(daemon.where.control_socket)
            connection.sendall(b'{"command": "status"}\n')
            assert connection.recv(65536)
            held.append(connection)
        assert line(daemon, b'{"command": "status"}\n')["code"] == "too-many-connections"
        held[0].sendall(b'{"command": "status"}\n')
        assert json.loads(held[0].recv(65536))["ok"]
    finally:
        for connection in held:
            connection.close()


def test_the_first_frame_has_to_be_a_hello(daemon):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(daemon.where.daemon_socket)
        connection.sendall(encode({"op": "say", "text": "hi"}))
        assert b"hello" in connection.recv(65536)
        assert connection.recv(65536) == b""


def test_a_bad_frame_ends_only_its_own_connection(daemon):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(daemon.where.daemon_socket)
        connection.sendall(b"\xff\xff\xff\xff")
        assert b"too-large" in connection.recv(65536)
    with daemon.client() as client:
        assert control(client, "status")["ok"]


def test_a_refused_request_leaves_the_connection_open(daemon):
    with daemon.client() as client:
        with pytest.raises(VivavoceError):
            next(client.ask("say", 10.0, text="hi", speed=99))
        assert control(client, "status")["ok"]


def test_settings_of_the_daemon_that_a_client_brings_are_reported_and_not_applied(daemon):
    with daemon.client() as client:
        answer = client.hello("test", settings={"speed": 1.5, "engines": "openai"})
    assert answer["not_applied"] == ["engines"]


def test_a_changed_configuration_counts_after_a_reload(daemon):
    file = Path(daemon.where.config_file)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('volume = 0.25\ntext_limit = 10\nhistory_buffer_size = 3\nspeed = "fast"\n')
    try:
        reloaded = daemon.run("reload")
        assert reloaded.returncode == 2
        assert b"speed" in reloaded.stderr
        assert b"history_buffer_size counts when the daemon starts again" in reloaded.stdout
        assert daemon.run("control", "volume").stdout == b"volume 0.25\n"
        assert b"too long" in daemon.run("say", "this text is longer than that").stdout
    finally:
        file.unlink()
    assert daemon.run("reload").returncode == 0
    assert daemon.run("control", "volume").stdout == b"volume 1\n"
    assert daemon.run("say", "this text is longer than that").returncode == 0


def test_a_second_daemon_says_that_one_is_running(daemon):
    second = daemon.run("serve")
    assert second.returncode == 1
    assert second.stderr == b"vivavoce: A daemon is already running.\n"


def test_say_starts_a_daemon_where_there_is_none_and_stop_ends_it(tmp_path):
    elsewhere = PrivateDaemon(tmp_path, place="null", engines="tones")
    assert elsewhere.run("control", "status").returncode == 1
    assert elsewhere.run("say", "one two").stdout == b"heard: 2 words\n"
    assert elsewhere.run("stop").returncode == 0
    with pytest.raises(NoDaemon):
        elsewhere.client()


OTHER_VERSION = """
import sys, vivavoce
vivavoce.__version__ = "0.0.0"
from vivavoce.cli import main
sys.exit(main(["serve"]))
"""


def test_a_daemon_of_another_version_is_named_with_its_mend_and_can_be_stopped(tmp_path):
    old = PrivateDaemon(tmp_path, place="null", engines="tones")
    old.program = [sys.executable, "-c", OTHER_VERSION]
    with old:
        said = old.run("say", "one")
        assert said.returncode == 1
        assert said.stderr.count(b"\n") == 1
        assert b"vivavoce stop && vivavoce serve --detach" in said.stderr
        assert old.run("stop").returncode == 0
        assert old.run("serve", "--detach").returncode == 0
        assert old.run("say", "one").returncode == 0
        assert old.run("stop").returncode == 0


def test_a_full_disk_loses_nothing_that_can_be_heard_and_tells(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "journal.db").symlink_to("/dev/full")
    with PrivateDaemon(tmp_path, place="null", engines="tones") as daemon:
        said = daemon.run("say", "one two")
        assert (said.returncode, said.stdout) == (0, b"heard: 2 words\n")
        assert said.stderr.startswith(b"vivavoce: The journal cannot be written.")


def test_many_that_want_to_speak_at_once_start_one_daemon_and_are_all_heard(tmp_path):
    elsewhere = PrivateDaemon(tmp_path, place="null", engines="tones")
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda text: elsewhere.run("say", text), ["one", "two", "three"]))
    assert [(one.returncode, one.stdout) for one in said] == [(0, b"heard: 1 word\n")] * 3
    assert elsewhere.run("stop").returncode == 0


def test_after_random_kills_each_accepted_utterance_has_one_end_and_none_sounds_twice(tmp_path):
    tally = kill_at_random(tmp_path, kills=5, seed=11, speed="2.0")
    assert tally.accepted
    assert tally.without_end == set()
    assert tally.contradicted == set()
    assert tally.spoken_twice == set()
