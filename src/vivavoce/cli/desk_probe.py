"""Opens the desk's speaker and tells what came of it, as one JSON line.

A process of its own: sound libraries write to stderr, and may hang or die with the sound server.
"""

import asyncio
import json
import os
import sys
from contextlib import redirect_stdout

from vivavoce.directories import directories
from vivavoce.errors import VivavoceError
from vivavoce.ports import Speaker
from vivavoce.settings import read


async def _opened(speaker: Speaker) -> str:
    """Tell the device that was opened. Raises `PlaceError`."""
    await speaker.open(lambda _report: None)
    try:
        return speaker.place.description
    finally:
        await speaker.close()


def main() -> None:
    """Try the place that the settings prefer."""
    from vivavoce.house import speakers

    preferred = speakers(read(os.environ).settings, directories(os.environ, os.getuid()))[0]
    told = {"device": "", "message": "", "mend": ""}
    try:
        with redirect_stdout(sys.stderr):
            told["device"] = asyncio.run(_opened(preferred))
    except VivavoceError as error:
        told |= {"message": error.message, "mend": error.mend}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
