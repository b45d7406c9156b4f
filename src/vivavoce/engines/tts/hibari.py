"""Hibari: English voices, in this process, with exact word times.

The model's graph holds the length of each phoneme in an inner tensor. Fields of repeated messages
merge when protobuf bytes are concatenated, so that a few bytes after the model make it an output.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import accumulate, groupby
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple
from unicodedata import digit

from vivavoce.engines.casting import cast
from vivavoce.engines.models import HIBARI, MEND, Condition, find, load_package
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.tts.alignment import PAUSES, clause_slices, owners
from vivavoce.engines.words import word_spans
from vivavoce.errors import NoVoice, WeightsMissing
from vivavoce.vocabulary.audio import HOUSE_FORMAT, SpeechChunk, Synthesize, Voice, WordTime
from vivavoce.vocabulary.speech import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")

_UNIT = 600
"""Samples of one unit of a phoneme's length: 25 ms."""
_MAX_PHONEMES = 400
"""What the model is given at once at most, as in hibari itself."""
_SILENCE = 3e-3
"""-50 dB: what is quieter than this before a sentence's first sound is cut off, but for `_KEPT`."""
_KEPT = 120
"""Samples of the quiet before the first sound that are kept: 5 ms, so that it does not click."""
_PROBE = "Vivavoce speaks."
"""Spoken once while loading, so that the first real sentence pays for no first time. The name is in
no dictionary: the network for unknown words is loaded, too."""


@dataclass(frozen=True, slots=True)
class _Model:
    """A pinned voice model."""

    description: str
    file: str
    sha256: str


_DEFAULT = "heart"
"""The voice whose weights come with the package; the others are downloads."""
_MODELS: Mapping[str, _Model] = {
    _DEFAULT: _Model("American English, female", "hibari.onnx", HIBARI.sha256),
    "emma": _Model(
        "British English, female",
        "bf_emma.int8.onnx",
        "f709f0488ee63b583a22189a955aaf4257b9806dd330be3490661e53af0a89c1",
    ),
    "fenrir": _Model(
        "American English, male",
        "am_fenrir_v2.int8.onnx",
        "f59fbd87908c91f827bc21b1b89443757b9a8580db9eee20aa948deb731321f4",
    ),
    "fable": _Model(
        "British English, male",
        "bm_fable.int8.onnx",
        "c28529302f2d27cd12f62625c24425888c4e3c2675583100ec530259136b8bc6",
    ),
    "kore": _Model(
        "American English, female",
        "af_kore.int8.onnx",
        "346885752673e45d42f9864c9e2432094bc4b6385df060d4b83273da764d2fa9",
    ),
}


class Hibari:
    """The `Synthesizer` of hibari's voices. English only: any other language is `NoVoice`."""

    def __init__(self, settings: EngineSettings) -> None:
        self._store = _VoiceStore(settings)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hibari")
        self._tongues: dict[str, _Tongue] = {}

    async def voices(self) -> tuple[Voice, ...]:
        """The voice that comes with the package, and those that would have to be downloaded."""
        return await asyncio.to_thread(self._store.voices)

    async def preload(self, voice: str) -> None:
        """Load a voice, so that its first sentence comes at once. Raises `WeightsMissing`."""
        await self._load(voice)

    async def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Speak a text, one chunk a sentence. Raises `NoVoice` or `WeightsMissing`."""
        voice = cast(await self.voices(), replace(request, engine="hibari"))
        tongue = await self._load(voice.name)
        offset = 0
        for piece in await self._run(tongue.pieces, request.text):
            chunk = await self._run(tongue.speak, piece, request.speed)
            yield _moved(chunk, offset)
            offset += len(chunk.pcm) // HOUSE_FORMAT.frame_bytes

    async def close(self) -> None:
        """Give the thread back."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _load(self, voice: str) -> "_Tongue":
        if voice not in self._tongues:
            package, model = await asyncio.to_thread(self._store.read, voice)
            await self._run(self._learn, voice, package, model)
        return self._tongues[voice]

    def _learn(self, voice: str, package: ModuleType, model: bytes) -> None:
        if voice not in self._tongues:
            self._tongues[voice] = _Tongue(package, voice, model)

    async def _run(self, work: Callable[[*_Ts], _T], *args: *_Ts) -> _T:
        """Do blocking work in the engine's one thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)


class _VoiceStore:
    """Where the voices' weights lie. Everything here reads files and may block."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings

    def voices(self) -> tuple[Voice, ...]:
        package = find(HIBARI, self._settings).why
        return tuple(
            Voice(name, "hibari", ("en",), model.description, ready=not why, why=why)
            for name, model in _MODELS.items()
            for why in [package or self._why_absent(name)]
        )

    def read(self, voice: str) -> tuple[ModuleType, bytes]:
        """The package and a voice's weights, checked. Raises `WeightsMissing` or `NoVoice`."""
        state = find(HIBARI, self._settings)
        if state.condition is not Condition.PRESENT:
            raise WeightsMissing(state.why, mend=MEND)
        package = load_package(HIBARI, self._settings)
        path = Path(state.path) if voice == _DEFAULT else self._downloaded(voice, package)
        model = path.read_bytes()
        if hashlib.sha256(model).hexdigest() != _MODELS[voice].sha256:
            raise WeightsMissing(f"The weights of hibari's voice {voice} are damaged.", mend=MEND)
        return package, model

    def _path(self, voice: str) -> Path:
        return self._settings.weights_dir / "hibari-voices" / _MODELS[voice].file

    def _why_absent(self, voice: str) -> str:
        if voice == _DEFAULT or self._settings.allow_downloads or self._path(voice).is_file():
            return ""
        return "it would have to be downloaded, and the settings do not allow downloads"

    def _downloaded(self, voice: str, package: ModuleType) -> Path:
        path = self._path(voice)
        if path.is_file():
            return path
        if why := self._why_absent(voice):
            raise NoVoice(f"Hibari's voice {voice} is not here: {why}.")
        model = _MODELS[voice]
        try:
            package.voices.download(package.voices.BASE_URL + model.file, str(path), model.sha256)
        except RuntimeError:
            raise WeightsMissing(f"Hibari's voice {voice} could not be downloaded.") from None
        return path


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the text and which phonemes of a piece are its sound; none: it is not spoken."""

    span: Span
    first: int = 0
    stop: int = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """What the model speaks at once."""

    ids: tuple[int, ...]
    """The model's numbers of the phonemes, with the padding before and after; none: silence."""
    words: tuple[_Word, ...]
    """Words that end in this piece; indices are those of `ids`."""


class _Tongue:
    """A loaded voice. Everything here blocks, and runs in the engine's one thread."""

    def __init__(self, package: ModuleType, voice: str, model: bytes) -> None:
        import numpy as np

        self._np = np
        self._package = package
        self._tts = package.Hibari(voice=voice, model=_with_lengths(model))
        self._normalize: Callable[[str], str] = import_module(f"{package.__name__}.g2p").normalize
        for piece in self.pieces(_PROBE):
            self.speak(piece, 1.0)

    def pieces(self, text: str) -> list[_Piece]:
        """The pieces of a text. Raises `NoVoice` if it has letters and none of them is spoken."""
        pieces: list[_Piece] = []
        cursor = 0
        for sentence in self._tts.split_sentences(text):
            start = text.index(sentence, cursor)
            cursor = start + len(sentence)
            pieces += self._pieces_of_sentence(sentence, start)
        pieces = _audible(pieces)
        if not pieces and any(map(str.isalpha, text)):
            raise NoVoice("Hibari speaks English only, and nothing here is English.")
        return pieces

    def speak(self, piece: _Piece, speed: float) -> SpeechChunk:
        """The sound of a piece; word times are counted from its own beginning."""
        np = self._np
        *spectrum, lengths = self._tts.sess.run(
            None,
            {
                "ids": np.asarray([piece.ids], np.int64),
                "speed": np.asarray([speed], np.float32),
            },
        )
        # A fixed seed: the same text sounds the same, also in a replay.
        noise = np.random.default_rng(0)
        audio = self._package.dsp.synth(*(part[0] for part in spectrum), noise)
        bounds = [0, *accumulate(int(length) * _UNIT for length in lengths)]
        lead = min(_silent_lead(audio), bounds[1])
        samples = (np.clip(audio[lead:], -1.0, 1.0) * 32_767).astype("<i2")
        return SpeechChunk(samples.tobytes(), _times(piece.words, bounds, lead))

    def _pieces_of_sentence(self, sentence: str, start: int) -> list[_Piece]:
        words = word_spans(sentence)
        phonemes, owner = self._phonemes(sentence, words)
        spans = [Span(start + word.start, start + word.end) for word in words]
        pieces = []
        told = 0
        for part in clause_slices(phonemes, _MAX_PHONEMES):
            is_last = part.stop >= len(phonemes)
            until = len(spans) if is_last else owner[part.stop]
            sounds = _sounds(phonemes[part], owner[part])
            ending = [_Word(spans[i], *sounds.get(i, (0, 0))) for i in range(told, until)]
            ids = [self._tts.vocab[symbol] for symbol in phonemes[part]]
            pieces.append(_Piece((0, *ids, 0) if phonemes[part].strip() else (), tuple(ending)))
            told = until
        return pieces

    def _phonemes(self, sentence: str, words: Sequence[Span]) -> tuple[str, list[int]]:
        """The sentence's phonemes, and for each the index of the word that it belongs to."""
        # "[a](/b/)" would let a text choose phonemes; one more space makes it ordinary text.
        sentence = _with_plain_digits(sentence)
        normal = self._normalize(sentence).replace("](", "] (")
        tokens = self._tts.g2p.phonemize_tokens(self._tts.g2p.tokenize(normal))
        spoken: list[tuple[str, str]] = [("", "")]
        for token in tokens:
            text, sound = spoken[-1]
            spoken[-1] = (text + token.text, sound + (token.phonemes or ""))
            if token.whitespace:
                spoken.append(("", ""))
        source = [sentence[word.start : word.end] for word in words]
        owner = owners(source, [text for text, _ in spoken], self._normalize)
        symbols = [
            (symbol, word)
            for (_, sound), word in zip(spoken, owner, strict=True)
            for symbol in sound + " "
            if symbol in self._tts.vocab
        ]
        return "".join(symbol for symbol, _ in symbols).rstrip(), [word for _, word in symbols]


def _audible(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces that sound; words of a silent one are told with the next, or else the last."""
    audible: list[_Piece] = []
    silent: tuple[_Word, ...] = ()
    for piece in pieces:
        if piece.ids:
            audible.append(replace(piece, words=silent + piece.words))
            silent = ()
        else:
            silent += piece.words
    if silent and audible:
        audible[-1] = replace(audible[-1], words=audible[-1].words + silent)
    return audible


def _with_plain_digits(text: str) -> str:
    """The text with "₂" and its like as "2", letter for letter: hibari stumbles over them."""
    return "".join(str(digit(char)) if char.isdigit() else char for char in text)


def _with_lengths(model: bytes) -> bytes:
    """The model with the inner tensor of phoneme lengths as one more output."""
    tensor_of_floats = _field(2, _field(1, bytes([8, 1])))
    output = _field(12, _field(1, b"/Clip_output_0") + tensor_of_floats)
    return model + _field(7, output)


def _field(number: int, payload: bytes) -> bytes:
    """A length-delimited protobuf field shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(payload)]) + payload


def _sounds(phonemes: str, owner: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For each word the stretch of ids (padding counted) from its first sound to its last."""
    sounding = [(word, at) for at, word in enumerate(owner, 1) if phonemes[at - 1] not in PAUSES]
    stretches = {word: [at for _, at in group] for word, group in groupby(sounding, lambda s: s[0])}
    return {word: (places[0], places[-1] + 1) for word, places in stretches.items()}


def _times(words: Sequence[_Word], bounds: Sequence[int], lead: int) -> tuple[WordTime, ...]:
    """Samples of each word; one that is not spoken takes no time, where the one before it ends."""
    times = []
    end = 0
    for word in words:
        start = bounds[word.first] - lead if word.stop else end
        end = bounds[word.stop] - lead if word.stop else end
        times.append(WordTime(word.span, start, end))
    return tuple(times)


def _silent_lead(audio: "NDArray[np.float32]") -> int:
    """Samples of silence that may be cut off before the first sound; `_KEPT` of them stay."""
    first_sound = int((abs(audio) > _SILENCE).argmax())
    return max(first_sound - _KEPT, 0)


def _moved(chunk: SpeechChunk, offset: int) -> SpeechChunk:
    """The chunk with its words on the clock of the whole text's audio."""
    words = (
        replace(word, start=word.start + offset, end=word.end + offset) for word in chunk.words
    )
    return replace(chunk, words=tuple(words))
