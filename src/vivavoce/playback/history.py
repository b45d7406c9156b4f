"""The last utterances with their sound, for the life of the daemon, in memory only."""

from collections.abc import Iterator

from vivavoce.playback.track import Track

MEMORY_BYTES = 48 * 1024 * 1024
"""No more sound than this is kept: about 17 minutes. The newest is always kept whole."""


class History:
    """The last `size` utterances, the oldest first, each of them once."""

    def __init__(self, size: int = 8) -> None:
        if size < 1:
            raise ValueError("a history holds at least one utterance")
        self._size = size
        self._tracks: list[Track] = []

    def __len__(self) -> int:
        return len(self._tracks)

    def __getitem__(self, index: int) -> Track:
        return self._tracks[index]

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks)

    def remember(self, track: Track) -> None:
        """Keep a track as the newest and drop the oldest ones that have no room."""
        if track not in self._tracks:
            self._tracks.append(track)
        del self._tracks[: -self._size]
        self.trim()

    def trim(self) -> None:
        """Drop the oldest while all together hold more than `MEMORY_BYTES`."""
        while len(self._tracks) > 1 and sum(len(t.pcm) for t in self._tracks) > MEMORY_BYTES:
            del self._tracks[0]
