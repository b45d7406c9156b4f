"""Where things lie: path arithmetic from an environment, no look at the disk.

Every hook and every control command imports this, so it costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing costs a third of a bare start
if TYPE_CHECKING:
    from collections.abc import Mapping


class Directories(tuple[str, str, str, str]):
    """The four directories of one person, config, data, state, runtime; none of them need exist."""

    __slots__ = ()

    @property
    def config(self) -> str:
        """Holds config.toml, which the person writes."""
        return self[0]

    @property
    def data(self) -> str:
        """Holds weights, which can be fetched again."""
        return self[1]

    @property
    def state(self) -> str:
        """Holds the journal, the log and recordings."""
        return self[2]

    @property
    def runtime(self) -> str:
        """Holds the sockets."""
        return self[3]

    @property
    def config_file(self) -> str:
        """The person's own settings."""
        return f"{self.config}/config.toml"

    @property
    def control_socket(self) -> str:
        """Where the public control protocol listens, unless a setting says otherwise."""
        return f"{self.runtime}/control.sock"

    @property
    def daemon_socket(self) -> str:
        """Where our own clients find the daemon."""
        return f"{self.runtime}/daemon.sock"


def directories(environ: Mapping[str, str], uid: int) -> Directories:
    """Tell the directories of the person `uid` in `environ`.

    `VIVAVOCE_CONFIG_DIR` and its like name a directory outright. Else the XDG base directories
    hold one named vivavoce; those that are not absolute are ignored, as the XDG specification asks.
    Without a home everything lies below the runtime directory.
    """
    below_tmp = f"/tmp/vivavoce-{uid}"  # noqa: S108 - who makes it checks its owner and mode
    home = _absolute(environ.get("HOME"))

    def place(kind: str, base: str | None, beneath_home: str) -> str:
        named = _absolute(environ.get(f"VIVAVOCE_{kind}_DIR"))
        if named:
            return named
        if base:
            return f"{base}/vivavoce"
        if home and beneath_home:
            return f"{home}/{beneath_home}/vivavoce"
        return f"{below_tmp}/{kind.lower()}" if beneath_home else below_tmp

    return Directories(
        (
            place("CONFIG", _absolute(environ.get("XDG_CONFIG_HOME")), ".config"),
            place("DATA", _absolute(environ.get("XDG_DATA_HOME")), ".local/share"),
            place("STATE", _absolute(environ.get("XDG_STATE_HOME")), ".local/state"),
            place("RUNTIME", _absolute(environ.get("XDG_RUNTIME_DIR")), ""),
        )
    )


def _absolute(path: str | None) -> str | None:
    """Give the path without a trailing slash, or None for one that is not absolute."""
    if not path or not path.startswith("/"):
        return None
    return path.rstrip("/") or None
