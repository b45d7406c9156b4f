"""The numbers behind the figures, each as it was measured, kept for whoever wants to look again."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.__main__ import machine

HERE = Path(__file__).parent.parent / "docs" / "benchmarks"


def keep(name: str, numbers: Mapping[str, Sequence[float]], note: str = "") -> None:
    """Write one file of raw numbers, with the machine, the date and the load of the machine."""
    HERE.mkdir(parents=True, exist_ok=True)
    told = {
        "machine": machine(),
        "load_of_the_last_minute": round(os.getloadavg()[0], 2),
        "note": note,
        "numbers": {title: [round(n, 2) for n in values] for title, values in numbers.items()},
    }
    lines = json.dumps(told, ensure_ascii=False, indent=1)
    (HERE / f"{name}.json").write_text(lines + "\n", encoding="utf-8")
