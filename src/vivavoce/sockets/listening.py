"""Where our sockets are: a private directory, one daemon a directory, nothing foreign replaced."""

import fcntl
import os
import shlex
import socket
import stat
from pathlib import Path

from vivavoce.errors import HouseError, SocketTaken


def private_directory(path: Path) -> None:
    """Make a directory of mode 0700, or check that it is ours alone. Raises `HouseError`."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise HouseError(
            f"The directory {path} cannot be made ({error.strerror}).",
            code="runtime-dir",
            mend='export VIVAVOCE_RUNTIME_DIR="$(mktemp -d)"',
        ) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise HouseError(
            f"{path} is not a directory of yours.",
            code="runtime-dir",
            mend='export VIVAVOCE_RUNTIME_DIR="$(mktemp -d)"',
        )
    if found.st_mode & 0o077:
        raise HouseError(
            f"Others can reach into {path}.",
            code="runtime-dir",
            mend=f"chmod 700 {shlex.quote(str(path))}",
        )


class Household:
    """The right to be the one daemon of a directory; the kernel gives it back when we die."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def claim(self) -> None:
        """Raises `SocketTaken` with code "running" when another daemon has it."""
        descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise SocketTaken("A daemon is already running.", code="running") from None
        self._descriptor = descriptor

    def leave(self) -> None:
        """Let another daemon begin. Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def listen(path: Path) -> socket.socket:
    """A listening socket of mode 0600 at `path`; what a dead daemon left there is replaced.

    Raises `SocketTaken` for anything else that is there.
    """
    _clear(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        raise SocketTaken(
            f"Nothing can listen at {path} ({error.strerror or error}).",
            mend='export VIVAVOCE_RUNTIME_DIR="$(mktemp -d)"',
        ) from error
    finally:
        os.umask(before)
    listener.listen(128)
    listener.setblocking(False)
    return listener


def _aside(path: Path) -> str:
    """The command that takes what is in the way aside, and keeps it."""
    return f"mv {shlex.quote(str(path))} {shlex.quote(f'{path}.aside')}"


def _clear(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketTaken(f"{path} is not a socket of ours.", mend=_aside(path))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError:
            pass
    raise SocketTaken(f"Another program listens at {path}.", mend=_aside(path))
