"""200 random kills of daemon, worker and client: what becomes of all that was accepted."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from vivavoce.testing.kills import kill_at_random

KILLS = 200
SEED = 20261130


def run() -> Iterator[Figure]:
    """Kill, and count what was lost, contradicted or spoken twice."""
    with tempfile.TemporaryDirectory(prefix="vivavoce-bench-") as home:
        tally = kill_at_random(Path(home), KILLS, SEED)
    for victim, count in sorted(tally.kills.items()):
        yield Figure(f"kills of the {victim}", count, "times")
    yield Figure("kills in all", tally.kills.total(), "times")
    yield Figure("accepted", len(tally.accepted), "utterances")
    for end in ("heard", "cut", "parked", "refused"):
        yield Figure(f"ended {end}", list(tally.ends.values()).count(end), "utterances")
    yield Figure("accepted without exactly one end", len(tally.without_end), "", "== 0")
    yield Figure("told another end than was recorded", len(tally.contradicted), "", "== 0")
    yield Figure("spoken twice", len(tally.spoken_twice), "utterances", "== 0")
