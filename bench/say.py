"""From `say` to the first sound, words against the truth, the daemon's loop, memory."""

import asyncio
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from bench import peer
from bench.figures import Figure
from bench.raw import keep
from bench.scene import QUIET_SECONDS, Scene, median, quantile, rss_mb, scene
from vivavoce.testing.soundserver import RATE, Recording
from vivavoce.testing.synthesizer import BURST_MS, GAP_MS

FIVE_WORDS = "The tests are green now."
EIGHTY_WORDS = (
    "After the build had finished, and the last of the tests had turned green, the agent looked"
    " once more at the files that it had changed, compared them with what the person had asked"
    " for, wrote down what it had left alone, removed the branch that nobody needed any longer,"
    " and then, since there was still some time before the review, went through the open"
    " questions one by one, answered those that it could answer, and put the others into a short"
    " list for the morning."
)
TIMES = 30
SECONDS_OF_SPEECH = 30.0


def run() -> Iterator[Figure]:
    """All figures of this benchmark."""
    with scene() as here:
        five = _latencies(here, FIVE_WORDS)
        eighty = _latencies(here, EIGHTY_WORDS)
        keep("say", {"five words, ms": five, "eighty words, ms": eighty})
        yield Figure("say accepted to first sound, p50", median(five), "ms", "<= 80")
        yield Figure("say accepted to first sound, p95", quantile(five, 0.95), "ms")
        yield Figure(
            "80 words more than 5 words, p50", median(eighty) - median(five), "ms", "<= 60"
        )
        yield Figure("control status as a process, p50", _status_ms(here), "ms", "<= 60")
        yield Figure("daemon's memory after speaking", rss_mb(here.daemon.pid), "MB", "<= 120")
    yield from _word_figures()
    yield from _loop_figures()
    yield _unloaded()
    yield from peer.speak_figures(TIMES)
    yield from peer.start_figures()


def _latencies(here: Scene, text: str) -> list[float]:
    """Milliseconds from accepted to audible."""
    found = []
    with here.daemon.client(session="bench") as client:
        for _ in range(TIMES):
            accepted, answers = here.say(client, text)
            sound = here.first_sound(accepted, within=0.8)
            next(client.ask("control", command={"command": "stop"}))
            next(answers)
            if sound is not None:
                found.append(sound * 1000)
            time.sleep(QUIET_SECONDS)
    return found


def _status_ms(here: Scene) -> float:
    found = []
    for _ in range(TIMES):
        began = time.monotonic()
        here.daemon.run("control", "status")
        found.append((time.monotonic() - began) * 1000)
    return median(found)


# -- words ---------------------------------------------------------------------------------------


def _word_figures() -> Iterator[Figure]:
    words = 40
    text = " ".join(["tone"] * words)
    with scene(engines="tones") as here, here.daemon.client(session="bench") as client:
        accepted, answers = here.say(client, text)
        told = _told_words(here, words)
        next(answers)
        recording = here.recorder.wait_until(time.monotonic())
    ends = _burst_ends(recording, accepted)
    errors = [abs(told[n] - end) * 1000 for n, end in enumerate(ends, 1) if n in told]
    early = [(end - told[n]) * 1000 for n, end in enumerate(ends, 1) if n in told]
    yield Figure("words found in the recording", len(ends), f"of {words}", f"== {words}")
    yield Figure("word boundary against the recording, p50", median(errors), "ms")
    yield Figure("word boundary against the recording, max", max(errors), "ms", "<= 50")
    yield Figure("word told before it had sounded, at most", max(early), "ms", "<= 50")


def _told_words(here: Scene, words: int) -> dict[int, float]:
    """When each count of heard words was told first, asking all the time."""
    told: dict[int, float] = {}
    with here.daemon.client("watch") as watcher:
        while words not in told:
            status: dict[str, Any] = next(watcher.ask("control", command={"command": "status"}))
            now = time.monotonic()
            count = status.get("utterance", {}).get("heard_words", words)
            told.setdefault(count, now)
            time.sleep(0.002)
    return told


def _burst_ends(recording: Recording, after: float) -> list[float]:
    """When each tone ended: the last loud sample before a silence of half a gap."""
    gap = GAP_MS / 1000 * 0.5
    first = recording.first_sound(after)
    assert first is not None
    silences = [s for s in recording.silences(longer_than=gap) if s[0] > first]
    ends = [begin for begin, _ in silences]
    spaced = [b - a for a, b in pairwise(ends)]
    assert all(abs(s - (BURST_MS + GAP_MS) / 1000) < 0.02 for s in spaced), spaced
    return [end - 1 / RATE for end in ends]


# -- the daemon's loop ---------------------------------------------------------------------------


def _loop_figures() -> Iterator[Figure]:
    """The same sampler in a house that speaks, and in an idle process beside it."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="vivavoce-bench-") as folder:
        queue = context.Queue()
        idle = context.Process(target=_sample_idle, args=(queue,))
        idle.start()
        speaking = subprocess.run(
            [sys.executable, "-m", "bench.loop_delay", folder, str(SECONDS_OF_SPEECH)],
            capture_output=True,
            text=True,
            check=True,
            timeout=SECONDS_OF_SPEECH + 60,
        )
        delays = [float(line) for line in speaking.stdout.split()]
        beside = queue.get(timeout=SECONDS_OF_SPEECH + 60)
        idle.join()
    yield Figure("loop delay while speaking, p50", quantile(delays, 0.5), "ms")
    yield Figure("loop delay while speaking, p99.9", quantile(delays, 0.999), "ms", "<= 20")
    yield Figure("loop delay of an idle process beside it, p99.9", quantile(beside, 0.999), "ms")


def _sample_idle(queue: Any) -> None:  # noqa: ANN401 - a multiprocessing queue has no public type
    from bench.loop_delay import sample

    queue.put(asyncio.run(sample(SECONDS_OF_SPEECH)))


# -- memory --------------------------------------------------------------------------------------


def _unloaded() -> Figure:
    with scene(engine_idle_seconds="1") as here, here.daemon.client() as client:
        deadline = time.monotonic() + 10
        left: int | None = 1
        while left is not None and time.monotonic() < deadline:
            left = next(client.ask("control", command={"command": "status"}))["worker_pid"]
            time.sleep(0.1)
        return Figure("worker left after an idle second", int(left is not None), "", "== 0")
