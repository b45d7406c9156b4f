"""Which voice speaks a request. Pure.

A voice that was named is found or it is an error; it is never replaced by another one. Where none
is named, the first ready voice of the language speaks, except that text does not leave the machine
only because a local voice that comes before is not ready.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from vivavoce.errors import NoVoice
from vivavoce.vocabulary.audio import Synthesize, Voice


def cast(voices: Sequence[Voice], request: Synthesize) -> Voice:
    """The voice for a request; `voices` come in the order in which engines are asked.

    A voice that is not ready is returned only where no better one may be taken: its engine then
    raises the error that names what is missing and the mend. Raises `NoVoice`.
    """
    candidates = _of_engine(voices, request.engine)
    if request.voice:
        candidates = _of_name(candidates, request.voice)
    speakers = [voice for voice in candidates if request.language in voice.languages]
    if not speakers:
        raise _no_speaker(candidates, request)
    return _first_ready(speakers, may_leave=bool(request.voice or request.engine))


def _of_engine(voices: Sequence[Voice], engine: str) -> Sequence[Voice]:
    if not engine:
        return voices
    found = [voice for voice in voices if voice.engine == engine]
    if found:
        return found
    known = sorted({voice.engine for voice in voices})
    raise NoVoice(f"There is no engine {engine!r} here. Known: {', '.join(known) or 'none'}.")


def _of_name(voices: Sequence[Voice], name: str) -> Sequence[Voice]:
    wanted = name.casefold()
    found = [voice for voice in voices if wanted in _names(voice)]
    if found:
        return found
    near = _nearest(wanted, voices)
    advice = f"Did you mean {' or '.join(near)}?" if near else "See: vivavoce voices"
    raise NoVoice(f"There is no voice {name!r} here. {advice}")


def _names(voice: Voice) -> tuple[str, str]:
    return voice.name.casefold(), f"{voice.engine}/{voice.name}".casefold()


def _nearest(wanted: str, voices: Iterable[Voice]) -> list[str]:
    names = {spelling: voice.name for voice in voices for spelling in _names(voice)}
    close = get_close_matches(wanted, names, n=3, cutoff=0.5)
    return list(dict.fromkeys(names[spelling] for spelling in close))


def _no_speaker(candidates: Sequence[Voice], request: Synthesize) -> NoVoice:
    if request.voice:
        spoken = sorted({language for voice in candidates for language in voice.languages})
        return NoVoice(
            f"The voice {request.voice!r} does not speak {request.language!r}, "
            f"only {', '.join(spoken)}."
        )
    return NoVoice(f"No voice here speaks {request.language!r}.")


def _first_ready(speakers: Sequence[Voice], *, may_leave: bool) -> Voice:
    chosen = next((voice for voice in speakers if voice.ready), speakers[0])
    if chosen.local or may_leave:
        return chosen
    before = speakers[: speakers.index(chosen)]
    return next((voice for voice in before if voice.local), chosen)
