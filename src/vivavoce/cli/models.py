"""`vivavoce models`: checks and fetches the weights of engines."""

import argparse
import json
import os

from vivavoce import house
from vivavoce.cli import EXIT_DONE, EXIT_NOT_DONE
from vivavoce.settings import read


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0 when all weights are there and the pinned ones, else 1."""
    states = house.weights(read(os.environ), fetch=arguments.action == "fetch")
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
    return EXIT_NOT_DONE if any(row["why"] for row in rows) else EXIT_DONE
