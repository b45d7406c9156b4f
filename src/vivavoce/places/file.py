"""A WAV file for each run: what was said, where there is no ear."""

import asyncio
import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from vivavoce.errors import PlaceError
from vivavoce.sound.ring import SAMPLE_BYTES
from vivavoce.sound.wav import HEADER_BYTES, MAX_DATA_BYTES, wav_header
from vivavoce.vocabulary.audio import Fence
from vivavoce.vocabulary.place import Drained, Place, Played, SpeakerLost, SpeakerReport

PROBE_BYTES = 48_000
"""A second of sound: where this has no room, a run has none."""


class FilePlace:
    """Writes runs as fast as they come; a file appears under its name when it is whole.

    Loudness is left to whoever plays the file. A run that is cleared leaves no file.
    """

    def __init__(self, folder: Path, *, path: Path | None = None, audible: bool = True) -> None:
        self.place = Place("file", audible=audible, description=str(path or folder))
        self.written: Path | None = None
        """The file that was finished last."""
        self._folder = folder
        self._path = path
        self._report: Callable[[SpeakerReport], None] | None = None
        self._fence: Fence | None = None
        self._partial: Path | None = None
        self._file: BinaryIO | None = None
        self._samples = 0
        self._paused = False
        self._finishing = False

    async def open(self, report: Callable[[SpeakerReport], None]) -> None:
        """Make the folder, and see that it can be written to. Raises `PlaceError`."""
        self._report = report
        folder = shlex.quote(str(self._folder))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            probe = self._folder / f".vivavoce-{os.getpid()}.probe"
            probe.touch(mode=0o600)
            try:
                probe.write_bytes(bytes(PROBE_BYTES))
            finally:
                probe.unlink()
        except OSError as error:
            raise PlaceError(
                f"Sound cannot be written to {self._folder}: {error.strerror}.",
                code="no-file",
                mend=f"mkdir -p {folder} && chmod u+w {folder} && df -h {folder}",
            ) from error

    async def close(self) -> None:
        """Discard a run that was not finished."""
        self._discard()

    def start(self, fence: Fence) -> None:
        """Begin a file; one that was not finished is discarded."""
        if self._report is None or (self._fence is not None and fence <= self._fence):
            return
        self._discard()
        self._fence, self._samples, self._paused, self._finishing = fence, 0, False, False
        final = self._final(fence)
        self._partial = final.with_name(f".{final.name}.{os.getpid()}.part")
        try:
            self._file = os.fdopen(os.open(self._partial, _NEW_FILE, 0o600), "wb")
            self._file.write(bytes(HEADER_BYTES))
        except OSError as error:
            self._lose(error)

    def write(self, fence: Fence, pcm: bytes) -> int:
        """Write whole samples, which count as played."""
        if self._file is None or fence != self._fence or self._paused or self._finishing:
            return 0
        room = MAX_DATA_BYTES - self._samples * SAMPLE_BYTES
        size = min(len(pcm), room) // SAMPLE_BYTES * SAMPLE_BYTES
        try:
            self._file.write(pcm[:size])
            self._file.flush()
        except OSError as error:
            self._lose(error)
            return 0
        self._samples += size // SAMPLE_BYTES
        self._tell(Played(fence, self._samples))
        return size

    def finish(self, fence: Fence) -> None:
        """Give the file its header and its name, and report `Drained`."""
        if self._file is None or fence != self._fence:
            return
        self._finishing = True
        if not self._paused:
            self._finish(fence)

    def clear(self, fence: Fence) -> None:
        """Discard the file; what was written of it counts as played."""
        if self._file is not None and fence == self._fence:
            self._discard()
            self._tell(Played(fence, self._samples))

    def pause(self) -> None:
        """Take nothing until `resume`."""
        self._paused = True

    def resume(self) -> None:
        """Take PCM again, and tell so by repeating how far it got."""
        was, self._paused = self._paused, False
        if was and self._file is not None and self._fence is not None:
            if self._finishing:
                self._finish(self._fence)
            else:
                self._tell(Played(self._fence, self._samples))

    def set_volume(self, volume: float) -> None:
        """A file is as loud as its player."""

    def _final(self, fence: Fence) -> Path:
        if self._path is not None:
            return self._path
        # A number of its own for each file: grants begin anew with each daemon.
        stem = f"{fence.grant:06d}-{fence.run:03d}"
        paths = (self._folder / f"{stem}{f'-{n}' if n else ''}.wav" for n in count())
        return next(path for path in paths if not path.exists())

    def _finish(self, fence: Fence) -> None:
        file, partial = self._file, self._partial
        assert file is not None
        assert partial is not None
        final = self._final(fence)
        try:
            file.seek(0)
            file.write(wav_header(self._samples * SAMPLE_BYTES))
            file.close()
            partial.replace(final)
        except OSError as error:
            self._lose(error)
            return
        self._file, self._partial, self.written = None, None, final
        self._tell(Drained(fence, self._samples, str(self.written)))

    def _discard(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        if self._partial is not None:
            with suppress(OSError):
                self._partial.unlink(missing_ok=True)
        self._file = self._partial = None

    def _lose(self, error: OSError) -> None:
        self._discard()
        self._tell(SpeakerLost(f"Sound cannot be written to {self._folder}: {error.strerror}."))

    def _tell(self, report: SpeakerReport) -> None:
        """Report after the present call, which the listener may have made in the middle of one."""
        if self._report is not None:
            asyncio.get_running_loop().call_soon(self._report, report)


_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
