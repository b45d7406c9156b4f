"""`vivavoce logs`: the end of the daemon's log."""

import argparse
import os
from pathlib import Path

from vivavoce.cli import EXIT_DONE, EXIT_NOT_DONE
from vivavoce.directories import directories

_FILES = ("daemon.out", "vivavoce.log")


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0, or 1 when there is no log."""
    state = Path(directories(os.environ, os.getuid()).state)
    found = [state / name for name in _FILES if (state / name).exists()]
    for path in found:
        if arguments.clear:
            path.write_bytes(b"")
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(lines[-arguments.lines :]))
    if arguments.clear:
        (state / "vivavoce.log.1").unlink(missing_ok=True)
    return EXIT_DONE if found else EXIT_NOT_DONE
