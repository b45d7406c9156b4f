"""How late an event loop is while the house in it speaks: one delay a line, in milliseconds.

python -m bench.loop_delay FOLDER SECONDS
"""

import asyncio
import os
import sys
import time
from pathlib import Path

import uvloop

STEP_SECONDS = 0.002
TEXT = "The agent has looked at all the files. Now it runs the tests, one after the other. "


async def sample(seconds: float) -> list[float]:
    """Delays of a timer of two milliseconds, in milliseconds."""
    # uvloop's own clock counts whole milliseconds only.
    delays, end = [], time.monotonic() + seconds
    while (before := time.monotonic()) < end:
        await asyncio.sleep(STEP_SECONDS)
        delays.append((time.monotonic() - before - STEP_SECONDS) * 1000)
    return delays


async def _speak(folder: Path, seconds: float) -> list[float]:
    from vivavoce import house
    from vivavoce.directories import directories
    from vivavoce.settings import read

    loaded = read(os.environ)
    async with house.open_house(loaded, directories(os.environ, os.getuid())) as open_house:
        await (await open_house.say_hello("Warm up.")).ended
        await open_house.say_hello(TEXT * 20)
        return await sample(seconds)


def main() -> None:
    """Speak at a private sound server and print the delays."""
    from vivavoce.testing.soundserver import SoundServer

    folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
    with SoundServer(folder / "sound") as server:
        os.environ.update(server.env)
        for name in ("CONFIG", "DATA", "STATE", "RUNTIME"):
            os.environ[f"VIVAVOCE_{name}_DIR"] = str(folder / name.lower())
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            delays = runner.run(_speak(folder, seconds))
    print("\n".join(f"{delay:.4f}" for delay in delays))


if __name__ == "__main__":
    main()
