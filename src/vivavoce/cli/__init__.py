"""The `vivavoce` command. Each subcommand imports what it needs when it runs, and no more."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from vivavoce import __version__
from vivavoce.errors import VivavoceError

EXIT_DONE, EXIT_NOT_DONE, EXIT_WRONG_USE = 0, 1, 2

_COMMANDS = ("pause", "resume", "stop", "skip-forward", "skip-back", "status", "history", "volume")
_HINTS = ("switch-to-text", "brevity", "quiet")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0 done, 1 not done, 2 wrong use."""
    arguments = parser().parse_args(argv)
    command = importlib.import_module(f"vivavoce.cli.{arguments.module}")
    try:
        code: int = command.main(arguments)
    except VivavoceError as error:
        return complain(error)
    except BrokenPipeError:
        sys.stderr.close()  # Who read our output has gone.
        return EXIT_NOT_DONE
    except KeyboardInterrupt:
        return EXIT_NOT_DONE
    return code


def complain(error: VivavoceError) -> int:
    """One line: what is wrong, and the command that mends it."""
    mend = f" Try: {error.mend}" if error.mend and error.mend not in error.message else ""
    print(f"vivavoce: {error.message}{mend}", file=sys.stderr)
    return EXIT_WRONG_USE if error.code in ("bad-setting", "bad-request") else EXIT_NOT_DONE


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="vivavoce", description="The voice layer for AI agents: hear what they say."
    )
    top.add_argument("--version", action="version", version=f"vivavoce {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _add_say(commands)
    _add_control(commands)
    _add_daemon(commands)
    _add_lists(commands)
    return top


if TYPE_CHECKING:
    _Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001


def _command(commands: "_Commands", name: str, module: str, about: str) -> argparse.ArgumentParser:
    added = commands.add_parser(name, help=about, description=about)
    added.set_defaults(module=module)
    return added


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="answer as one JSON object")


def _add_say(commands: "_Commands") -> None:
    say = _command(commands, "say", "say", "Say a text, and tell how far it was heard.")
    say.add_argument("text", nargs="?", help='the text, or "-" for standard input')
    say.add_argument("--file", metavar="FILE", help="say what is in this file")
    say.add_argument("--voice", default="", help="a voice's name")
    say.add_argument("--speed", type=float, metavar="N", help="0.5 to 2.0; 1.0 is the own pace")
    say.add_argument("--language", default="", help="the text's language, such as en")
    say.add_argument("--agent", default="", metavar="NAME", help="who says it")
    say.add_argument("--place", default="", choices=("desk", "file", "null"), help="where to")
    say.add_argument("--out", metavar="FILE.wav", help="write a WAV file; needs no daemon")
    say.add_argument("--no-wait", action="store_true", help="return once it is accepted")
    _json(say)


def _add_control(commands: "_Commands") -> None:
    control = _command(commands, "control", "control", "Pause, resume, stop, skip, replay.")
    control.add_argument("command", choices=_COMMANDS)
    control.add_argument("value", nargs="?", help="volume: 0.0 to 1.0; status: an id")
    control.add_argument("--all", action="store_true", help="stop: what waits of others, too")
    control.add_argument("--hint", default="", choices=_HINTS, help="tell the agent why")
    _json(control)
    caught = _command(commands, "catch-up", "catch_up", "Hear what was parked unheard.")
    action = caught.add_mutually_exclusive_group()
    action.add_argument("--list", action="store_true", help="only list it")
    action.add_argument("--forget", action="store_true", help="let go of it")
    _json(caught)


def _add_daemon(commands: "_Commands") -> None:
    serve = _command(commands, "serve", "serve", "Be the daemon that speaks.")
    serve.add_argument("--detach", action="store_true", help="in the background")
    serve.add_argument("--hello", action="store_true", help="say hello and tell what to try")
    _command(commands, "stop", "stop", "End the daemon; what waits is parked.")
    _command(commands, "reload", "reload", "Let the daemon read the configuration again.")
    logs = _command(commands, "logs", "logs", "Show the end of the daemon's log.")
    logs.add_argument("--lines", type=int, default=40, metavar="N")
    logs.add_argument("--clear", action="store_true", help="empty the log, free its space")


def _add_lists(commands: "_Commands") -> None:
    _json(_command(commands, "voices", "voices", "List the voices that can speak here."))
    models = _command(commands, "models", "models", "Check or fetch the weights of engines.")
    models.add_argument("action", nargs="?", default="check", choices=("check", "fetch"))
    _json(models)
    config = _command(commands, "config", "config", "Show each setting and where it came from.")
    config.add_argument("action", nargs="?", default="show", choices=("show", "check"))
    _json(config)
    doctor = _command(commands, "doctor", "doctor", "Check this machine and tell the mends.")
    doctor.add_argument("checks", nargs="*", metavar="CHECK", help="only these; default: all")
    _json(doctor)
