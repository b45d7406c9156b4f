"""`vivavoce models`: checks and fetches the weights of engines."""

import argparse
import json
import os

from vivavoce.cli import EXIT_DONE, EXIT_NOT_DONE
from vivavoce.directories import directories
from vivavoce.engines import models
from vivavoce.house import engine_settings
from vivavoce.settings import read


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0 when all weights are there and the pinned ones, else 1."""
    settings = engine_settings(read(os.environ).settings, directories(os.environ, os.getuid()))
    if arguments.action == "fetch":
        models.fetch(settings)
    states = models.check(settings)
    rows = [
        {
            "role": state.weights.role,
            "name": state.weights.folder,
            "condition": state.condition.value,
            "origin": state.origin,
            "why": state.why,
        }
        for state in states
    ]
    if arguments.json:
        print(json.dumps({"models": rows}))
    else:
        for row in rows:
            print(f"{row['role']:8} {row['name']:20} {row['condition']:8} {row['why']}")
    present = all(state.condition is models.Condition.PRESENT for state in states)
    return EXIT_DONE if present else EXIT_NOT_DONE
