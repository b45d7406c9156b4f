"""JSON as our protocols write it: UTF-8, no key twice, no number that is none, no half character.

Light on purpose: clients import this and nothing heavier.
"""

import json
from collections.abc import Mapping

from vivavoce.errors import ProtocolError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]


def read(body: bytes) -> Json:
    """What the text says. Raises `ProtocolError` with code "bad-json"."""
    try:
        found: Json = json.loads(
            body.decode(), object_pairs_hook=_object, parse_constant=_refuse_constant
        )
        if rb"\ud" in body.lower():
            # Half of a surrogate pair would pass for text until something encodes it.
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ProtocolError("This is not JSON.", code="bad-json") from None
    return found


def write(message: Mapping[str, object]) -> bytes:
    """One line without its end. In ASCII: half of a surrogate pair can be told, though not read."""
    return json.dumps(message, separators=(",", ":")).encode()


def _object(pairs: list[tuple[str, Json]]) -> JsonObject:
    """Readers differ on which of two equal keys counts, so none does."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a number")
