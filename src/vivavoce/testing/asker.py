"""A client process that says one text and prints what it is told: a victim for kills.

python -m vivavoce.testing.asker ID wait|leave TEXT
"""

import os
import sys

from vivavoce.cli.client import Client
from vivavoce.directories import directories
from vivavoce.errors import VivavoceError


def main(utterance: str, wait: str, text: str) -> None:
    """Print "accepted", then "ended END" when it waits for the end."""
    path = directories(os.environ, os.getuid()).daemon_socket
    client = Client.at(path, "asker", session=utterance)
    request = {"id": utterance, "text": text, "wait": wait == "wait"}
    for answer in client.ask("say", 60.0, **request):
        if answer["event"] == "accepted":
            print("accepted", flush=True)  # noqa: T201 - it is what this program is for
        if answer["event"] == "ended":
            print("ended", answer["end"], flush=True)  # noqa: T201
        if answer["event"] in ("ended", "left"):
            return


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VivavoceError:
        sys.exit(1)
