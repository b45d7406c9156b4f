"""Environments of what is measured beside us, made when first asked for and kept.

They are the benchmarks' own, below `.venv`: nothing of them is in the project's locks.
"""

import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parent.parent / ".venv"
INSTALL_SECONDS = 900.0


def venv(name: str, *requirements: str) -> Path | None:
    """The Python of an environment that holds the requirements; None: it could not be made."""
    home = HOME / name
    python, stamp = home / "bin" / "python", home / "installed"
    wanted = "\n".join(requirements)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"installing {' '.join(requirements)} into {home}", file=sys.stderr, flush=True)
    made = _ran([sys.executable, "-m", "venv", "--clear", str(home)])
    if not made or not _ran([str(python), "-m", "pip", "install", "--quiet", *requirements]):
        return None
    stamp.write_text(wanted, encoding="utf-8")
    return python


def download(folder: Path, *requirements: str) -> bool:
    """Fetch packages into a folder as they are, without what they depend on; False: failed."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    return _ran([*command, "--only-binary=:all:", "--dest", str(folder), *requirements])


def _ran(command: list[str]) -> bool:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return False
    return done.returncode == 0
