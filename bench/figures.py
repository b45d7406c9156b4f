"""A figure is a measured number beside its goal; a benchmark is a module whose `run` tells some.

`run` may return figures, yield them, or be a coroutine or an asynchronous generator that does. What
it told before it broke is kept, and its breaking is one more figure, which misses.
"""

import ast
import asyncio
import contextlib
import importlib
import inspect
import operator
import re
import sys
import traceback
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

HERE = Path(__file__).parent

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}
_GOAL = re.compile(r"(<=|>=|<|>|==) *(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Figure:
    """One measured number. Raises `ValueError` for a goal that is not like "<= 80"."""

    name: str
    value: float | None
    """In `unit`; None where nothing could be measured, which meets no goal."""
    unit: str
    goal: str = ""
    """A comparison and a number in `unit`, or empty where nothing is promised."""

    def __post_init__(self) -> None:
        if self.goal and not _GOAL.fullmatch(self.goal):
            raise ValueError(f"{self.goal!r} is no goal; one looks like '<= 80'")

    @property
    def holds(self) -> bool:
        """Whether the value meets the goal; without a goal, whether there is a value."""
        if self.value is None:
            return False
        goal = _GOAL.fullmatch(self.goal)
        return goal is None or _COMPARISONS[goal[1]](self.value, float(goal[2]))

    def as_json(self) -> dict[str, str | float | bool | None]:
        """The figure as `./dev bench --json` prints it."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "goal": self.goal,
            "holds": self.holds,
        }


Told: TypeAlias = Iterable[Figure] | AsyncIterable[Figure] | Awaitable[Iterable[Figure]]
Run: TypeAlias = Callable[[], Told]


def benchmarks(folder: Path = HERE) -> list[str]:
    """Names of the benchmarks in a folder: its modules that define `run`; none is imported."""
    return sorted(path.stem for path in folder.glob("*.py") if _defines_run(path))


def _defines_run(path: Path) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "run"
        for node in ast.parse(path.read_bytes()).body
    )


def measure(name: str) -> list[Figure]:
    """Run the benchmark of that name and return all that it told."""

    def run() -> Told:
        made: Told = importlib.import_module(f"bench.{name}").run()
        return made

    return collect(name, run)


def collect(name: str, run: Run) -> list[Figure]:
    """Call `run` and keep its figures; if it breaks, the last figure says so and misses.

    What a benchmark prints goes to standard error: standard output belongs to the figures.
    """
    figures: list[Figure] = []
    with contextlib.redirect_stdout(sys.stderr):
        try:
            _gather(run(), figures)
        except Exception as error:  # noqa: BLE001  (whatever broke it, it has missed)
            traceback.print_exc()
            figures.append(Figure(f"{name}: broke ({type(error).__name__})", None, "", "== 0"))
        else:
            if not figures:
                figures.append(Figure(f"{name}: told nothing", None, ""))
    return figures


def _gather(told: Told, figures: list[Figure]) -> None:
    async def gather() -> None:
        if isinstance(told, AsyncIterable):
            async for figure in told:
                figures.append(figure)
        elif inspect.isawaitable(told):
            figures.extend(await told)

    if isinstance(told, Iterable):
        for figure in told:
            figures.append(figure)
    else:
        asyncio.run(gather())


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines for people: name, value, unit, goal, and whether it holds."""
    rows = [
        (
            figure.name,
            "-" if figure.value is None else f"{figure.value:,.4g}",
            figure.unit,
            figure.goal,
            "" if figure.holds and not figure.goal else "holds" if figure.holds else "MISSES",
        )
        for figure in figures
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        f"{name:{widths[0]}}  {value:>{widths[1]}} {unit:{widths[2]}}"
        f"  {goal:{widths[3]}}  {verdict}".rstrip()
        for name, value, unit, goal, verdict in rows
    )
