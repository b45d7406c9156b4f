"""The floor ("conch"): who may speak to a listener now, and who waits. Quiet: no I/O, no clock."""

from vivavoce.floor.conch import (
    TABLE,
    Effect,
    Event,
    Floor,
    FloorState,
    Granted,
    Queued,
    Released,
    Requested,
    Withdrawn,
)

__all__ = [
    "TABLE",
    "Effect",
    "Event",
    "Floor",
    "FloorState",
    "Granted",
    "Queued",
    "Released",
    "Requested",
    "Withdrawn",
]
