"""The wheel, installed where nothing of the sources is in reach, speaks."""

import os
import subprocess
import sys
import sysconfig
import wave
import zipfile
from array import array
from pathlib import Path

import pytest

import vivavoce

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


def call(*command: str | Path, **more: object) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, timeout=50, **more)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with the locked build backend: no network, no isolated environment."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def empty_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A venv of its own; the locked dependencies are lent to it, the editable install is not."""
    folder = tmp_path_factory.mktemp("fresh") / "a venv"
    call(sys.executable, "-m", "venv", "--without-pip", folder)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("platlib") + "\n")
    return folder


@pytest.fixture(scope="module")
def installed(wheel: Path, empty_venv: Path) -> Path:
    """The folder of the programs of a venv that has the wheel."""
    pip = (sys.executable, "-m", "pip", "--python", empty_venv / "bin" / "python")
    call(*pip, "install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", wheel)
    return empty_venv / "bin"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who never ran us before."""
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    return {
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(runtime),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
    }


def test_the_wheel_carries_licence_notice_types_and_entry_points(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        entry_points = archive.read(next(n for n in names if n.endswith("entry_points.txt")))
    info = f"vivavoce-{vivavoce.__version__}.dist-info"
    assert f"{info}/licenses/LICENSE" in names
    assert f"{info}/licenses/NOTICE" in names
    assert "vivavoce/py.typed" in names
    assert b"vivavoce = vivavoce.cli:main" in entry_points
    assert b"[vivavoce.synthesizers]" in entry_points
    assert {name.partition("/")[0] for name in names} == {"vivavoce", info}


def test_the_installed_program_tells_its_version(installed: Path, home: dict[str, str]) -> None:
    said = call(installed / "vivavoce", "--version", env=home, cwd=home["HOME"])
    assert vivavoce.__version__ in said


def test_the_installed_program_is_not_the_one_of_the_sources(
    installed: Path, home: dict[str, str]
) -> None:
    script = "import vivavoce; print(vivavoce.__file__)"
    where = call(installed / "python", "-c", script, env=home, cwd=home["HOME"])
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_the_installed_program_speaks_into_a_file(installed: Path, home: dict[str, str]) -> None:
    out = Path(home["HOME"]) / "x.wav"
    call(installed / "vivavoce", "say", "--out", out, "Hello.", env=home, cwd=home["HOME"])
    with wave.open(str(out)) as file:
        seconds = file.getnframes() / file.getframerate()
        assert file.getsampwidth() == 2
        samples = array("h", file.readframes(file.getnframes()))
    assert 0.2 < seconds < 5
    assert max(map(abs, samples)) > 1000


def test_speaking_leaves_nothing_of_others_in_a_home(installed: Path, home: dict[str, str]) -> None:
    call(installed / "vivavoce", "say", "--out", "x.wav", "Hello.", env=home, cwd=home["HOME"])
    files = [path for path in Path(home["HOME"]).rglob("*") if path.is_file()]
    assert [path.name for path in files if "vivavoce" not in path.parts] == ["x.wav"]
