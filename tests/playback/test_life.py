"""The life of an utterance: one of four ends, whatever happens."""

import pytest

from vivavoce.playback.life import TABLE, Cause, Stage, objection
from vivavoce.vocabulary.utterance import End


def test_every_stage_has_an_end_for_every_cause():
    assert set(TABLE) == {(stage, cause) for stage in Stage for cause in Cause}


def test_only_what_was_drained_was_heard():
    assert {cause for (_, cause), end in TABLE.items() if end is End.HEARD} == {Cause.DRAINED}


def test_nothing_of_which_something_was_heard_is_refused():
    assert End.REFUSED not in {TABLE[Stage.SOUNDING, cause] for cause in Cause}


def test_nothing_of_which_nothing_was_heard_is_cut():
    assert End.CUT not in {TABLE[Stage.WAITING, cause] for cause in Cause}


@pytest.mark.parametrize(
    ("spoken", "cause"),
    [("", Cause.UNSPEAKABLE), ("x", None), ("x" * 10, None), ("x" * 11, Cause.TOO_LONG)],
)
def test_what_is_empty_or_too_long_is_objected_to(spoken: str, cause: Cause | None):
    assert objection(spoken, 10) is cause
