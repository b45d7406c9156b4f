"""The error tree. Each error has a code for machines, a sentence for people, and a mend.

VivavoceError
├── CallerError        the caller's fault: a wrong word, a bad value, an overlong line
│   ├── SettingError   a setting has a value that is not allowed
│   └── ProtocolError  a peer broke a protocol of ours
├── HouseError         something here is missing, full or broken
│   ├── NoDaemon       nothing listens
│   ├── WrongVersion   the daemon is of another version
│   ├── SocketTaken    another program, or a file, sits where a socket of ours belongs
│   ├── StoreError     a store cannot be read or written (full disk, read-only home)
│   └── PlaceError     a speaker cannot be opened or is gone
└── EngineError        an engine could not speak
    ├── NoVoice        no voice here speaks that language, or has that name
    ├── WeightsMissing model files are not there, or not the ones that were pinned
    └── EngineFailed   the engine or its server failed
"""


class VivavoceError(Exception):
    """The root. `code` is for machines, `str(error)` is one sentence for people.

    `mend` is a shell command that mends the fault, or empty where there is none.
    """

    code = "error"

    def __init__(self, message: str, *, code: str = "", mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.mend = mend


class CallerError(VivavoceError):
    """The caller's fault."""

    code = "bad-request"


class SettingError(CallerError):
    """A setting has a value that is not allowed. Names the setting, the value, what is allowed."""

    code = "bad-setting"


class ProtocolError(CallerError):
    """A peer broke a protocol of ours."""

    code = "bad-frame"


class HouseError(VivavoceError):
    """Something on this machine is missing, full or broken."""

    code = "house"


class NoDaemon(HouseError):
    """Nothing listens on our sockets."""

    code = "no-daemon"


class WrongVersion(HouseError):
    """The daemon is of another version than its client."""

    code = "wrong-version"


class SocketTaken(HouseError):
    """Another program, or a file, sits where a socket of ours belongs."""

    code = "socket-taken"


class StoreError(HouseError):
    """A store cannot be read or written."""

    code = "store"


class PlaceError(HouseError):
    """A speaker cannot be opened, or is gone."""

    code = "place"


class EngineError(VivavoceError):
    """An engine could not speak."""

    code = "engine"


class NoVoice(EngineError):
    """No voice here speaks that language, or has that name."""

    code = "no-voice"


class WeightsMissing(EngineError):
    """Model files are not there, or are not the ones that were pinned."""

    code = "weights-missing"


class EngineFailed(EngineError):
    """The engine, its process or its server failed."""

    code = "engine-failed"
