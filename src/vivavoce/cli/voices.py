"""`vivavoce voices`: lists the voices that can speak here."""

import argparse

from vivavoce.cli import EXIT_DONE
from vivavoce.cli.client import connect, shown


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0."""
    with connect("voices", start=True) as client:
        answer = next(client.same_version().ask("voices", 60.0))
    if arguments.json:
        print(shown(answer))
        return EXIT_DONE
    for voice in answer["voices"]:
        languages = ",".join(voice["languages"])
        state = voice["description"] if voice["ready"] else f"not ready: {voice['why']}"
        print(f"{voice['engine']}/{voice['name']:24} {languages:8} {state}")
    return EXIT_DONE
