"""The worker as the daemon has it: a real process at the end of a real socket."""

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.contract.synthesizer import PATIENCE, SynthesizerContract, collect, samples, word_times
from vivavoce.engines.frames import PIECE_BYTES, WINDOW_BYTES
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.synthesis import WorkerSynthesizer
from vivavoce.errors import EngineFailed, NoVoice
from vivavoce.testing.synthesizer import tones
from vivavoce.vocabulary.audio import Synthesize

HELLO = Synthesize("hello there", "en")
SLOW = Synthesize("hello there", "en", voice="slow")
LONG = Synthesize("word " * 200, "en")
"""Forty seconds of tones: more than the window lets through at once."""


@asynccontextmanager
async def worker(**settings):
    synthesizer = WorkerSynthesizer(EngineSettings(**{"order": ("tones",), **settings}))
    try:
        async with asyncio.timeout(PATIENCE):
            yield synthesizer
    finally:
        await synthesizer.close()


@pytest_asyncio.fixture(scope="class", loop_scope="class")
async def shared_worker(request):
    """One for all tests of a class, as starting it and loading hibari takes a second."""
    synthesizer = WorkerSynthesizer(EngineSettings(order=(request.cls.engine,)))
    yield synthesizer
    await synthesizer.close()


class WorkerContract(SynthesizerContract):
    @pytest.fixture
    def synthesizer(self, shared_worker):
        return shared_worker


@pytest.mark.asyncio(loop_scope="class")
class TestWorkerWithTones(WorkerContract):
    engine = "tones"


@pytest.mark.asyncio(loop_scope="class")
class TestWorkerWithHibari(WorkerContract):
    engine = "hibari"


async def test_the_sound_arrives_whole_and_in_order():
    async with worker() as synthesizer:
        chunks = await collect(synthesizer, LONG)
    pcm, words = tones(LONG.text)
    assert b"".join(chunk.pcm for chunk in chunks) == pcm
    assert tuple(word_times(chunks)) == words


async def test_nothing_runs_before_it_is_needed():
    async with worker() as synthesizer:
        assert synthesizer.pid is None
        await collect(synthesizer, HELLO)
        assert synthesizer.pid


async def test_warming_starts_the_worker():
    async with worker() as synthesizer:
        await synthesizer.warm()
        assert synthesizer.pid


async def test_warming_tells_no_failure_but_speaking_does():
    async with worker(order=("nobody",)) as synthesizer:
        await synthesizer.warm()
        with pytest.raises(EngineFailed, match="'nobody' is no speech engine"):
            await collect(synthesizer, HELLO)


async def test_errors_arrive_as_they_were_raised():
    async with worker() as synthesizer:
        with pytest.raises(NoVoice, match="Did you mean tones"):
            await collect(synthesizer, Synthesize("hello", "en", voice="tone"))


class TestCrash:
    async def test_a_request_that_has_given_nothing_is_tried_again_in_a_new_worker(self):
        async with worker() as synthesizer:
            first = await frozen(synthesizer)
            speaking = asyncio.create_task(collect(synthesizer, HELLO))
            await asyncio.sleep(0)
            os.kill(first, signal.SIGKILL)
            assert samples(await speaking) == 9_600
            assert synthesizer.pid != first

    async def test_a_request_that_has_given_something_fails(self):
        async with worker() as synthesizer:
            chunks = synthesizer.synthesize(LONG)
            await anext(chunks)
            os.kill(synthesizer.pid, signal.SIGKILL)
            with pytest.raises(EngineFailed, match="has ended"):
                async for _ in chunks:
                    pass

    async def test_all_who_wait_are_served_by_one_new_worker(self):
        async with worker() as synthesizer:
            first = await frozen(synthesizer)
            speaking = [asyncio.create_task(collect(synthesizer, HELLO)) for _ in range(3)]
            await asyncio.sleep(0)
            os.kill(first, signal.SIGKILL)
            assert [samples(chunks) for chunks in await asyncio.gather(*speaking)] == [9_600] * 3

    async def test_the_next_request_finds_a_new_worker(self):
        async with worker() as synthesizer:
            await collect(synthesizer, HELLO)
            first = synthesizer.pid
            os.kill(first, signal.SIGKILL)
            await ended(first)
            assert samples(await collect(synthesizer, HELLO)) == 9_600
            assert synthesizer.pid != first

    async def test_a_worker_that_never_starts_is_an_error(self, monkeypatch):
        monkeypatch.setattr(sys, "executable", "/bin/false")
        async with worker() as synthesizer:
            with pytest.raises(EngineFailed, match="has ended"):
                await collect(synthesizer, HELLO)

    async def test_a_program_that_is_not_there_is_an_error(self, monkeypatch):
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        async with worker() as synthesizer:
            with pytest.raises(EngineFailed, match="cannot start"):
                await collect(synthesizer, HELLO)


class TestCancel:
    async def test_a_slow_engine_is_stopped_before_its_first_chunk(self):
        async with worker() as synthesizer:
            await synthesizer.voices()
            speaking = asyncio.create_task(collect(synthesizer, SLOW))
            await asked(synthesizer)
            speaking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await speaking
            assert samples(await collect(synthesizer, HELLO)) == 9_600

    async def test_a_reader_who_does_not_read_holds_nobody_up(self):
        async with worker() as synthesizer:
            stalled = synthesizer.synthesize(LONG)
            await anext(stalled)
            assert samples(await collect(synthesizer, HELLO)) == 9_600
            rest = [chunk async for chunk in stalled]
        assert samples(rest) > 800_000

    async def test_what_waits_for_a_reader_is_bounded(self):
        async with worker() as synthesizer:
            stalled = synthesizer.synthesize(LONG)
            await anext(stalled)
            await collect(synthesizer, LONG)
            (waiting,) = synthesizer._link._answers.values()
            held = sum(len(frame.payload) for frame in waiting._queue)
            assert held <= WINDOW_BYTES + PIECE_BYTES
            await stalled.aclose()


class TestEnd:
    async def test_unloading_ends_the_process_and_speaking_starts_another(self):
        async with worker() as synthesizer:
            await collect(synthesizer, HELLO)
            first = synthesizer.pid
            await synthesizer.unload()
            assert synthesizer.pid is None
            await ended(first)
            assert samples(await collect(synthesizer, HELLO)) == 9_600

    async def test_a_worker_in_use_is_not_unloaded(self):
        async with worker() as synthesizer:
            chunks = synthesizer.synthesize(LONG)
            await anext(chunks)
            await synthesizer.unload()
            assert synthesizer.pid
            await chunks.aclose()

    async def test_it_is_unloaded_after_its_idle_time(self):
        synthesizer = WorkerSynthesizer(EngineSettings(order=("tones",)), idle_timeout=0.01)
        async with asyncio.timeout(PATIENCE):
            await collect(synthesizer, HELLO)
            await ended(synthesizer.pid)
        assert synthesizer.pid is None
        await synthesizer.close()

    async def test_closing_ends_what_is_spoken_with_an_error(self):
        async with worker() as synthesizer:
            await synthesizer.voices()
            speaking = asyncio.create_task(collect(synthesizer, SLOW))
            await asked(synthesizer)
            await synthesizer.close()
            with pytest.raises(EngineFailed):
                await speaking
            with pytest.raises(EngineFailed, match="closed"):
                await collect(synthesizer, HELLO)

    async def test_the_worker_ends_when_its_daemon_is_killed(self):
        daemon = await asyncio.create_subprocess_exec(
            sys.executable, "-c", DAEMON, stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(PATIENCE):
            pid = int(await daemon.stdout.readline())
            watch = os.pidfd_open(pid)
            daemon.kill()
            await daemon.wait()
            await readable(watch)


DAEMON = """
import asyncio
from vivavoce.engines.settings import EngineSettings
from vivavoce.engines.synthesis import WorkerSynthesizer

async def main():
    synthesizer = WorkerSynthesizer(EngineSettings(order=("tones",)))
    await synthesizer.voices()
    print(synthesizer.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_key_is_in_no_argument_and_no_environment_of_the_worker():
    key = "sk-" + "EXAMPLE" * 3
    async with worker(openai_api_key=key) as synthesizer:
        await synthesizer.voices()
        for name in ("cmdline", "environ"):
            told = Path(f"/proc/{synthesizer.pid}/{name}").read_bytes()
            assert key.encode() not in told


async def test_what_a_library_prints_does_not_come_between_the_frames(tmp_path):
    noisy = (
        "from vivavoce.testing.synthesizer import ScriptedSynthesizer\n"
        "import os\n"
        "class Tones(ScriptedSynthesizer):\n"
        "    def __init__(self, settings):\n"
        "        super().__init__()\n"
        "    async def voices(self):\n"
        "        print('x' * 99_999)\n"
        "        os.write(1, b'noise')\n"
        "        return await super().voices()\n"
    )
    (tmp_path / "noisy.py").write_text(noisy)
    package = tmp_path / "noisy-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[vivavoce.synthesizers]\nnoisy = noisy:Tones\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path))
        async with worker(order=("noisy",)) as synthesizer:
            assert [voice.name for voice in await synthesizer.voices()] == ["tones", "slow"]


def test_the_daemon_side_brings_no_engine_along():
    code = (
        "import sys, vivavoce.engines.synthesis\n"
        "heavy = {'numpy', 'scipy', 'onnxruntime', 'hibari', 'soxr', 'httpx', 'pydantic'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


def test_the_worker_ends_when_the_other_end_closes_before_a_word():
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", "vivavoce.engines.worker", str(theirs.fileno())],
        pass_fds=(theirs.fileno(),),
    )
    theirs.close()
    ours.close()
    assert process.wait(timeout=PATIENCE) == 0


async def asked(synthesizer: WorkerSynthesizer) -> None:
    """Until the worker has taken the requests made before: it answers in the order of asking."""
    await asyncio.sleep(0)
    await synthesizer.voices()


async def frozen(synthesizer: WorkerSynthesizer) -> int:
    """Start a worker that takes nothing more, as a crash in the middle would have it."""
    await synthesizer.voices()
    assert synthesizer.pid
    os.kill(synthesizer.pid, signal.SIGSTOP)
    return synthesizer.pid


async def ended(pid: int) -> None:
    """Until a process has ended, also one that was reaped already."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    await readable(watch)


async def readable(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        assert await asyncio.to_thread(poll.poll, PATIENCE * 1000)
    finally:
        os.close(descriptor)


async def test_other_settings_count_when_nothing_is_being_spoken():
    voice = WorkerSynthesizer(EngineSettings(order=("tones",)))
    try:
        request = Synthesize("one two", "en")
        assert [chunk async for chunk in voice.synthesize(request)]
        voice.reconfigure(EngineSettings(order=("hibari",)), 300.0)
        with pytest.raises(NoVoice):
            async for _ in voice.synthesize(Synthesize("one", "en", "tones")):
                pass
        assert {v.engine for v in await voice.voices()} == {"hibari"}
    finally:
        await voice.close()
