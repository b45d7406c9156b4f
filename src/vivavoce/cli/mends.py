"""Shell commands that mend faults: built here, printed by `vivavoce doctor`, run by people."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.settings import environment_name, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vivavoce.directories import Directories
    from vivavoce.settings import Loaded

PROBE_BYTES = 256 * 1024
"""What must fit on a disk that is not called full: some utterances in the journal, a log."""


def write_probe(directory: Path) -> None:
    """Write and take back `PROBE_BYTES`; the directory is made. Raises `OSError`."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=directory, prefix=".doctor-", buffering=0) as file:
        left = memoryview(bytes(PROBE_BYTES))
        while left:  # a disk that gets full writes a part first
            left = left[file.write(left) :]
        os.fsync(file.fileno())


def elsewhere(variable: str) -> str:
    """Name a new private directory by a variable, on a disk that takes writes."""
    usual = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - as mktemp does, which makes it private
    for directory in _roomy(usual, Path("/var/tmp"), Path("/dev/shm")):  # noqa: S108
        where = "" if directory == usual else f" -p {shlex.quote(str(directory))}"
        return f'export {variable}="$(mktemp -d{where})"'
    return f'export {variable}="$(mktemp -d)"'


def _roomy(*directories: Path) -> Iterator[Path]:
    for directory in directories:
        try:
            if directory.is_dir():
                write_probe(directory)
                yield directory
        except OSError:
            continue


def aside(path: str) -> str:
    """Take what is at a path out of the way and keep it."""
    return f"mv {shlex.quote(path)} {shlex.quote(path + '.aside')}"


def followed(mend: str, directories: Directories) -> str:
    """Let a daemon that runs follow what was mended in the settings or the environment."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(directories.daemon_socket)
        except OSError:
            return mend
    return f"{mend} && vivavoce stop && vivavoce serve --detach"


def install(package: str) -> str:
    """Install a Debian package, or a formula of the same software."""
    if not shutil.which("apt-get") and shutil.which("brew"):
        return f"brew install {package.removeprefix('lib').removesuffix('2')}"
    become_root = "" if os.getuid() == 0 else "sudo "
    return f"{become_root}apt-get install -y {package}"


def change(loaded: Loaded, directories: Directories, key: str, word: str) -> str:
    """Give a setting a word as its value, where it is set now, else in the person's file."""
    source = loaded.sources[key]
    config = Path(directories.config_file)
    # In a file with faults the key may stand twice, and then none of the file would count.
    if source.kind == "environment" or loaded.errors or not _writable(config):
        return f"export {environment_name(key)}={shlex.quote(word)}"
    line = f'{key} = "{word}"'
    if source.kind == "file":
        first, last = lines_of(key, config.read_text())
        rest = f"; {first + 1},{last}d" if last > first else ""
        script = shlex.quote(f"{first}s/.*/{line}/{rest}")
        return f"sed -i.bak {script} {shlex.quote(str(config))}"
    # Before all others: what stands behind a table's name belongs to that table.
    name, line = shlex.quote(str(config)), shlex.quote(line)
    if not config.exists():
        folder = shlex.quote(str(config.parent))
        return f"mkdir -p {folder} && printf '%s\\n' {line} >> {name}"
    return f"printf '%s\\n' {line} \"$(cat {name})\" > {name}.new && mv {name}.new {name}"


def _writable(file: Path) -> bool:
    """Whether a file can be written, or made with the directories that it needs."""
    nearest = next(path for path in (file, *file.parents) if path.exists())
    return os.access(nearest, os.W_OK)
