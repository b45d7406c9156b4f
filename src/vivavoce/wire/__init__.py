"""Protocols without sockets: bytes in, requests out. Quiet: no I/O, no clock."""
