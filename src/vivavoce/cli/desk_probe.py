"""Opens the desk's speaker and tells what came of it, as one JSON line.

A process of its own: sound libraries write to stderr, and may hang or die with the sound server.
"""

import asyncio
import json
import sys
from contextlib import redirect_stdout

from vivavoce.errors import VivavoceError
from vivavoce.ports import Speaker


async def _opened(speaker: Speaker) -> str:
    """Tell the device that was opened. Raises `PlaceError`."""
    await speaker.open(lambda _report: None)
    try:
        return speaker.place.description
    finally:
        await speaker.close()


def main() -> None:
    """Try the device whose name is the first argument."""
    from vivavoce.places.desk import DeskPlace

    told = {"device": "", "message": "", "mend": ""}
    try:
        with redirect_stdout(sys.stderr):
            told["device"] = asyncio.run(_opened(DeskPlace(device=sys.argv[1])))
    except VivavoceError as error:
        told |= {"message": error.message, "mend": error.mend}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
