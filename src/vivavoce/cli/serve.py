"""`vivavoce serve`: the daemon, in the foreground or detached."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from vivavoce.cli import EXIT_DONE, complain
from vivavoce.cli.client import start_daemon
from vivavoce.errors import SocketTaken, VivavoceError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

HELLO = "Hello, this is vivavoce. Your agents can speak now."
TRY = 'Try, in another terminal: vivavoce say "It works."   (Ctrl-C ends vivavoce.)'


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0 when it was ended in order, 1 when it could not begin."""
    if arguments.detach:
        start_daemon()
        return EXIT_DONE
    import asyncio

    from vivavoce import house
    from vivavoce.settings import read

    async def ready(running: house.House) -> None:
        _tell_starter("ready\n")
        if running.parked_at_start:
            print(f"{running.parked_at_start} unheard; hear it with: vivavoce catch-up")
        if arguments.hello:
            await _say_hello(running)

    # The sound card's thread asks for a block each ten milliseconds; it must not wait five of them
    # for the interpreter, as it would behind a long text that is being rendered.
    sys.setswitchinterval(0.001)
    loaded = read(os.environ)
    for error in loaded.errors:
        complain(error)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(house.serve(loaded, ready))
    except SocketTaken as error:
        # Somebody was quicker: for who starts us that is as good.
        _tell_starter("ready\n" if error.code == "running" else _line(error))
        return complain(error)
    except VivavoceError as error:
        _tell_starter(_line(error))
        return complain(error)
    return EXIT_DONE


async def _say_hello(running: object) -> None:
    from vivavoce.house import House

    assert isinstance(running, House)
    hello = (await running.say_hello(HELLO)).ended
    if hello.done() and (ended := hello.result()).message:
        print(f"{ended.message} {ended.path}".strip(), flush=True)
    print(TRY, flush=True)


def _line(error: VivavoceError) -> str:
    return f"{error.message} Try: {error.mend}" if error.mend else error.message


def _tell_starter(line: str) -> None:
    """Whoever started us waits at a pipe until we listen, or cannot."""
    descriptor = os.environ.pop("VIVAVOCE_READY_FD", "")
    if descriptor:
        os.write(int(descriptor), line.encode())
        os.close(int(descriptor))


def _loop_factory() -> "Callable[[], AbstractEventLoop] | None":
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
