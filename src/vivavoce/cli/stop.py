"""`vivavoce stop`: ends the daemon, also one of another version."""

import argparse

from vivavoce.cli import EXIT_DONE
from vivavoce.cli.client import connect
from vivavoce.errors import NoDaemon, VivavoceError

END_SECONDS = 10.0


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0 when it has ended, 1 when there was none."""
    with connect("stop") as client:
        try:
            for _ in client.ask("shutdown", END_SECONDS):
                pass  # The connection closes when the daemon has ended.
        except NoDaemon as error:
            if error.code == "no-answer":
                raise VivavoceError("The daemon does not end.", mend="vivavoce logs") from None
    print("stopped")
    return EXIT_DONE
