"""Configuration as a value, read once at the door.

Four layers, the later over the earlier: defaults, the person's config.toml, the project's
.vivavoce.toml, the environment. `load` is arithmetic on texts and never raises: each fault is one
`SettingError`, and the setting keeps the value of the layer below. `read` at the bottom is the
only function that looks at the disk.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from vivavoce.directories import directories
from vivavoce.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Value = str | float | tuple[str, ...]
Scope = Literal["daemon", "session"]
T = TypeVar("T")

PROJECT_FILE = ".vivavoce.toml"


class Kind(NamedTuple):
    """What a setting may be."""

    allowed: str
    """For people; ends the sentence "allowed is …"."""
    read: Callable[[object], Value]
    """Makes the value of what TOML or an environment variable says, or raises one of `_REFUSED`."""


_REFUSED = (TypeError, ValueError, OverflowError)


class Setting(NamedTuple):
    """What is known of a setting besides its name and its value."""

    kind: Kind
    about: str
    """One line for people."""
    scope: Scope
    """Who may say it: the daemon for all, or each session for itself."""
    secret: bool

    def shown(self, value: object) -> str:
        """Tell a value for people, a secret masked and whatever is odd in it escaped."""
        if self.secret:
            return "********" if value else ""
        if isinstance(value, tuple):
            return ", ".join(str(item) for item in value)
        if isinstance(value, bool):
            return str(value).lower()
        return f"{value:g}" if isinstance(value, float) else str(value)


# -- kinds


def _text(raw: object) -> str:
    """One line; also keeps bytes that are no UTF-8 out, which could not be printed."""
    if not isinstance(raw, str) or not raw.isprintable():
        raise ValueError
    return raw.strip()


def _flag(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"true": True, "yes": True, "on": True, "1": True}
    words |= {"false": False, "no": False, "off": False, "0": False}
    try:
        return words[_text(raw).lower()]
    except KeyError:
        raise ValueError from None


def _names(raw: object) -> tuple[str, ...]:
    items = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(items, list):
        raise TypeError
    names = tuple(_text(item) for item in items)
    if not names or not all(name.replace("-", "").replace("_", "").isalnum() for name in names):
        raise ValueError
    return names


def _path(raw: object) -> str:
    path = _text(raw)
    if path and not path.startswith("/"):
        raise ValueError
    return path


def _socket_path(raw: object) -> str:
    path = _path(raw)
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        raise ValueError
    return path


def _url(raw: object) -> str:
    url = _text(raw)
    scheme, _, rest = url.partition("://")
    # A password in the address would be shown where keys are masked.
    if url and (scheme not in {"http", "https"} or not rest or "@" in rest or " " in rest):
        raise ValueError
    return url.rstrip("/")


def _key(raw: object) -> str:
    key = _text(raw)
    if not key.isascii() or " " in key:  # it travels in a header
        raise ValueError
    return key


def _language(raw: object) -> str:
    tag = _text(raw).lower()
    if tag and not (tag.isascii() and tag.isalpha() and len(tag) in {2, 3}):
        raise ValueError
    return tag


def _languages(raw: object) -> tuple[str, ...]:
    tags = tuple(_language(tag) for tag in _names(raw))
    if not all(tags):
        raise ValueError
    return tags


def _number(low: float, high: float) -> Kind:
    def read(raw: object) -> float:
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise TypeError
        value = float(raw)
        if not low <= value <= high:  # refuses nan too
            raise ValueError
        return value

    return Kind(f"a number from {low:g} to {high:g}", read)


def _whole(low: int, high: int) -> Kind:
    def read(raw: object) -> int:
        if isinstance(raw, bool) or not isinstance(raw, str | int):
            raise TypeError
        value = int(raw)
        if not low <= value <= high:
            raise ValueError
        return value

    return Kind(f"a whole number from {low} to {high}", read)


def _one_of(*words: str) -> Kind:
    def read(raw: object) -> str:
        word = _text(raw)
        if word not in words:
            raise ValueError
        return word

    return Kind(f"{', '.join(words[:-1])} or {words[-1]}", read)


SOCKET_PATH_BYTES = 100
"""Room that every system has in a socket's address, less what we append to it."""

_A_DAY_S = 86_400
_TEXT = Kind("one line of text", _text)
_FLAG = Kind("true or false", _flag)
_NAMES = Kind("a list of providers' names, such as hibari, espeak, openai", _names)
_LANGUAGES = Kind("a list of languages' letters, such as en, de", _languages)
_PATH = Kind("an absolute path", _path)
_SOCKET = Kind(f"an absolute path of at most {SOCKET_PATH_BYTES} bytes", _socket_path)
_URL = Kind("an http or https address without a user in it", _url)
_KEY = Kind("a key in ASCII without spaces", _key)
_LANGUAGE = Kind("a language's two or three letters, such as en", _language)


def _setting(
    default: T, kind: Kind, about: str, *, scope: Scope = "daemon", secret: bool = False
) -> T:
    setting = Setting(kind, about, scope, secret)
    made: T = field(default=default, repr=not secret, metadata={"setting": setting})
    return made


# -- the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; a field's name is its key in TOML and, after VIVAVOCE_, in the environment."""

    voice: str = _setting("", _TEXT, "the voice; empty: the engine's own", scope="session")
    speed: float = _setting(1.0, _number(0.5, 2.0), "pace; 1 is the voice's own", scope="session")
    language: str = _setting("", _LANGUAGE, "language; empty: told by the text", scope="session")

    place: str = _setting("desk", _one_of("desk", "file", "null"), "where speech goes")
    device: str = _setting("", _TEXT, "the sound device; empty: the system's own choice")
    volume: float = _setting(1.0, _number(0.0, 1.0), "loudness; 1 is as synthesised")

    engines: tuple[str, ...] = _setting(
        ("hibari", "espeak", "openai"), _NAMES, "providers, in the order they are asked"
    )
    openai_base_url: str = _setting("", _URL, "an OpenAI-compatible server; empty: none")
    openai_api_key: str = _setting("", _KEY, "the key for that server", secret=True)
    openai_model: str = _setting("tts-1", _TEXT, "the model asked of that server")
    openai_languages: tuple[str, ...] = _setting(
        ("en",), _LANGUAGES, "languages that the server's model speaks"
    )
    openai_voice: str = _setting("", _TEXT, "the voice asked of that server; empty: its first")
    allow_downloads: bool = _setting(False, _FLAG, "whether voices may be fetched from a hub")
    weights_path: str = _setting("", _PATH, "the file hibari.onnx; empty: the one that came along")
    engine_idle_seconds: float = _setting(
        300.0, _number(1, _A_DAY_S), "idle seconds until engines are unloaded"
    )

    history_buffer_size: int = _setting(8, _whole(1, 1000), "utterances kept for skip-back")
    text_limit: int = _setting(
        20_000, _whole(1, 1_000_000), "characters spoken of one utterance, at most"
    )

    control_socket: str = _setting("", _SOCKET, "the control socket; empty: the usual place")
    control_pause_timeout: float = _setting(
        300.0, _number(1, _A_DAY_S), "seconds that a pause lasts, at most"
    )
    control_pause_then: str = _setting(
        "stop", _one_of("stop", "resume"), "what ends a pause that lasted so long"
    )


SETTINGS: Mapping[str, Setting] = {f.name: f.metadata["setting"] for f in fields(Settings)}


def environment_name(key: str) -> str:
    """Tell the canonical environment variable of a setting."""
    return f"VIVAVOCE_{key.upper()}"


# -- where a value came from


class Source(NamedTuple):
    """Where a value came from."""

    kind: Literal["default", "file", "environment"]
    where: str = ""
    """The path and line of a file, or the variable's name."""

    def __str__(self) -> str:
        return self.where or self.kind


class Written(NamedTuple):
    """A settings file that was read."""

    path: str
    text: str


class Loaded(NamedTuple):
    """Settings, where each came from, and what was wrong."""

    settings: Settings
    sources: Mapping[str, Source]
    errors: tuple[SettingError, ...] = ()


class _Claim(NamedTuple):
    """What one layer says of one setting."""

    key: str
    raw: object
    source: Source
    mend: str


def load(
    environ: Mapping[str, str], config: Written | None = None, project: Written | None = None
) -> Loaded:
    """Lay the environment over the project's file over the person's file over the defaults."""
    errors: list[SettingError] = []
    values: dict[str, Any] = {}  # each value was made by the kind of its own field
    sources = dict.fromkeys(SETTINGS, Source("default"))
    for claim in (
        *_claims(config, errors, session_only=False),
        *_claims(project, errors, session_only=True),
        *_environment_claims(environ),
    ):
        try:
            values[claim.key] = SETTINGS[claim.key].kind.read(_below_home(claim, environ))
        except _REFUSED:
            errors.append(_refusal(claim))
        else:
            sources[claim.key] = claim.source
    return Loaded(Settings(**values), sources, tuple(errors))


def session_settings(loaded: Loaded) -> dict[str, Value]:
    """Give the part that a client brings along in its hello."""
    return {
        key: getattr(loaded.settings, key)
        for key, setting in SETTINGS.items()
        if setting.scope == "session"
    }


def unapplied_settings(loaded: Loaded) -> tuple[str, ...]:
    """Name what a client's environment sets but only the daemon's could: reported, not applied."""
    return tuple(
        source.where
        for key, source in loaded.sources.items()
        if SETTINGS[key].scope == "daemon" and source.kind == "environment"
    )


def _below_home(claim: _Claim, environ: Mapping[str, str]) -> object:
    """Write a leading ~ of a path out, as the shell does."""
    raw, kind, home = claim.raw, SETTINGS[claim.key].kind, environ.get("HOME")
    if home and kind in (_PATH, _SOCKET) and isinstance(raw, str) and raw.startswith("~/"):
        return home.rstrip("/") + raw[1:]
    return raw


def _refusal(claim: _Claim) -> SettingError:
    setting = SETTINGS[claim.key]
    value = "this value" if setting.secret else _quoted(claim.raw)
    where = f"{claim.source}: " if claim.source.kind == "file" else ""
    name = claim.key if claim.source.kind == "file" else str(claim.source)
    return SettingError(
        f"{where}{name} cannot be {value}; allowed is {setting.kind.allowed}.", mend=claim.mend
    )


def _quoted(raw: object) -> str:
    shown = ascii(raw)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


def _environment_claims(environ: Mapping[str, str]) -> Iterator[_Claim]:
    """The spelling of VoiceMode is accepted, ours wins; an empty variable says nothing."""
    for prefix in ("VOICEMODE_", "VIVAVOCE_"):
        for key in SETTINGS:
            name = prefix + key.upper()
            if environ.get(name):
                yield _Claim(key, environ[name], Source("environment", name), f"unset {name}")


# -- files


def _claims(
    file: Written | None, errors: list[SettingError], *, session_only: bool
) -> Iterator[_Claim]:
    """What a file says; what it may not say becomes an error."""
    if file is None:
        return
    try:
        table = _parsed(file.text)
    except ValueError as fault:
        line = _line_in(str(fault))
        where = f"{file.path}:{line}" if line else file.path
        errors.append(
            SettingError(
                f"{where}: this is not TOML, so nothing in the file counts: {fault}.",
                mend=set_aside(file.path),
            )
        )
        return
    for key, raw in table.items():
        lines = lines_of(key, file.text)
        where = f"{file.path}:{lines[0]}"
        mend = _commented_out(file.path, lines)
        if key not in SETTINGS:
            errors.append(_unknown(key, where, mend))
        elif session_only and SETTINGS[key].scope == "daemon":
            own = ", ".join(k for k, s in SETTINGS.items() if s.scope == "session")
            errors.append(
                SettingError(
                    f"{where}: {key} cannot be set by a project; allowed there is {own}.", mend=mend
                )
            )
        else:
            yield _Claim(key, raw, Source("file", where), mend)


def _parsed(text: str) -> dict[str, object]:
    """Raises `ValueError` for what is not TOML."""
    import tomllib  # a third of this module's cost, for those who have a file

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _line_in(message: str) -> str:
    """The parser tells the line in its sentence only: "… (at line 3, column 5)"."""
    return message.partition("at line ")[2].partition(",")[0]


def lines_of(key: str, text: str) -> tuple[int, int]:
    """First and last line of a top-level key, from 1; the parser does not tell.

    A line that looks like the key's may lie in a text of several lines: then what stands before
    it does not parse by itself.
    """
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if _opens(key, line) and _is_toml(lines[:first]):
            is_table = line.lstrip().startswith("[")
            last = _end_of_table(lines, first) if is_table else _end_of_value(lines, first)
            return first + 1, last
    return 1, 1


def _opens(key: str, line: str) -> bool:
    start = line.lstrip(" \t[").replace('"', "").replace("'", "")
    return start.startswith(key) and start[len(key) :].lstrip(" \t")[:1] in {"=", ".", "]"}


def _end_of_value(lines: Sequence[str], first: int) -> int:
    ends = range(first + 1, len(lines) + 1)
    return next((end for end in ends if _is_toml(lines[:end])), len(lines))


def _end_of_table(lines: Sequence[str], first: int) -> int:
    """A table lasts until the next begins."""
    ends = range(first + 1, len(lines))
    return next((end for end in ends if lines[end].lstrip().startswith("[")), len(lines))


def _is_toml(lines: Sequence[str]) -> bool:
    try:
        _parsed("\n".join(lines))
    except ValueError:
        return False
    return True


def _unknown(key: str, where: str, mend: str) -> SettingError:
    import difflib  # costs, and only a fault needs it

    near = difflib.get_close_matches(key.lower(), SETTINGS, n=1)
    allowed = f"did you mean {near[0]}?" if near else f"allowed is {', '.join(SETTINGS)}."
    return SettingError(f"{where}: there is no setting {_quoted(key)}; {allowed}", mend=mend)


def _commented_out(path: str, lines: tuple[int, int]) -> str:
    first, last = lines
    return f"sed -i.bak '{first},{last}s/^/# /' {_in_shell(path)}"


def set_aside(path: str) -> str:
    """Give the command that takes a file out of the way and keeps it."""
    return f"mv {_in_shell(path)} {_in_shell(path + '.broken')}"


def _in_shell(path: str) -> str:
    import shlex  # only a fault needs it

    return shlex.quote(path)


# -- the door


def read(environ: Mapping[str, str], cwd: str = "") -> Loaded:
    """Read the settings of a process that runs in `cwd`; without one no project's file counts."""
    errors: list[SettingError] = []
    config = _written(directories(environ, os.getuid()).config_file, errors)
    project_path = _project_file(cwd, environ.get("HOME", ""))
    project = _written(project_path, errors) if project_path else None
    loaded = load(environ, config, project)
    return loaded._replace(errors=(*errors, *loaded.errors))


def _written(path: str, errors: list[SettingError]) -> Written | None:
    """Read a file; None where there is none, or none that can be read."""
    if not os.path.exists(path):  # noqa: PTH110 - pathlib costs more than the rest of this module
        return None
    reason = "it is not a file"
    if os.path.isfile(path):  # noqa: PTH113 - opening a pipe would wait for ever
        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123
                return Written(path, file.read())
        except OSError as fault:
            reason = fault.strerror or str(fault)
        except UnicodeDecodeError:
            reason = "it is not UTF-8"
    errors.append(SettingError(f"{path} cannot be read: {reason}.", mend=set_aside(path)))
    return None


def _project_file(cwd: str, home: str) -> str:
    """Find the project's file at `cwd` or above it, up to the repository's root or the home."""
    where = cwd.rstrip("/")
    while where and where != home.rstrip("/"):
        path = f"{where}/{PROJECT_FILE}"
        if os.path.exists(path):  # noqa: PTH110
            return path
        if os.path.exists(f"{where}/.git"):  # noqa: PTH110
            break
        where = where.rpartition("/")[0]
    return ""
