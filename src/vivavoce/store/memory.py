"""A journal for a process that ends with its one utterance, and for tests."""

from vivavoce.vocabulary.utterance import End, Ending, Utterance


class MemoryJournal:
    """Remembers in memory, as long as it lives."""

    def __init__(self) -> None:
        self._utterances: dict[str, Utterance] = {}
        self._endings: dict[str, Ending] = {}

    async def accept(self, utterance: Utterance) -> None:
        """Keep it, unless it is fleeting."""
        if utterance.fleeting:
            return
        self._utterances[utterance.id] = utterance
        self._endings.pop(utterance.id, None)

    async def finish(self, utterance_id: str, ending: Ending) -> None:
        """Record its one end."""
        self._endings[utterance_id] = ending
        if ending.end is not End.PARKED:
            self._utterances.pop(utterance_id, None)

    async def ending(self, utterance_id: str) -> Ending | None:
        """How it ended; None for one that has not ended or is not known."""
        return self._endings.get(utterance_id)

    async def parked(self) -> tuple[Utterance, ...]:
        """What is unheard and kept, oldest first."""
        return tuple(u for u in self._utterances.values() if u.id in self._endings)

    async def forget_parked(self) -> int:
        """Let go of all that is parked; returns how many."""
        parked = await self.parked()
        for utterance in parked:
            del self._utterances[utterance.id]
        return len(parked)
