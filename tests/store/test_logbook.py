"""The log file tells what happened, for the person alone, and never stands in the way."""

import json
import stat
from contextlib import closing

from vivavoce.store.logbook import Logbook


def test_a_note_is_one_line_of_json(tmp_path):
    with closing(Logbook(tmp_path / "state" / "vivavoce.log")) as book:
        book.note("ended", {"id": "u1", "words": 3})
    (line,) = (tmp_path / "state" / "vivavoce.log").read_text().splitlines()
    told = json.loads(line)
    assert (told["event"], told["id"], told["words"]) == ("ended", "u1", 3)
    assert "timestamp" in told


def test_only_the_person_can_read_it(tmp_path):
    Logbook(tmp_path / "vivavoce.log").close()
    assert stat.S_IMODE((tmp_path / "vivavoce.log").stat().st_mode) == 0o600


def test_two_books_do_not_write_into_each_other(tmp_path):
    with (
        closing(Logbook(tmp_path / "1.log")) as first,
        closing(Logbook(tmp_path / "2.log")) as second,
    ):
        first.note("one", {})
        second.note("two", {})
    assert "one" in (tmp_path / "1.log").read_text()
    assert "one" not in (tmp_path / "2.log").read_text()


def test_a_log_that_cannot_be_written_is_given_up_without_a_word(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    Logbook(tmp_path / "file" / "vivavoce.log").note("ended", {})
    assert capsys.readouterr() == ("", "")
