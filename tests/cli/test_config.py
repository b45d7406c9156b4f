"""`vivavoce config`: each value with its source, secrets masked, faults below."""

import argparse
import json
from pathlib import Path

import pytest

from vivavoce.cli import config
from vivavoce.settings import SETTINGS, Written, load

KEY = "sk-" + "a1b2c3" * 6


def test_each_setting_is_one_line_with_value_and_source() -> None:
    loaded = load({"VIVAVOCE_SPEED": "1.5"}, Written("/c.toml", "\nengines = ['espeak', 'openai']"))
    lines = config.show(loaded, as_json=False).splitlines()
    assert len(lines) == len(SETTINGS)
    told = {line.split()[0]: " ".join(line.split()[1:]) for line in lines}
    assert told["speed"] == "1.5 VIVAVOCE_SPEED"
    assert told["engines"] == "espeak, openai /c.toml:2"
    assert told["place"] == "desk default"
    assert told["allow_downloads"] == "false default"


def test_faults_stand_below_with_their_mends() -> None:
    shown = config.show(load({"VIVAVOCE_SPEED": "9"}), as_json=False)
    assert shown.splitlines()[-1] == (
        "VIVAVOCE_SPEED cannot be '9'; allowed is a number from 0.5 to 2. "
        "Mend: unset VIVAVOCE_SPEED"
    )


@pytest.mark.parametrize("as_json", [True, False])
def test_a_key_is_masked(as_json: bool) -> None:
    shown = config.show(load({"VIVAVOCE_OPENAI_API_KEY": KEY}), as_json=as_json)
    assert KEY not in shown
    assert "********" in shown


def test_json_has_the_values_as_they_are() -> None:
    loaded = load({"VIVAVOCE_VOLUME": "0.5"}, Written("/c.toml", "spede = 1"))
    told = json.loads(config.show(loaded, as_json=True))
    assert told["settings"]["volume"] == {
        "value": 0.5,
        "source": "environment",
        "where": "VIVAVOCE_VOLUME",
    }
    assert told["settings"]["engines"]["value"] == ["hibari", "espeak", "openai"]
    assert told["errors"][0]["code"] == "bad-setting"
    assert "did you mean speed?" in told["errors"][0]["message"]


@pytest.mark.parametrize(("text", "code"), [("speed = 1.5", 0), ("speed = 3", 1), ("speed = =", 1)])
def test_check_tells_by_its_exit_code(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    code: int,
) -> None:
    (tmp_path / "config.toml").write_text(text)
    monkeypatch.setenv("VIVAVOCE_CONFIG_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert config.main(argparse.Namespace(action="check", json=False)) == code
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert (lines == ["The settings are in order."]) == (code == 0)


def test_a_working_directory_that_was_removed_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert config.working_directory() == ""
