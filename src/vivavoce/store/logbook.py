"""The log file: ids, counts and durations as JSON lines; never what was said."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import cast

import structlog

MAX_BYTES = 1024 * 1024


class Logbook:
    """Writes what happened. A log that cannot be written is given up without a word."""

    def __init__(self, path: Path) -> None:
        self._logger = _file_logger(path)
        self._log = structlog.wrap_logger(
            self._logger,
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(),
            ],
            wrapper_class=structlog.BoundLogger,
        )

    def note(self, event: str, fields: dict[str, object]) -> None:
        """Write one line."""
        self._log.info(event, **fields)

    def close(self) -> None:
        """Give the file back."""
        for handler in self._logger.handlers:
            handler.close()


def _file_logger(path: Path) -> logging.Logger:
    logger = logging.Logger("vivavoce")  # noqa: LOG001 - one of ours, not of the process
    # A full disk must not end in a traceback on the screen of whoever speaks.
    logging.raiseExceptions = False
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=1, encoding="utf-8")
        path.chmod(0o600)
    except OSError:
        logger.addHandler(logging.NullHandler())
        return logger
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(cast("logging.Handler", handler))
    return logger
