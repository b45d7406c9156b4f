"""A WAV file for each run."""

import errno
import os
import stat
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contract.speaker import SHORT, SHORT_SAMPLES, Rig, SpeakerContract, opened
from vivavoce.errors import PlaceError
from vivavoce.places.file import FilePlace
from vivavoce.vocabulary.audio import Fence


def sound_of(path: Path) -> bytes:
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24_000, 1, 2)
        return file.readframes(file.getnframes())


async def spoken(rig: Rig, fence: Fence) -> Path:
    rig.speaker.start(fence)
    await rig.feed(fence, SHORT)
    rig.speaker.finish(fence)
    await rig.until_drained(fence, SHORT_SAMPLES)
    assert isinstance(rig.speaker, FilePlace)
    assert rig.speaker.written is not None
    return rig.speaker.written


class TestFilePlace(SpeakerContract):
    @pytest.fixture
    async def rig(self, tmp_path: Path) -> AsyncIterator[Rig]:
        async with opened(Rig(FilePlace(tmp_path))) as rig:
            yield rig


async def test_the_file_holds_what_was_written_and_is_private(tmp_path: Path) -> None:
    async with opened(Rig(FilePlace(tmp_path / "new"))) as rig:
        path = await spoken(rig, Fence(1, 1))
    assert sound_of(path) == SHORT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_each_run_has_a_file_of_its_own_also_after_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        async with opened(Rig(FilePlace(tmp_path))) as rig:
            await spoken(rig, Fence(1, 1))
            await spoken(rig, Fence(1, 2))
    assert len(list(tmp_path.glob("*.wav"))) == 4


async def test_a_named_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    wanted = tmp_path / "said.wav"
    wanted.write_text("older")
    async with opened(Rig(FilePlace(tmp_path, path=wanted))) as rig:
        rig.speaker.start(Fence(1, 1))
        await rig.feed(Fence(1, 1), SHORT)
        assert wanted.read_text() == "older"
        await rig.speaker.close()
        assert wanted.read_text() == "older"
        await rig.speaker.open(rig.report)
        await spoken(rig, Fence(1, 2))
    assert sound_of(wanted) == SHORT
    assert list(tmp_path.iterdir()) == [wanted]


async def test_a_cleared_run_leaves_nothing(tmp_path: Path) -> None:
    async with opened(Rig(FilePlace(tmp_path))) as rig:
        rig.speaker.start(Fence(1, 1))
        await rig.feed(Fence(1, 1), SHORT)
        rig.speaker.clear(Fence(1, 1))
    assert list(tmp_path.iterdir()) == []


async def test_a_folder_that_cannot_be_made_is_told_with_its_mend(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("a file")
    with pytest.raises(PlaceError, match="cannot be written") as told:
        await FilePlace(tmp_path / "in the way" / "sounds").open(lambda _report: None)
    assert told.value.code == "no-file"
    assert "mkdir -p" in told.value.mend


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
async def test_a_full_disk_is_a_lost_speaker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_open = os.open

    def full(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if str(path).endswith(".part"):
            return really_open("/dev/full", os.O_WRONLY)
        return really_open(path, flags, mode)

    async with opened(Rig(FilePlace(tmp_path))) as rig:
        monkeypatch.setattr(os, "open", full)
        rig.speaker.start(Fence(1, 1))
        assert rig.speaker.write(Fence(1, 1), SHORT) == 0
        await rig.until_lost()
    assert os.strerror(errno.ENOSPC) in str(rig.reports)


async def test_a_disk_that_is_full_is_told_when_it_is_opened(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(PlaceError, match="No space left"):
        await FilePlace(tmp_path).open(lambda report: None)
    assert list(tmp_path.iterdir()) == []
