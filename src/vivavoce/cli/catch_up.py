"""`vivavoce catch-up`: hear, list or forget what was parked unheard."""

import argparse
from typing import Any

from vivavoce.cli import EXIT_DONE, EXIT_NOT_DONE
from vivavoce.cli.client import connect, shown


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0: done, 1: not all of it was heard."""
    action = "list" if arguments.list else "forget" if arguments.forget else "say"
    with connect("catch-up", start=True) as client:
        answer = next(client.same_version().ask("catch_up", None, action=action))
    print(shown(answer) if arguments.json else _sentence(answer))
    heard = all(ending["end"] == "heard" for ending in answer.get("endings", ()))
    return EXIT_DONE if heard else EXIT_NOT_DONE


def _sentence(answer: dict[str, Any]) -> str:
    if "forgotten" in answer:
        return f"forgotten: {answer['forgotten']}"
    if "parked" in answer:
        lines = [
            f"{p['id']}  {p['agent']}  {' '.join(p['text'].split())[:60]}" for p in answer["parked"]
        ]
        return "\n".join(lines) or "nothing is parked"
    heard = sum(ending["end"] == "heard" for ending in answer["endings"])
    return f"heard: {heard} of {len(answer['endings'])}"
