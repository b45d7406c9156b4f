"""Who is at the door."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """A client of the daemon, as its hello tells."""

    what: str
    """The kind of client, such as "say" or "control"."""
    version: str = ""
    session: str = ""
    agent: str = ""
    cwd: str = ""
    pid: int = 0
    started: float = 0.0
    """Start time of the process: seconds since boot on Linux, 0.0 where it is not known."""
    tmux_pane: str = ""
