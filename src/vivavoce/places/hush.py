"""Keeps sound libraries from writing to stderr while they look for devices.

ALSA and JACK tell there of each plugin that is not configured; an error that matters comes back as
a return value.
"""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()


@contextmanager
def hushed_stderr() -> Iterator[None]:
    """Send the process's descriptor 2 to nowhere until the block is left; so be brief."""
    with _LOCK:
        try:
            kept = os.dup(2)
        except OSError:  # There is no stderr to keep quiet.
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.dup2(nowhere, 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(nowhere)


def hush_alsa() -> None:
    """Tell ALSA to print no errors at all, for the life of this process; they come as results.

    Its handler is called on the device's thread, at each underrun, also while the interpreter goes
    down: so it is a function of the C library that ignores its arguments, not one of ours.
    """
    try:
        alsa, c = ctypes.CDLL("libasound.so.2"), ctypes.CDLL(None)
        alsa.snd_lib_error_set_handler(ctypes.cast(c.getpid, ctypes.c_void_p))
    except (OSError, AttributeError):
        return  # There is no ALSA here.
