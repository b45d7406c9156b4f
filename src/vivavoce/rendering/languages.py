"""Which language a text is in: by its script, and in the Latin script by its function words.

A wrong flip is worse than a missed one: a reply keeps its language unless several words agree.
"""

import re
from functools import lru_cache
from typing import Final

from vivavoce.rendering.wordlists import words

_SCRIPTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("ja", re.compile(r"[\u3040-\u30ff\uff66-\uff9d]")),
    ("ko", re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ru", re.compile(r"[\u0400-\u052f]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_SYLLABIC: Final = frozenset({"ja", "ko", "zh"})
_MARKS: Final[dict[str, tuple[str, re.Pattern[str]]]] = {
    "ru": ("uk", re.compile("[іїєґІЇЄҐ]")),
    "ar": ("fa", re.compile("[پچژگک]")),
}

_FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": words(
        "the and is of to that it for with as are was were this these be been at by not",
        "or from have has had you we they he she which would there their its if when then",
        "will can could should i'm it's don't doesn't what how why who your our my but",
        "only also into than now all any no does did do here just because before after",
        "please use see let's i",
    ),
    "de": words(
        "der das und ist nicht ein eine einen einem einer mit auf für von zu den dem des",
        "im sich wird werden wurde wurden auch wir ich sie oder aber wenn noch nur kann",
        "können sind nach bei aus über jetzt alle keine kein hat habe haben läuft als zum",
        "zur vom beim bis dass durch diese dieser dieses dort doch schon sehr mehr muss",
        "soll gibt mir uns euch ihr ihre sein seine hier dann damit weil ob zwei drei",
        "bitte gut fertig wie es geht heute morgen guten ihnen ihm ihn kannst möchte möchtest",
        "datei dateien zeile zeilen fehlt fehler ergebnis änderung änderungen frage fragen",
        "erfolgreich abgeschlossen behoben geändert entfernt erledigt bestanden gefunden",
        "gelöscht hinzugefügt schlägt läuft warte wartet",
    ),
    "fr": words(
        "le la les et est une des du que qui dans pour pas sur avec ce cette il elle nous",
        "vous ils je ne se au aux sont été être avoir fait plus mais ou où comme tout",
        "tous son ses leur votre c'est j'ai d'un d'une l'a n'est qu'il déjà aussi très",
    ),
    "es": words(
        "el los las y es una que en del por para con se lo al más pero como está están",
        "sus fue ha han este esta estos son todo todos también muy ya hay porque cuando",
        "donde sin sobre",
    ),
}
_LETTERED: Final[dict[str, re.Pattern[str]]] = {
    "de": re.compile("[äöüßÄÖÜ]"),
    "fr": re.compile("[àâçèêëîïôûùœ]"),
    "es": re.compile("[ñ¿¡áíóú]"),
}
_WORD = re.compile(r"(?<![\w./\\@:=#-])[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w/\\@=#(-]|\.\w)")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{2,}")
_ENOUGH: Final = 4000
"""Code points that are looked at; a language shows sooner."""


def _by_script(text: str) -> str:
    """The language of a text in another script; empty where Latin letters prevail."""
    latin_words = len(_LATIN_WORD.findall(text))
    latin_letters = sum(map(len, _LATIN_WORD.findall(text)))
    counts = {tag: len(pattern.findall(text)) for tag, pattern in _SCRIPTS}
    east = sum(counts[tag] for tag in _SYLLABIC)
    if east and east >= latin_words:
        # A Japanese text holds more Chinese characters than kana.
        if counts["ja"] and counts["ja"] * 6 >= east:
            return "ja"
        return "ko" if counts["ko"] * 2 > east else "zh"
    tag, count = max(
        ((tag, count) for tag, count in counts.items() if tag not in _SYLLABIC),
        key=lambda pair: pair[1],
    )
    if not count or count <= latin_letters:
        return ""
    nearer, mark = _MARKS.get(tag, (tag, None))
    return nearer if mark is not None and mark.search(text) else tag


@lru_cache(maxsize=4)
def _votes(text: str) -> dict[str, int]:
    """How many different words of a text speak for each language."""
    said = set(_WORD.findall(text.lower().replace("’", "'")))
    votes = {tag: len(said & known) for tag, known in _FUNCTION_WORDS.items()}
    if not text.isascii():
        for tag, lettered in _LETTERED.items():
            unknown = said - _FUNCTION_WORDS[tag]
            votes[tag] += sum(len(word) > 3 and bool(lettered.search(word)) for word in unknown)
    return votes


def detect(text: str, fallback: str = "en") -> str:
    """The BCP 47 primary tag of a text; `fallback` where it shows no clear evidence."""
    text = text[:_ENOUGH]
    if not text.isascii() and (tag := _by_script(text)):
        return tag
    votes = _votes(text)
    best = max(votes, key=lambda tag: votes[tag])
    others = max(count for tag, count in votes.items() if tag != best)
    if votes[best] <= others or (votes[best] < 2 and not _speaks_alone(text, best, others)):
        return _settled(fallback, text)
    if best == fallback:
        return best
    # Away from English, or from what the text around is in, only by a clear majority.
    return best if votes[best] >= 2 * others else _settled(fallback, text)


def _speaks_alone(text: str, tag: str, others: int) -> bool:
    """Whether one function word is enough: in a sentence without any of another language."""
    return tag != "en" and not others and len(set(_WORD.findall(text.lower()))) >= 3


def is_uniform(text: str, language: str) -> bool:
    """Whether no part of a text can be in another language than the whole; a cheap look."""
    if len(text) > _ENOUGH or not text.isascii():
        return False
    return not any(count for tag, count in _votes(text).items() if tag != language)


def _settled(fallback: str, text: str) -> str:
    """The fallback, unless the text is in Latin letters and the fallback never is."""
    foreign = fallback in _SYLLABIC or any(fallback == tag for tag, _ in _SCRIPTS)
    return "en" if foreign and len(_LATIN_WORD.findall(text)) >= 3 else fallback
