"""`vivavoce control`: one line to `control.sock`, one line back. Hot: imports next to nothing."""

import argparse
import json
import os
import socket
import sys
from typing import Any

from vivavoce.cli import EXIT_DONE, EXIT_NOT_DONE
from vivavoce.directories import directories
from vivavoce.errors import CallerError, NoDaemon

ANSWER_SECONDS = 5.0


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0: done, 1: nothing listens or it was refused, 2: wrong use."""
    answer = ask(_line(arguments))
    if not answer.get("ok"):
        print(f"vivavoce: {answer.get('message', 'refused')}", file=sys.stderr)
        return EXIT_NOT_DONE
    del answer["ok"]
    print(json.dumps(answer, ensure_ascii=False) if arguments.json else _sentence(answer))
    return EXIT_DONE


def _line(arguments: argparse.Namespace) -> dict[str, Any]:
    line: dict[str, Any] = {"command": arguments.command.replace("-", "_")}
    if arguments.command == "stop" and arguments.all:
        line["all"] = True
    if arguments.hint:
        line["hint"] = arguments.hint
    if arguments.value is not None:
        line.update(_value(arguments.command, arguments.value))
    return line


def _value(command: str, value: str) -> dict[str, Any]:
    if command == "status":
        return {"id": value}
    if command != "volume":
        raise CallerError(f"{command} takes no value.")
    try:
        return {"volume": float(value)}
    except ValueError:
        raise CallerError(f"volume {value}: allowed is a number from 0.0 to 1.0.") from None


def ask(line: dict[str, Any]) -> dict[str, Any]:
    """Send one command and return its answer. Raises `NoDaemon`."""
    where = directories(os.environ, os.getuid())
    path = os.environ.get("VIVAVOCE_CONTROL_SOCKET") or where.control_socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_SECONDS)
        try:
            connection.connect(path)
            connection.sendall(json.dumps(line).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                data = connection.recv(65536)
                if not data:
                    break
                answer += data
        except OSError:
            raise NoDaemon("No daemon is running.", mend="vivavoce serve --detach") from None
    try:
        told: dict[str, Any] = json.loads(answer)
    except ValueError:
        raise NoDaemon("The daemon broke off.", mend="vivavoce doctor") from None
    return told


def _sentence(answer: dict[str, Any]) -> str:
    if "volume" in answer and "state" not in answer:
        return f"volume {answer['volume']:g}"
    if "history" in answer:
        return _history(answer)
    if "stage" in answer:
        return f"{answer['id']}: {answer.get('end') or answer['stage']}"
    return _state(answer)


def _state(answer: dict[str, Any]) -> str:
    parts = [answer["state"]]
    if utterance := answer.get("utterance"):
        parts.append(f"{utterance['agent'] or utterance['session']}: {utterance['text'][:60]}")
        parts.append(f"{utterance['heard_words']} words heard")
    if answer.get("waiting"):
        parts.append(f"{len(answer['waiting'])} waiting")
    return ", ".join(parts)


def _history(answer: dict[str, Any]) -> str:
    spoken = [f"{e['seconds']:6.1f} s  {e['agent']}  {e['text'][:60]}" for e in answer["history"]]
    parked = [f"parked    {e['agent'] or e['session']}  {e['id']}" for e in answer["parked"]]
    return "\n".join([*spoken, *parked]) or "nothing was spoken yet"
