"""From a command to silence at the sink, in each state; what a pause keeps."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bench import peer
from bench.figures import Figure
from bench.raw import keep
from bench.scene import QUIET_SECONDS, Scene, control, median, quantile, scene, send
from vivavoce.testing.soundserver import RATE
from vivavoce.testing.synthesizer import BURST_MS

TIMES = 40
STOP = b'{"command": "stop", "all": true}'
LONG = "The agent has looked at all the files that were changed, and at the tests as well. " * 4
SENTENCES = "It is done. It is green. It is merged. It is tagged. It is out. " * 4
Moment = Callable[[Scene, float, int], None]
"""Returns when it is time for the command; gets when it was accepted, and which try it is."""
SETTLE_SECONDS = 0.4
"""So long after a command the recording is looked at for sound."""


@dataclass
class Stops:
    """Milliseconds from a command, by occasion."""

    silent: list[float] = field(default_factory=list)
    """To the last audible sample."""
    told: list[float] = field(default_factory=list)
    """To the caller's result."""

    def figures(self, state: str) -> Iterator[Figure]:
        """The goals: silence within 80 ms, the caller's result within 120."""
        keep(f"stop-{state.replace(' ', '-')}", {"silent, ms": self.silent, "told, ms": self.told})
        yield Figure(f"stop {state}: to silence, p50", median(self.silent), "ms")
        yield Figure(f"stop {state}: to silence, p95", quantile(self.silent, 0.95), "ms", "<= 80")
        if self.told:
            name = f"stop {state}: to the caller's result, p95"
            yield Figure(name, quantile(self.told, 0.95), "ms", "<= 120")


def run() -> Iterator[Figure]:
    """All figures of this benchmark."""
    with scene() as here:
        yield from _stops(here, LONG, _in_the_middle).figures("in mid-sentence")
        yield from _stops(here, SENTENCES, _between_sentences).figures("between sentences")
        yield from _stops(here, LONG, _while_paused).figures("while paused")
        yield from _replay_stops(here).figures("in a replay")
        yield from _queued_stops(here).figures("while queued")
    with scene(engines="tones") as here:
        yield from _slow_engine(here).figures("before the first byte")
        yield from _pauses(here)
    yield from peer.stop_figures(TIMES // 2)


def _in_the_middle(here: Scene, accepted: float, number: int) -> None:
    here.wait_for_sound(accepted)
    time.sleep(0.15 + 0.013 * (number % 20))


def _between_sentences(here: Scene, accepted: float, number: int) -> None:
    """Wait until nothing has been audible for a moment, after something was."""
    here.wait_for_sound(accepted)
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        now = time.monotonic()
        recording = here.recorder.wait_until(now - 0.02)
        last = recording.last_sound()
        if last is not None and now - last > 0.06:
            return


def _while_paused(here: Scene, accepted: float, number: int) -> None:
    _in_the_middle(here, accepted, number)
    with control(here.daemon) as commands:
        send(commands, b'{"command": "pause"}')
    time.sleep(0.1)


def _stops(here: Scene, text: str, moment: Moment, times: int = TIMES) -> Stops:
    stops = Stops()
    with here.daemon.client(session="bench") as client, control(here.daemon) as commands:
        for number in range(times):
            accepted, answers = here.say(client, text)
            moment(here, accepted, number)
            sent = send(commands, STOP)
            next(answers)
            stops.told.append((time.monotonic() - sent) * 1000)
            stops.silent.append(here.last_sound(sent, sent + SETTLE_SECONDS) * 1000)
            time.sleep(QUIET_SECONDS)
    return stops


def _replay_stops(here: Scene) -> Stops:
    stops = Stops()
    with control(here.daemon) as commands:
        for number in range(TIMES):
            began = send(commands, b'{"command": "skip_back"}')
            _in_the_middle(here, began, number)
            sent = send(commands, STOP)
            stops.silent.append(here.last_sound(sent, sent + SETTLE_SECONDS) * 1000)
            time.sleep(QUIET_SECONDS)
    return stops


def _queued_stops(here: Scene) -> Stops:
    """Another session's utterance waits: it must not begin to sound, and its caller is told."""
    stops = Stops()
    with (
        here.daemon.client(session="a") as first,
        here.daemon.client(session="b") as second,
        control(here.daemon) as commands,
    ):
        for number in range(TIMES // 2):
            accepted, speaking = here.say(first, LONG)
            _, waiting = here.say(second, LONG)
            _in_the_middle(here, accepted, number)
            sent = send(commands, STOP)
            next(waiting)
            stops.told.append((time.monotonic() - sent) * 1000)
            next(speaking)
            stops.silent.append(here.last_sound(sent, sent + SETTLE_SECONDS) * 1000)
            time.sleep(QUIET_SECONDS)
    return stops


def _slow_engine(here: Scene) -> Stops:
    """An engine that needs five seconds for its first byte: nothing may ever sound."""
    stops = Stops()
    with here.daemon.client(session="bench") as client, control(here.daemon) as commands:
        for _ in range(TIMES // 4):
            _, answers = here.say(client, "never heard", voice="slow")
            time.sleep(0.2)
            sent = send(commands, STOP)
            next(answers)
            stops.told.append((time.monotonic() - sent) * 1000)
            stops.silent.append(max(0.0, here.last_sound(sent, sent + SETTLE_SECONDS) * 1000))
        time.sleep(5.5)
        late = here.recorder.wait_until(time.monotonic()).first_sound(sent)
        stops.silent.append(0.0 if late is None else (late - sent) * 1000)
    return stops


def _pauses(here: Scene) -> Iterator[Figure]:
    """Silence after a pause; and the tones of a speech with pauses, counted in samples."""
    words, silent = 30, []
    with here.daemon.client(session="bench") as client, control(here.daemon) as commands:
        accepted, answers = here.say(client, " ".join(["tone"] * words))
        here.wait_for_sound(accepted)
        for number in range(10):
            time.sleep(0.2 + 0.017 * number)
            sent = send(commands, b'{"command": "pause"}')
            time.sleep(0.25)
            silent.append(here.last_sound(sent, sent + 0.25) * 1000)
            send(commands, b'{"command": "resume"}')
        next(answers)
        recording = here.recorder.wait_until(time.monotonic() + 0.1)
    heard = recording.samples[recording.index_at(accepted) :]
    loud = sum(1 for sample in heard if abs(sample) > 1000)
    with here.daemon.client(session="bench") as client:
        accepted, answers = here.say(client, " ".join(["tone"] * words))
        next(answers)
        recording = here.recorder.wait_until(time.monotonic() + 0.1)
    whole = recording.samples[recording.index_at(accepted) :]
    expected = sum(1 for sample in whole if abs(sample) > 1000)
    lost = (expected - loud) / RATE * 1000
    yield Figure("pause to silence, p95", quantile(silent, 0.95), "ms", "<= 80")
    yield Figure("tones without a pause", expected / RATE * 1000, "ms")
    yield Figure("tones lost in 10 pauses", lost, f"ms of {words * BURST_MS}", "<= 10")
