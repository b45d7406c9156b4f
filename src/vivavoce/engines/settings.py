"""What the engines need to know, as one value that is read at the door."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

DEFAULT_ORDER = ("hibari", "espeak", "openai")
"""Local first; a server only where the person has configured one."""


def _default_weights_dir() -> Path:
    return Path("~/.local/share/vivavoce/weights").expanduser()


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Settings of all engines. The key is never in the repr."""

    order: tuple[str, ...] = DEFAULT_ORDER
    """Names of the engines that may be used, the first choice first."""
    weights_dir: Path = field(default_factory=_default_weights_dir)
    """Where fetched weights are kept."""
    weights_path: str = ""
    """A directory of weights that is looked in before all others; empty: none."""
    allow_downloads: bool = False
    """Whether an engine may download another voice when that voice is first asked for."""
    espeak_program: str = "espeak-ng"
    """The program's name or path."""
    openai_base_url: str = ""
    """Address of an OpenAI-compatible server, with or without "/v1"; empty: none."""
    openai_api_key: str = field(default="", repr=False)
    openai_model: str = "tts-1"
    openai_voice: str = ""
    """Empty: "alloy", which such servers know."""
    openai_languages: tuple[str, ...] = ("en",)
    """BCP 47 primary tags that the server's model speaks."""
    connect_seconds: float = 3.0
    """Deadline for reaching a server."""
    read_seconds: float = 20.0
    """Deadline for each next piece from a server or a program."""

    def to_json(self) -> str:
        """All settings, the key too: for the worker's private channel only, never for a log."""
        return json.dumps(asdict(self) | {"weights_dir": str(self.weights_dir)})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` has written."""
        values = json.loads(text)
        values["weights_dir"] = Path(values["weights_dir"])
        for name in ("order", "openai_languages"):
            values[name] = tuple(values[name])
        return cls(**values)
