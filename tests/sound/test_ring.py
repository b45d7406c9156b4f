"""The playback ring: no sample lost, none twice, none of an older run."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.sound.fade import FADE_SAMPLES
from vivavoce.sound.ring import PlaybackRing
from vivavoce.vocabulary.audio import Fence

RUN = Fence(1, 1)


def samples(pcm: bytes) -> list[int]:
    return list(array("h", pcm))


def pcm(*values: int) -> bytes:
    return array("h", values).tobytes()


def steady(count: int, level: int = 1000) -> bytes:
    return pcm(*([level] * count))


def playing(sound: bytes, **ways: bool) -> PlaybackRing:
    ring = PlaybackRing(**ways)
    ring.start(RUN)
    ring.write(RUN, sound)
    return ring


def test_a_block_is_as_long_as_it_was_asked_for_and_silence_is_not_counted() -> None:
    ring = playing(pcm(1, 2, 3))
    taken = ring.take(5)
    assert samples(taken.pcm) == [1, 2, 3, 0, 0]
    assert (taken.offset, taken.first, taken.samples) == (0, 0, 3)
    assert ring.taken == 3


def test_no_more_is_taken_than_there_is_room_for_and_only_whole_samples() -> None:
    ring = PlaybackRing(capacity=4)
    ring.start(RUN)
    assert ring.write(RUN, bytes(5)) == 4
    assert ring.write(RUN, bytes(8)) == 4
    assert ring.write(RUN, bytes(2)) == 0
    ring.take(1)
    assert ring.write(RUN, bytes(8)) == 2


def test_a_fence_that_is_not_newer_begins_nothing() -> None:
    ring = PlaybackRing()
    assert ring.start(Fence(2, 1))
    assert not ring.start(Fence(2, 1))
    assert not ring.start(Fence(1, 9))
    assert ring.start(Fence(2, 2))
    assert ring.write(Fence(2, 1), pcm(1)) == 0


def test_a_new_run_plays_nothing_of_the_old_but_its_fade() -> None:
    ring = playing(steady(1000))
    ring.take(10)
    ring.start(Fence(1, 2))
    ring.write(Fence(1, 2), steady(10, level=7))
    taken = ring.take(FADE_SAMPLES + 10)
    assert taken.offset == FADE_SAMPLES
    assert samples(taken.pcm)[FADE_SAMPLES:] == [7] * 10
    assert (taken.first, taken.samples) == (0, 10)


def test_an_end_fades_and_is_silent_then() -> None:
    ring = playing(steady(1000))
    ring.take(10)
    ring.end()
    fading = samples(ring.take(FADE_SAMPLES + 10).pcm)
    assert fading[0] == 1000
    assert fading == sorted(fading, reverse=True)
    assert fading[-10:] == [0] * 10
    assert not any(samples(ring.take(10).pcm))


def test_a_pause_repeats_in_its_fade_what_a_resume_goes_on_with() -> None:
    ring = playing(pcm(*range(1000, 2000)), fade=True)
    ring.take(10)
    ring.pause()
    assert ring.take(FADE_SAMPLES).samples == 0
    ring.resume()
    taken = ring.take(FADE_SAMPLES + 5)
    assert taken.first == 10
    assert samples(taken.pcm)[0] == 0
    assert samples(taken.pcm)[FADE_SAMPLES:] == list(
        range(1010 + FADE_SAMPLES, 1015 + FADE_SAMPLES)
    )


def test_a_pause_that_no_block_noticed_leaves_no_trace() -> None:
    ring = playing(pcm(*range(1000, 2000)))
    ring.take(10)
    ring.pause()
    ring.resume()
    assert samples(ring.take(3).pcm) == [1010, 1011, 1012]


def test_a_pause_before_the_first_sample_costs_no_fade() -> None:
    ring = playing(pcm(5, 6))
    ring.pause()
    ring.take(10)
    ring.resume()
    assert samples(ring.take(2).pcm) == [5, 6]


def test_a_lead_in_is_silence_that_is_not_counted() -> None:
    ring = playing(pcm(1, 2, 3))
    ring.lead_in(4)
    first, second = ring.take(3), ring.take(3)
    assert samples(first.pcm + second.pcm) == [0, 0, 0, 0, 1, 2]
    assert (second.offset, second.first, second.samples) == (1, 0, 2)


def test_a_run_is_spent_when_it_is_finished_and_all_is_taken() -> None:
    ring = playing(pcm(1, 2))
    assert not ring.spent
    ring.finish(RUN)
    assert not ring.spent
    ring.take(2)
    assert ring.spent
    assert ring.write(RUN, pcm(3)) == 0


@pytest.mark.parametrize(("volume", "heard"), [(0.0, 0), (0.5, 500), (1.0, 1000), (7.0, 1000)])
def test_a_volume_is_reached_within_a_block(volume: float, heard: int) -> None:
    ring = playing(steady(40))
    ring.set_volume(volume)
    ring.take(20)
    assert samples(ring.take(20).pcm) == [heard] * 20


STEP = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 300)),
    st.tuples(st.just("take"), st.integers(0, 300)),
    st.tuples(st.sampled_from(["pause", "resume"]), st.just(0)),
)


@given(st.lists(STEP, max_size=60))
def test_however_it_is_fed_and_held_each_sample_comes_once_and_in_order(
    steps: list[tuple[str, int]],
) -> None:
    ring = PlaybackRing(capacity=500, fade=False)
    ring.start(RUN)
    written, heard = 0, []
    for step, size in [*steps, ("resume", 0), ("take", 500)]:
        if step == "write":
            piece = pcm(*(1 + (written + i) % 30_000 for i in range(size)))
            written += ring.write(RUN, piece) // 2
        elif step == "take":
            taken = ring.take(size)
            assert len(taken.pcm) == 2 * size
            assert taken.first == len(heard)
            heard += samples(taken.pcm)[taken.offset : taken.offset + taken.samples]
        else:
            getattr(ring, step)()
    assert heard == [1 + i % 30_000 for i in range(written)]
