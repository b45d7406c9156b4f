"""`vivavoce reload`: lets the daemon read the configuration again."""

import argparse
import sys

from vivavoce.cli import EXIT_DONE, EXIT_WRONG_USE
from vivavoce.cli.client import connect


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0: read, 2: with faults, which are told; what is faulty does not count."""
    with connect("reload") as client:
        answer = next(client.same_version().ask("reload"))
    for fault in answer["faults"]:
        print(f"vivavoce: {fault}", file=sys.stderr)
    for name in answer["at_start"]:
        print(f"{name} counts when the daemon starts again: vivavoce stop")
    print("reloaded")
    return EXIT_WRONG_USE if answer["faults"] else EXIT_DONE
