"""Configuration: layers, what is allowed, and one clear line for each fault."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.settings import (
    SETTINGS,
    Loaded,
    Settings,
    Source,
    Written,
    environment_name,
    load,
    read,
    session_settings,
    unapplied_settings,
)


def config(text: str) -> Written:
    return Written("/etc/config.toml", text)


def project(text: str) -> Written:
    return Written("/repo/.vivavoce.toml", text)


def sentences(loaded: Loaded) -> list[str]:
    return [str(error) for error in loaded.errors]


# -- layers


def test_with_nothing_said_every_value_is_the_default() -> None:
    loaded = load({})
    assert loaded.settings == Settings()
    assert set(loaded.sources.values()) == {Source("default")}
    assert not loaded.errors


def test_the_environment_wins_over_the_project_over_the_person() -> None:
    loaded = load(
        {"VIVAVOCE_VOICE": "env"},
        config('voice = "person"\nspeed = 0.8\nlanguage = "de"'),
        project('voice = "project"\nspeed = 1.2'),
    )
    assert loaded.settings.voice == "env"
    assert loaded.settings.speed == 1.2
    assert loaded.settings.language == "de"
    assert str(loaded.sources["voice"]) == "VIVAVOCE_VOICE"
    assert str(loaded.sources["speed"]) == "/repo/.vivavoce.toml:2"
    assert str(loaded.sources["language"]) == "/etc/config.toml:3"
    assert str(loaded.sources["place"]) == "default"


def test_the_spelling_of_voicemode_is_accepted_and_ours_wins() -> None:
    assert load({"VOICEMODE_HISTORY_BUFFER_SIZE": "3"}).settings.history_buffer_size == 3
    both = {"VIVAVOCE_HISTORY_BUFFER_SIZE": "4", "VOICEMODE_HISTORY_BUFFER_SIZE": "3"}
    assert load(both).settings.history_buffer_size == 4


def test_variables_that_are_no_settings_of_ours_are_left_alone() -> None:
    environ = {"VIVAVOCE_NOVELTY": "1", "VOICEMODE_CONCH_TIMEOUT": "60", "PATH": "/bin"}
    assert load(environ) == load({})


def test_an_empty_variable_says_nothing() -> None:
    loaded = load({"VIVAVOCE_SPEED": ""}, config("speed = 2"))
    assert (loaded.settings.speed, loaded.errors) == (2.0, ())


def test_a_value_that_is_not_allowed_leaves_the_value_of_the_layer_below() -> None:
    loaded = load({"VIVAVOCE_SPEED": "9"}, config("speed = 0.8"), project("speed = true"))
    assert loaded.settings.speed == 0.8
    assert str(loaded.sources["speed"]) == "/etc/config.toml:1"
    assert len(loaded.errors) == 2


# -- what is allowed


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("speed", "0.5", 0.5),
        ("speed", "2", 2.0),
        ("volume", "0", 0.0),
        ("place", "null", "null"),
        ("engines", "espeak, hibari", ("espeak", "hibari")),
        ("allow_downloads", "YES", True),
        ("allow_downloads", "off", False),
        ("history_buffer_size", "1", 1),
        ("language", "DE", "de"),
        ("openai_base_url", "http://127.0.0.1:8880/v1/", "http://127.0.0.1:8880/v1"),
        ("control_socket", "/run/v.sock", "/run/v.sock"),
        ("control_pause_then", "resume", "resume"),
        ("device", "Kopfhörer (USB)", "Kopfhörer (USB)"),
    ],
)
def test_a_value_that_is_allowed_is_taken(key: str, text: str, value: object) -> None:
    loaded = load({environment_name(key): text})
    assert getattr(loaded.settings, key) == value
    assert not loaded.errors


@pytest.mark.parametrize(
    ("key", "toml", "allowed"),
    [
        ("speed", "2.1", "a number from 0.5 to 2"),
        ("speed", "nan", "a number from 0.5 to 2"),
        ("speed", "1" + "0" * 400, "a number from 0.5 to 2"),
        ("speed", "true", "a number from 0.5 to 2"),
        ("speed", "[1.0]", "a number from 0.5 to 2"),
        ("volume", "'loud'", "a number from 0 to 1"),
        ("place", "'kitchen'", "desk, file or null"),
        ("engines", "[]", "a list of providers' names, such as hibari, espeak, openai"),
        ("engines", "7", "a list of providers' names, such as hibari, espeak, openai"),
        ("history_buffer_size", "0", "a whole number from 1 to 1000"),
        ("history_buffer_size", "2.5", "a whole number from 1 to 1000"),
        ("allow_downloads", "'maybe'", "true or false"),
        ("allow_downloads", "2", "true or false"),
        ("language", "'english'", "a language's two or three letters, such as en"),
        ("openai_base_url", "'localhost:8880'", "an http or https address without a user in it"),
        ("control_socket", "'v.sock'", "an absolute path of at most 100 bytes"),
        ("control_socket", f"'/{'x' * 100}'", "an absolute path of at most 100 bytes"),
        ("weights_path", "'weights'", "an absolute path"),
        ("voice", "'a\\nb'".replace("'", '"'), "one line of text"),
    ],
)
def test_a_bad_value_is_one_line_with_place_name_value_and_what_is_allowed(
    key: str, toml: str, allowed: str
) -> None:
    loaded = load({}, config(f"# mine\n{key} = {toml}"))
    assert loaded.settings == Settings()
    (sentence,) = sentences(loaded)
    assert sentence.startswith(f"/etc/config.toml:2: {key} cannot be ")
    assert sentence.endswith(f"; allowed is {allowed}.")
    assert "\n" not in sentence


def test_a_bad_variable_is_named_as_it_was_written() -> None:
    loaded = load({"VOICEMODE_SPEED": "fast"})
    assert sentences(loaded) == [
        "VOICEMODE_SPEED cannot be 'fast'; allowed is a number from 0.5 to 2."
    ]
    assert loaded.errors[0].mend == "unset VOICEMODE_SPEED"


def test_bytes_that_are_no_text_are_refused_and_can_be_printed() -> None:
    loaded = load({"VIVAVOCE_VOICE": "\udcff", "VIVAVOCE_DEVICE": "\x1b[2J"})
    assert loaded.settings == Settings()
    assert "".join(sentences(loaded)).isascii()
    assert "\x1b" not in "".join(sentences(loaded))


def test_a_long_value_is_shortened_in_its_line() -> None:
    (sentence,) = sentences(load({"VIVAVOCE_PLACE": "x" * 10_000}))
    assert len(sentence) < 150


@pytest.mark.parametrize("path", ["~/weights", "/srv/weights"])
def test_a_path_may_begin_at_home(path: str) -> None:
    loaded = load({"HOME": "/srv"}, config(f'weights_path = "{path}"'))
    assert loaded.settings.weights_path == "/srv/weights"


def test_a_path_at_home_is_refused_where_there_is_none() -> None:
    assert load({}, config('weights_path = "~/w"')).settings.weights_path == ""


# -- secrets


def test_a_key_is_never_told() -> None:
    key = "sk-" + "a1b2c3" * 6
    loaded = load({"VIVAVOCE_OPENAI_API_KEY": key})
    assert loaded.settings.openai_api_key == key
    assert key not in repr(loaded)
    assert SETTINGS["openai_api_key"].shown(key) == "********"
    bad = load({"VIVAVOCE_OPENAI_API_KEY": f"{key} \n"}, config(f'openai_api_key = ["{key}"]'))
    assert len(bad.errors) == 2
    assert key not in " ".join(sentences(bad))


# -- files


def test_a_project_may_say_only_what_a_session_may() -> None:
    keys = "openai_api_key = 'k'\nengines = ['openai']\nplace = 'null'\ncontrol_socket = '/s'\n"
    loaded = load({}, None, project(keys + 'voice = "af"'))
    assert loaded.settings == Settings(voice="af")
    assert sentences(loaded)[0] == (
        "/repo/.vivavoce.toml:1: openai_api_key cannot be set by a project; "
        "allowed there is voice, speed, language."
    )
    assert len(loaded.errors) == 4


def test_every_setting_that_is_not_a_sessions_is_refused_from_a_project() -> None:
    for key, setting in SETTINGS.items():
        loaded = load({}, None, project(f"{key} = []"))
        refused = "cannot be set by a project" in sentences(loaded)[0]
        assert refused == (setting.scope == "daemon"), key


def test_an_unknown_key_is_told_with_the_nearest_known_one() -> None:
    loaded = load({}, config("spede = 1.5\nHISTORY_BUFFER_SIZE = 2\nxyzzy = 1"))
    spede, upper, xyzzy = sentences(loaded)
    assert spede == "/etc/config.toml:1: there is no setting 'spede'; did you mean speed?"
    assert upper.endswith("did you mean history_buffer_size?")
    assert "allowed is voice, speed," in xyzzy


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("voice = 'a'\nspeed = = 2", ":2"),
        ("speed = 1\nspeed = 2\n", ":2"),
        ("voice = '''", ""),
        ("x = " + "[" * 50_000, ""),
        ("\x00", ":1"),
    ],
    ids=["syntax", "twice", "open", "deep", "null byte"],
)
def test_a_broken_file_is_one_line_and_the_rest_counts(text: str, line: str) -> None:
    loaded = load({"VIVAVOCE_SPEED": "1.5"}, config(text))
    assert loaded.settings == Settings(speed=1.5)
    (sentence,) = sentences(loaded)
    assert sentence.startswith(f"/etc/config.toml{line}: this is not TOML")
    assert loaded.errors[0].mend == "mv /etc/config.toml /etc/config.toml.broken"


def test_a_line_is_told_right_behind_a_text_that_looks_like_it() -> None:
    text = 'openai_voice = """\nspeed = 1\n"""\n\n"speed" = 3\n'
    fault = sentences(load({}, config(text)))[-1]
    assert fault.startswith("/etc/config.toml:5: speed cannot be 3")


@pytest.mark.parametrize(
    "text",
    [
        "speed = 3\nvoice = 'a'\n",
        "engines = [\n  'x',\n  3,\n]\nvoice = 'a'\n",
        "voice = 'a'\n[speed]\nx = 1\ny = 2\n",
        "spede.x = 1\nvoice = 'a'\n",
        "voice = 'a'\nspeed = = 3\n",
        "voice = 'a'\n[[table]]\nx = 1\n[[table]]\nx = 2\n",
    ],
)
def test_the_mends_that_are_told_mend_a_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "it's config.toml"
    path.write_text(text)
    for _ in range(3):
        written = Written(str(path), path.read_text()) if path.exists() else None
        loaded = load({}, written)
        if not loaded.errors:
            break
        subprocess.run(["/bin/sh", "-ec", loaded.errors[0].mend], check=True, timeout=10)
    assert not loaded.errors
    assert loaded.settings.voice == "a" or (tmp_path / "it's config.toml.broken").exists()


@given(st.dictionaries(st.sampled_from(sorted(SETTINGS)), st.text(max_size=20)), st.text())
def test_no_text_makes_loading_fail(environ: dict[str, str], text: str) -> None:
    named = {environment_name(key): value for key, value in environ.items()}
    loaded = load(named, config(text), project(text))
    assert all("\n" not in str(error) for error in loaded.errors)


# -- sessions


def test_a_client_brings_along_what_is_a_sessions() -> None:
    loaded = load({"VIVAVOCE_VOICE": "af", "VIVAVOCE_PLACE": "null"}, config("speed = 1.5"))
    assert session_settings(loaded) == {"voice": "af", "speed": 1.5, "language": ""}


def test_what_a_clients_environment_sets_in_vain_is_named() -> None:
    environ = {"VIVAVOCE_VOICE": "af", "VIVAVOCE_PLACE": "null", "VOICEMODE_VOLUME": "0.5"}
    loaded = load(environ, config('device = "usb"'))
    assert unapplied_settings(loaded) == ("VIVAVOCE_PLACE", "VOICEMODE_VOLUME")


# -- the door


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config").mkdir()
    return {"VIVAVOCE_CONFIG_DIR": str(tmp_path / "config"), "HOME": str(tmp_path)}


def test_both_files_are_read(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "config/config.toml").write_text("speed = 0.9\nvoice = 'x'")
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/deep/er").mkdir(parents=True)
    (tmp_path / "repo/.vivavoce.toml").write_text("voice = 'y'")
    loaded = read(environ, str(tmp_path / "repo/deep/er"))
    assert (loaded.settings.speed, loaded.settings.voice) == (0.9, "y")
    assert read(environ).settings.voice == "x"


def test_a_projects_file_is_not_looked_for_above_its_repository(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    (tmp_path / "a/repo/.git").mkdir(parents=True)
    (tmp_path / "a/.vivavoce.toml").write_text("voice = 'y'")
    (tmp_path / ".vivavoce.toml").write_text("voice = 'z'")
    assert read(environ, str(tmp_path / "a/repo")).settings.voice == ""
    assert read(environ, str(tmp_path / "a")).settings.voice == "y"
    assert read(environ, str(tmp_path)).settings.voice == ""


def test_no_files_are_no_fault(environ: dict[str, str]) -> None:
    assert read(environ, "/") == load({})


@pytest.mark.parametrize("fault", ["directory", "pipe", "not UTF-8"])
def test_a_file_that_cannot_be_read_is_one_line_with_a_mend(
    tmp_path: Path, environ: dict[str, str], fault: str
) -> None:
    path = tmp_path / "config/config.toml"
    if fault == "directory":
        path.mkdir()
    elif fault == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"voice = '\xff'")
    (error,) = read(environ).errors
    assert str(error).startswith(f"{path} cannot be read: it is not ")
    subprocess.run(shlex.split(error.mend), check=True, timeout=10)
    assert not read(environ).errors


def test_without_a_file_no_parser_is_imported() -> None:
    script = (
        "import sys; from vivavoce.settings import read; read({'HOME': '/nowhere'}, '/'); "
        "print(sorted({'tomllib', 'pathlib', 'difflib', 'shlex'} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30
    )
    assert out.stdout.strip() == "[]"
