"""What the middle of the house asks of its edges: Protocols of a few methods.

Each has a fake in `vivavoce.testing` and a contract suite that every implementation passes.
"""

from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from vivavoce.vocabulary.audio import Fence, SpeechChunk, Synthesize, Voice
from vivavoce.vocabulary.place import Place, SpeakerReport
from vivavoce.vocabulary.utterance import Ending, Utterance


class Clock(Protocol):
    """Time that only goes forward."""

    def now(self) -> float:
        """Seconds on a monotonic clock."""


class Synthesizer(Protocol):
    """Speaks a text into PCM of the house format."""

    async def voices(self) -> tuple[Voice, ...]:
        """All voices that this synthesizer knows, also those that are not ready."""

    def synthesize(self, request: Synthesize) -> AsyncGenerator[SpeechChunk, None]:
        """Speak one segment; chunks come as soon as they are made.

        All words' times are told by the last chunk at the latest. Closing the generator cancels.
        Raises `NoVoice`, `WeightsMissing` or `EngineFailed`.
        """


class Speaker(Protocol):
    """Plays runs of house-format PCM at one place. Nothing here blocks.

    A run begins with `start`, takes PCM by `write`, and is drained after `finish`. A fence that is
    not newer than all before makes `start` a no-op, and `write`, `finish` and `clear` with any
    other fence than the current run's do nothing: late audio of an older grant is never heard.
    """

    place: Place

    async def open(self, report: Callable[[SpeakerReport], None]) -> None:
        """Make ready; `report` is called on the event loop. Idempotent. Raises `PlaceError`."""

    async def close(self) -> None:
        """Fall silent and give the device back. Idempotent."""

    def start(self, fence: Fence) -> None:
        """Begin a run, not paused; what is unheard of an older one is discarded at once."""

    def write(self, fence: Fence, pcm: bytes) -> int:
        """Take house-format PCM and return how many bytes were taken; the rest has no room yet."""

    def finish(self, fence: Fence) -> None:
        """The run has no more PCM: `Drained` is reported when the last sample was heard."""

    def clear(self, fence: Fence) -> None:
        """End the run and discard what is unheard; a last `Played` tells how far it was heard."""

    def pause(self) -> None:
        """Fall silent and keep what is unheard; no sample is lost."""

    def resume(self) -> None:
        """Go on with the next unheard sample."""

    def set_volume(self, volume: float) -> None:
        """Loudness from 0.0 (silent) to 1.0 (as synthesised)."""


class Journal(Protocol):
    """Remembers accepted utterances until they have ended, also when the daemon dies."""

    async def accept(self, utterance: Utterance) -> None:
        """Keep it; on return it survives the death of this process. Raises `StoreError`.

        What is fleeting is not kept.
        """

    async def finish(self, utterance_id: str, ending: Ending) -> None:
        """Record its one end; the text of what was heard is forgotten. Raises `StoreError`."""

    async def ending(self, utterance_id: str) -> Ending | None:
        """How it ended; None for one that has not ended or is not known. Raises `StoreError`."""

    async def parked(self) -> tuple[Utterance, ...]:
        """What is unheard and kept, oldest first. Raises `StoreError`."""

    async def forget_parked(self) -> int:
        """Let go of the text of all that is parked; returns how many. Raises `StoreError`."""
