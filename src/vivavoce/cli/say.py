"""`vivavoce say`: says a text and tells how far it was heard."""

import argparse
import os
import sys
from typing import Any

from vivavoce.cli import EXIT_DONE, EXIT_NOT_DONE, complain
from vivavoce.cli.client import Client, connect, shown
from vivavoce.errors import CallerError, SettingError, StoreError
from vivavoce.settings import read, session_settings


def main(arguments: argparse.Namespace) -> int:
    """Exit code 0: heard, 1: cut or not spoken, 2: wrong use."""
    text = _text(arguments)
    if arguments.speed is not None and not 0.5 <= arguments.speed <= 2.0:
        raise CallerError(f"--speed {arguments.speed}: allowed is 0.5 to 2.0.")
    loaded = read(os.environ, _cwd())
    for error in loaded.errors:
        complain(error)
    if arguments.out:
        return _write(arguments, text, loaded)
    settings = session_settings(loaded)
    with connect("say", start=True, agent=arguments.agent, settings=settings) as client:
        return _say(client.same_version(), arguments, text)


def _text(arguments: argparse.Namespace) -> str:
    given = [arguments.text is not None, arguments.file is not None]
    if sum(given) != 1:
        raise CallerError('Give a text, "-" for standard input, or --file FILE.')
    try:
        if arguments.file is not None:
            with open(arguments.file, "rb") as file:  # noqa: PTH123
                raw = file.read()
        elif arguments.text == "-":
            raw = sys.stdin.buffer.read()
        else:
            raw = os.fsencode(arguments.text)
        return raw.decode()
    except OSError as error:
        raise CallerError(f"{arguments.file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CallerError("The text is not UTF-8.") from None


def _cwd() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _say(client: Client, arguments: argparse.Namespace, text: str) -> int:
    wish = {
        "text": text,
        "id": os.urandom(6).hex(),
        "agent": arguments.agent,
        "voice": arguments.voice,
        "speed": arguments.speed,
        "place": arguments.place,
        "language": arguments.language,
        "wait": not arguments.no_wait,
    }
    answers = client.ask("say", None, **wish)
    accepted = next(answers)
    if not accepted["kept"]:
        complain(StoreError("The journal cannot be written.", mend="vivavoce doctor"))
    if arguments.no_wait:
        print(shown(accepted) if arguments.json else f"accepted: {accepted['id']}")
        return EXIT_DONE
    return _tell(arguments, next(answers))


def _tell(arguments: argparse.Namespace, ended: dict[str, Any]) -> int:
    print(shown(ended) if arguments.json else _sentence(ended))
    return EXIT_DONE if ended["end"] == "heard" else EXIT_NOT_DONE


def _sentence(ended: dict[str, Any]) -> str:
    end, words, path = ended["end"], ended["words"], ended.get("path", "")
    why = f": {ended['message']}" if ended.get("message") else ""
    where = f" ({path})" if path else ""
    counted = "1 word" if words == 1 else f"{words} words"
    if end == "heard":
        return f"written{where}: {counted}" if path else f"heard: {counted}"
    if end == "cut":
        return f"cut after {ended['heard_words']} of {counted}{why}{where}"
    return f"{end}{why}{where}"


def _write(arguments: argparse.Namespace, text: str, loaded: Any) -> int:  # noqa: ANN401
    import asyncio
    from pathlib import Path

    from vivavoce.house import write_speech
    from vivavoce.vocabulary.utterance import End, Manner

    own = loaded.settings
    path = Path(arguments.out).absolute()
    if path.suffix.lower() != ".wav":
        raise SettingError(f"--out {arguments.out}: allowed is a name that ends in .wav.")
    manner = Manner(
        arguments.voice or own.voice,
        arguments.speed or own.speed,
        "file",
        arguments.language or own.language,
    )
    ended = asyncio.run(write_speech(loaded, text, manner, path))
    told = ended.as_fields()
    if ended.end is End.PARKED and not arguments.json:
        # Without a daemon nothing is kept, so nothing is parked.
        print(f"not written: {ended.message}")
        return EXIT_NOT_DONE
    return _tell(arguments, told)
