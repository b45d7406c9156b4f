"""What the doctor looks at, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vivavoce.directories import Directories
    from vivavoce.settings import Loaded


class State(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    """Something is less than it could be, and everything works."""
    FAULT = "fault"
    """Something that was asked for does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    check: str
    state: State
    sentence: str
    """For people, in one line."""
    mend: str = ""
    """A shell command; empty where nothing needs mending."""


@dataclass(frozen=True, slots=True)
class Patient:
    """The house as one person's processes see it."""

    environ: Mapping[str, str]
    loaded: Loaded
    directories: Directories
