"""Random kills of daemon, worker and client while speech is asked for, and what came of it.

`./dev bench durability` runs many, `./dev test` a seeded few.
"""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from vivavoce.testing.daemon import PrivateDaemon

ENDS = ("heard", "cut", "parked", "refused")
TEXTS = (
    "Yes.",
    "The build is done and all tests pass.",
    "First sentence here. Then a second one, a little longer. And a third.",
)


@dataclass(slots=True)
class Tally:
    """What a series of kills came to."""

    kills: Counter[str] = field(default_factory=Counter)
    """How often each victim was killed."""
    accepted: set[str] = field(default_factory=set)
    """Ids of which a client was told that they were accepted."""
    told: dict[str, str] = field(default_factory=dict)
    """Ends that a client was told, by id."""
    ends: dict[str, str] = field(default_factory=dict)
    """Ends in the journal after all, by id."""
    sounded: Counter[str] = field(default_factory=Counter)
    """How often each id began to sound, over all daemons."""

    @property
    def without_end(self) -> set[str]:
        """Accepted ids that are in none of the four ends."""
        return {id_ for id_ in self.accepted if self.ends.get(id_) not in ENDS}

    @property
    def contradicted(self) -> set[str]:
        """Ids whose client was told another end than the journal tells."""
        return {id_ for id_, end in self.told.items() if self.ends.get(id_) != end}

    @property
    def spoken_twice(self) -> set[str]:
        """Ids that began to sound more than once."""
        return {id_ for id_, times in self.sounded.items() if times > 1}


@dataclass(slots=True)
class _Asker:
    """A client process that says one text."""

    id: str
    process: subprocess.Popen[str]


def kill_at_random(home: Path, kills: int, seed: int, speed: str = "1") -> Tally:
    """Kill `kills` times and tell what became of all that was accepted."""
    chance, tally = random.Random(seed), Tally()  # noqa: S311 - a seeded test
    daemon = PrivateDaemon(home, place="null", engines="tones", speed=speed)
    daemon.start()
    try:
        # A round that finds no worker to kill does not count, so there may be more rounds.
        for number in range(3 * kills):
            if tally.kills.total() < kills:
                _round(daemon, tally, chance, number)
        if daemon.process is None:
            daemon.start()
        _settle(daemon, tally)
    finally:
        daemon.end()
    _read_log(daemon, tally)
    return tally


def _round(daemon: PrivateDaemon, tally: Tally, chance: random.Random, number: int) -> None:
    askers = [_ask(daemon, f"k{number}-{asker}", chance) for asker in range(chance.randint(1, 3))]
    victim = chance.choice(("daemon", "worker", "client"))
    with suppress(subprocess.TimeoutExpired):
        askers[0].process.wait(timeout=chance.uniform(0.05, 0.9))
    tally.kills[victim] += _kill(victim, daemon, askers)
    for asker in askers:
        _listen_to(asker, tally)
    if daemon.process is None:
        daemon.start()


def _ask(daemon: PrivateDaemon, utterance: str, chance: random.Random) -> _Asker:
    wait = chance.choice(("wait", "leave"))
    process = subprocess.Popen(
        [sys.executable, "-m", "vivavoce.testing.asker", utterance, wait, chance.choice(TEXTS)],
        env=daemon.env,
        stdout=subprocess.PIPE,
        text=True,
    )
    return _Asker(utterance, process)


def _kill(victim: str, daemon: PrivateDaemon, askers: list[_Asker]) -> int:
    if victim == "daemon":
        daemon.kill()
        return 1
    if victim == "client":
        askers[-1].process.kill()
        return 1
    with daemon.client() as client:
        status = next(client.ask("control", command={"command": "status"}))
    if status["worker_pid"] is None:
        return 0
    with suppress(ProcessLookupError):
        os.kill(status["worker_pid"], signal.SIGKILL)
    return 1


def _listen_to(asker: _Asker, tally: Tally) -> None:
    told, _ = asker.process.communicate(timeout=60)
    for line in told.splitlines():
        word, _, rest = line.partition(" ")
        if word == "accepted":
            tally.accepted.add(asker.id)
        elif word == "ended":
            tally.told[asker.id] = rest


def _settle(daemon: PrivateDaemon, tally: Tally) -> None:
    """Wait behind all that waits, then read how each id ended."""
    with daemon.client() as client:
        accepted, ended = islice(client.ask("say", 120.0, text="Wait for me."), 2)
        if accepted["id"] != ended["id"] or "end" not in ended:
            raise RuntimeError(f"the last utterance did not end: {ended}")
        for id_ in sorted(tally.accepted):
            answer = next(client.ask("control", command={"command": "status", "id": id_}))
            tally.ends[id_] = str(answer.get("end", answer["stage"]))


def _read_log(daemon: PrivateDaemon, tally: Tally) -> None:
    for path in Path(daemon.where.state).glob("vivavoce.log*"):
        for line in path.read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            if told["event"] == "sounding" and told["id"].startswith("k"):
                tally.sounded[told["id"]] += 1
