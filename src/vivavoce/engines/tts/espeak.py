"""espeak-ng: over a hundred languages, plainly spoken. GPL, hence always a process of its own."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, replace

from vivavoce.engines.casting import cast
from vivavoce.engines.pcm import house_pcm
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.words import estimate
from vivavoce.errors import EngineFailed, NoVoice
from vivavoce.vocabulary.audio import SpeechChunk, Synthesize, Voice

MEND = "apt-get install -y espeak-ng"
_WORDS_A_MINUTE = 175
"""The program's own pace."""
_OTHER_TAGS = {"cmn": "zh", "nb": "no"}
"""Tags that a text's language has by another name."""
_USUAL_LANGUAGES = ("en", "de", "zh", "es", "fr", "it", "pt", "nl", "pl", "ru", "ja", "ko", "ar")
"""What is listed while the program is missing; it speaks many more."""


class Espeak:
    """The `Synthesizer` of the espeak-ng program. Word times are estimated."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._listed: dict[str, tuple[Voice, ...]] = {}

    async def voices(self) -> tuple[Voice, ...]:
        """A voice for each language or dialect, named by its tag, the usual dialect first."""
        program = self._program()
        if program is None:
            return _missing_voices()
        if program not in self._listed:
            listing = await self._run([program, "--voices"], "")
            self._listed[program] = _parse_voices(listing.decode(errors="replace"))
        return self._listed[program]

    async def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Speak a text in one chunk. Raises `NoVoice` or `EngineFailed`."""
        voice = cast(await self.voices(), replace(request, engine="espeak"))
        program = self._program()
        if program is None:
            raise NoVoice("espeak-ng is not installed.", mend=MEND)
        pace = str(round(_WORDS_A_MINUTE * request.speed))
        command = [program, "-b", "1", "-v", voice.name, "-s", pace, "--stdin", "--stdout"]
        # "[[" would let a text choose phonemes.
        wav = await self._run(command, request.text.replace("[[", "[ ["))
        pcm = await asyncio.to_thread(house_pcm, wav)
        yield SpeechChunk(pcm, estimate(request.text, pcm), exact=False)

    def _program(self) -> str | None:
        return shutil.which(self._settings.espeak_program)

    async def _run(self, command: list[str], text: str) -> bytes:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(self._settings.read_seconds):
                output, _ = await process.communicate(text.encode())
        except TimeoutError:
            raise EngineFailed("espeak-ng did not answer in time.") from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode or not output:
            raise EngineFailed(f"espeak-ng failed with exit status {process.returncode}.")
        return output


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the program's list of voices; a lower priority is the more usual dialect."""

    priority: int
    tag: str
    name: str

    @property
    def voice(self) -> Voice:
        primary = self.tag.split("-")[0]
        languages = dict.fromkeys((_OTHER_TAGS.get(primary, primary), primary))
        return Voice(self.tag, "espeak", tuple(languages), self.name.replace("_", " "))


def _parse_voices(listing: str) -> tuple[Voice, ...]:
    columns = [line.split() for line in listing.splitlines()[1:]]
    rows = [_Row(int(c[0]), c[1], c[3]) for c in columns if len(c) > 4 and c[0].isdigit()]
    unique = {row.tag: row for row in sorted(rows, key=lambda row: row.priority, reverse=True)}
    return tuple(row.voice for row in sorted(unique.values(), key=_rarity))


def _rarity(row: _Row) -> tuple[bool, int, int, str]:
    """The language's own tag first ("de", "fr-fr"), then what the program itself prefers."""
    primary = row.tag.split("-")[0]
    return row.tag not in {primary, f"{primary}-{primary}"}, row.priority, len(row.tag), row.tag


def _missing_voices() -> tuple[Voice, ...]:
    why = f"espeak-ng is not installed; run: {MEND}"
    return tuple(
        Voice(language, "espeak", (language,), "espeak-ng", ready=False, why=why)
        for language in _USUAL_LANGUAGES
    )
