from pathlib import Path

from vivavoce.engines.settings import EngineSettings

KEY = "sk-" + "proj-" + "EXAMPLE" * 3
SETTINGS = EngineSettings(
    order=("tones", "openai"),
    weights_dir=Path("/somewhere/weights"),
    openai_base_url="http://127.0.0.1:1/v1",
    openai_api_key=KEY,
    openai_languages=("en", "de"),
)


def test_settings_survive_the_way_to_the_worker():
    assert EngineSettings.from_json(SETTINGS.to_json()) == SETTINGS


def test_the_key_is_not_in_the_repr():
    assert "EXAMPLE" not in repr(SETTINGS)
