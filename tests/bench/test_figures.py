"""Benchmarks tell figures; what breaks is told as a figure that misses."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bench.figures import Figure, benchmarks, collect, table

GOOD = Figure("start", 61.5, "ms", "<= 80")


@pytest.mark.parametrize(
    ("value", "goal", "holds"),
    [
        (80, "<= 80", True),
        (80.1, "<= 80", False),
        (0.95, ">= 0.95", True),
        (0.94, ">= 0.95", False),
        (0, "== 0", True),
        (1, "== 0", False),
        (80, "< 80", False),
        (80, "> 79", True),
        (-3, ">= -3", True),
        (7, "", True),
        (None, "", False),
        (None, "<= 80", False),
    ],
)
def test_a_figure_holds_when_its_value_meets_its_goal(
    value: float | None, goal: str, holds: bool
) -> None:
    assert Figure("x", value, "ms", goal).holds is holds


@pytest.mark.parametrize("goal", ["80", "at most 80", "<= 80 ms", "=< 80"])
def test_a_goal_that_cannot_be_compared_is_refused(goal: str) -> None:
    with pytest.raises(ValueError, match="is no goal"):
        Figure("x", 1, "ms", goal)


def test_figures_are_kept_from_every_kind_of_run() -> None:
    def listed() -> list[Figure]:
        return [GOOD]

    def yielded() -> Iterator[Figure]:
        yield GOOD

    async def awaited() -> list[Figure]:
        return [GOOD]

    async def streamed() -> AsyncIterator[Figure]:
        yield GOOD

    for run in (listed, yielded, awaited, streamed):
        assert collect("x", run) == [GOOD]


def test_what_was_told_before_it_broke_is_kept_and_the_breaking_misses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run() -> Iterator[Figure]:
        yield GOOD
        raise OSError("no sink")

    kept, broke = collect("say", run)
    assert kept == GOOD
    assert (broke.value, broke.holds) == (None, False)
    assert "say" in broke.name
    assert "OSError" in broke.name
    assert "no sink" in capsys.readouterr().err


def test_a_benchmark_that_tells_nothing_misses() -> None:
    (figure,) = collect("say", list)
    assert not figure.holds


def test_what_a_benchmark_prints_stays_out_of_the_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run() -> list[Figure]:
        print("warming up")
        return [GOOD]

    assert collect("say", run) == [GOOD]
    assert capsys.readouterr() == ("", "warming up\n")


def test_benchmarks_are_the_modules_that_define_run(tmp_path: Path) -> None:
    (tmp_path / "say.py").write_text("def run(): return []\n")
    (tmp_path / "kill.py").write_text("async def run(): return []\n")
    (tmp_path / "sink.py").write_text("class Sink:\n    def run(self): ...\n")
    assert benchmarks(tmp_path) == ["kill", "say"]


def test_the_table_says_which_figures_miss() -> None:
    lines = table([GOOD, Figure("stop", 90, "ms", "<= 80"), Figure("peer", 107, "ms")]).splitlines()
    assert lines[0].endswith("<= 80  holds")
    assert lines[1].endswith("<= 80  MISSES")
    assert lines[2].endswith("107 ms")


def test_a_figure_becomes_json_with_its_verdict() -> None:
    assert json.loads(json.dumps(GOOD.as_json())) == {
        "name": "start",
        "value": 61.5,
        "unit": "ms",
        "goal": "<= 80",
        "holds": True,
    }


def test_an_unknown_name_lists_the_known_ones() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "bench", "nonesuch"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert answer.returncode == 2
    assert "known:" in answer.stderr
    assert all(name in answer.stderr for name in benchmarks())
