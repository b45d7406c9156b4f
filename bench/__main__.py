"""`python -m bench [NAME] [--json]`: measure, and tell every figure, also those that miss."""

import argparse
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from bench.figures import benchmarks, measure, table


def machine() -> str:
    """What the figures were measured on, and when: processor, cores, Python, system, date."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{_processor()}, {cores} cores, Python {platform.python_version()}, "
        f"{platform.system()} {platform.release()}, {datetime.now(UTC):%Y-%m-%d}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def main() -> None:
    """Measure what the arguments name, or everything. A figure that misses is told, no failure."""
    known = benchmarks()
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of: {', '.join(known)}")
    parser.add_argument("--json", action="store_true", help="print a JSON list of the figures")
    arguments = parser.parse_args()
    if arguments.name and arguments.name not in known:
        parser.error(f"no benchmark is named {arguments.name!r}; known: {', '.join(known)}")

    figures = []
    for name in [arguments.name] if arguments.name else known:
        told = measure(name)
        figures += told
        if not arguments.json:
            print(f"{name}: {machine()}\n{table(told)}\n", flush=True)
    if arguments.json:
        print(json.dumps([figure.as_json() for figure in figures], indent=2))


if __name__ == "__main__":
    main()
