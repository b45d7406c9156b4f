"""The journal remembers what was accepted until it has ended."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.errors import StoreError
from vivavoce.store.journal import Journal
from vivavoce.store.memory import MemoryJournal
from vivavoce.vocabulary.utterance import End, Ending, Manner, Utterance

SAID = Utterance(
    "u1", "A *private* text.", "s1", "Marvin", manner=Manner("heart", 1.5, "null", "en")
)
HEARD = Ending(End.HEARD, heard="A private text.", heard_words=3, words=3)
PARKED = Ending(End.PARKED, "stopped", "The person stopped it.", rest="A private text.", words=3)


@pytest.fixture(params=["sqlite", "memory"])
async def journal(request, tmp_path):
    if request.param == "memory":
        yield MemoryJournal()
        return
    journal = Journal(tmp_path / "state" / "journal.db")
    await journal.open()
    yield journal
    await journal.close()


async def test_what_was_accepted_has_no_ending_yet(journal):
    await journal.accept(SAID)
    assert await journal.ending("u1") is None
    assert await journal.parked() == ()


async def test_an_ending_is_told_again(journal):
    await journal.accept(SAID)
    await journal.finish("u1", HEARD)
    told = await journal.ending("u1")
    assert (told.end, told.words) == (End.HEARD, 3)


async def test_what_is_parked_is_kept_whole(journal):
    await journal.accept(SAID)
    await journal.finish("u1", PARKED)
    assert await journal.parked() == (SAID,)


async def test_what_is_parked_can_be_accepted_again_and_then_has_no_ending(journal):
    await journal.accept(SAID)
    await journal.finish("u1", PARKED)
    await journal.accept(SAID)
    assert await journal.ending("u1") is None
    await journal.finish("u1", HEARD)
    assert await journal.parked() == ()


async def test_what_is_parked_can_be_forgotten(journal):
    for number in range(3):
        await journal.accept(Utterance(f"u{number}", "text", "s"))
        await journal.finish(f"u{number}", PARKED)
    assert await journal.forget_parked() == 3
    assert await journal.parked() == ()
    assert await journal.forget_parked() == 0


async def test_what_is_fleeting_is_not_kept(journal):
    await journal.accept(replace(SAID, fleeting=True))
    await journal.finish("u1", PARKED)
    assert await journal.parked() == ()


async def test_an_unknown_id_has_no_ending(journal):
    assert await journal.ending("nobody") is None


@pytest.mark.parametrize("end", [End.HEARD, End.CUT, End.REFUSED])
async def test_the_text_of_what_has_ended_is_nowhere_in_the_file(tmp_path, end):
    journal = Journal(tmp_path / "journal.db")
    await journal.open()
    await journal.accept(SAID)
    await journal.finish("u1", Ending(end, heard="A private", rest="text."))
    await journal.close()
    with sqlite3.connect(tmp_path / "journal.db") as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    assert b"private" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


async def test_only_the_person_can_read_the_file(tmp_path):
    journal = Journal(tmp_path / "journal.db")
    await journal.open()
    await journal.accept(SAID)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    await journal.close()
    assert modes == {0o600}


_KILLED_WRITER = """
import asyncio, os, signal, sys
from pathlib import Path
from vivavoce.store.journal import Journal
from vivavoce.vocabulary.utterance import Utterance

async def main():
    journal = Journal(Path(sys.argv[1]))
    await journal.open()
    for number in range(5):
        await journal.accept(Utterance(f"u{number}", f"text {number}", "s"))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_what_a_killed_daemon_had_accepted_is_parked_in_order(tmp_path):
    path = tmp_path / "journal.db"
    killed = subprocess.run([sys.executable, "-c", _KILLED_WRITER, path], timeout=30)
    assert killed.returncode == -signal.SIGKILL
    journal = Journal(path)
    assert await journal.open() == 5
    assert [u.text for u in await journal.parked()] == [f"text {n}" for n in range(5)]
    assert (await journal.ending("u3")).reason == "daemon-died"
    await journal.close()


async def test_a_journal_of_another_schema_is_set_aside_and_kept(tmp_path):
    path = tmp_path / "journal.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE other (x)")
        file.execute("PRAGMA user_version = 99")
    file.close()
    journal = Journal(path)
    await journal.open()
    await journal.accept(SAID)
    await journal.close()
    assert (tmp_path / "journal.v99").exists()


async def test_a_path_that_cannot_be_is_a_store_error_with_a_mend(tmp_path):
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "journal.db")
    with pytest.raises(StoreError) as caught:
        await journal.accept(SAID)
    assert caught.value.mend
    await journal.close()


async def test_a_journal_that_could_not_be_opened_is_tried_again(tmp_path):
    blocked = tmp_path / "state"
    blocked.write_text("")
    journal = Journal(blocked / "journal.db")
    with pytest.raises(StoreError):
        await journal.open()
    blocked.unlink()
    await journal.accept(SAID)
    assert Path(blocked / "journal.db").exists()
    await journal.close()


async def test_a_file_that_is_no_journal_is_a_store_error_and_stays_as_it_is(tmp_path):
    path = tmp_path / "journal.db"
    path.write_bytes(os.urandom(8192))
    before = path.read_bytes()
    journal = Journal(path)
    with pytest.raises(StoreError):
        await journal.open()
    assert path.read_bytes() == before
    await journal.close()
