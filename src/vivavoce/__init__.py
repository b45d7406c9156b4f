"""vivavoce: the voice layer for AI agents.

The map of the house stands in docs/design.md. Names are loaded lazily, since every hook and every
control command pays for what is imported here.
"""

__version__ = "0.1.0"
