"""Who is at the other end of a local socket."""

import socket
import struct
import sys

_LINUX_UCRED = struct.Struct("3i")
"""pid, uid, gid."""
_XUCRED = struct.Struct("IIh16I")
"""macOS: version, uid, number of groups, groups. After its sys/ucred.h; untested here."""
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1


def peer_uid(connection: socket.socket) -> int | None:
    """The user of the process that connected; None where it cannot be told: refuse then."""
    try:
        if sys.platform == "linux":
            raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX_UCRED.size)
            _, uid, _ = _LINUX_UCRED.unpack(raw)
            return int(uid)
        if sys.platform == "darwin":
            raw = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
            return _xucred_uid(raw)
    except (OSError, struct.error):
        return None
    return None


def _xucred_uid(raw: bytes) -> int | None:
    if len(raw) != _XUCRED.size:
        return None
    version, uid, groups = _XUCRED.unpack(raw)[:3]
    return int(uid) if version == 0 and 0 < groups <= 16 else None
