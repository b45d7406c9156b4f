"""How far a run was heard, from marks of a device."""

import pytest

from vivavoce.sound.heard import HeardPosition


@pytest.fixture
def position() -> HeardPosition:
    return HeardPosition(rate=1000)


def test_nothing_is_heard_before_it_leaves_the_device(position: HeardPosition) -> None:
    position.mark(10.0, 0, 500)
    assert position.heard(9.9) == 0


def test_between_two_marks_the_sound_goes_on_sample_by_sample(position: HeardPosition) -> None:
    position.mark(10.0, 0, 500)
    position.mark(10.5, 500, 500)
    assert position.heard(10.25) == 250
    assert position.heard(10.75) == 750


def test_no_more_is_heard_than_was_taken(position: HeardPosition) -> None:
    position.mark(10.0, 0, 500)
    assert position.heard(99.0) == 500


def test_a_gap_between_blocks_is_not_counted(position: HeardPosition) -> None:
    position.mark(10.0, 0, 100)
    position.mark(15.0, 100, 100)
    assert position.heard(14.9) == 100
    assert position.heard(15.05) == 150


def test_a_device_that_changes_its_mind_does_not_turn_it_back(position: HeardPosition) -> None:
    position.mark(10.0, 0, 500)
    assert position.heard(10.4) == 400
    position.mark(10.3, 350, 500)
    assert position.heard(10.31) == 400


def test_it_knows_when_the_last_sample_is_gone(position: HeardPosition) -> None:
    assert position.silent_at == 0.0
    position.mark(10.0, 0, 500)
    assert position.silent_at == pytest.approx(10.5)


def test_blocks_of_silence_push_no_sound_out_of_memory(position: HeardPosition) -> None:
    position.mark(10.0, 0, 500)
    for _ in range(1000):
        position.mark(20.0, 500, 0)
    assert position.heard(10.25) == 250


def test_a_new_run_begins_with_nothing_heard(position: HeardPosition) -> None:
    position.mark(10.0, 0, 500)
    position.heard(11.0)
    position.restart()
    assert position.heard(11.0) == 0
