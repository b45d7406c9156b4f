"""What no one wants to hear in full: addresses, paths, hashes and ids, emoji, stray signs."""

import re
from re import Match
from typing import Final

from vivavoce.rendering.inline import link_phrase
from vivavoce.rendering.traced import SLOT, Phrase, Traced
from vivavoce.vocabulary.speech import Omitted, OmittedKind, Span

_CJK = r"\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_ADDRESS = re.compile(
    rf"(?:(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{{1,30}}://|(?<![\w./-])www\.(?=[\w-]+\.))"
    rf"[^\s<>\"`|{SLOT}“”„«»{_CJK}]+"
)
_TRAILING = ".,;:!?'*_…"

_STEP = r"[\w.@+~\-]+"
_PATH = re.compile(
    rf"(?<![\w/\\.:~-])(?P<root>~/|\.{{1,2}}/|\$\{{?\w+\}}?/|[A-Za-z]:[\\/]|/)?"
    rf"(?P<steps>(?:{_STEP}[/\\]){{1,60}})(?P<name>{_STEP})?"
    rf"(?::(?P<line>\d{{1,7}})(?::\d{{1,5}})?(?!\w))?"
)
_FILE = re.compile(r"\.\w{1,8}\Z")
_DATE_OR_RATIO = re.compile(r"[\d/.]+")

_HASH = re.compile(
    r"(?<![\w/.#-])(?:sha\d{1,3}[:-])?(?:"
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}"
    r"|(?=[A-F]*\d)(?=\d*[A-F])[0-9A-F]{16,128}"
    r"|(?:[A-Za-z]{2,12}_)?(?=[A-Za-z]*\d[A-Za-z]*\d[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,128}"
    r")(?![\w-])"
)
_DIGIT = re.compile(r"\d")
_PURPOSE = re.compile(
    r"\b(?:commit|hash|revision|rev|sha|checksum|digest|tree|blob|image|container|session|request"
    r"|job|task|build|id|uuid|trace|transaction|order|ticket|version|branch|token"
    r"|sitzung|anfrage|auftrag|kennung|abbild|prüfsumme)[\"'(`:]{0,2}\s*\Z"
    r"|(?:提交|哈希|会话|请求|任务|镜像|编号|容器|构建)[：:（]?\s*\Z",
    re.IGNORECASE,
)

_EMOJI_BASE = (
    "\U0001f000-\U0001faff\u2600-\u27bf\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u2b05-\u2b07\u2b1b"
    "\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
)
_JOINERS = "\u200d\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f"
_EMOJI = re.compile(
    rf"(?P<digit>[0-9#*])\ufe0f?\u20e3"
    rf"|(?P<before>[ \t]*)(?:(?:[{_EMOJI_BASE}]|[^\w\s]\ufe0f)[{_JOINERS}]*[ \t]*)+"
    rf"|[\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f]+|(?<![^\W\d_])\u200d+|\u200d+(?![^\W\d_])"
)
_MAYBE_EMOJI = re.compile(rf"[{_EMOJI_BASE}{_JOINERS}]")
_CLOSING = ".,;:!?)]}…。，！？；：）"

_UNDEFINED_NOTE = re.compile(r"\[\^[\w-]{1,60}\](?::[ \t]*)?")
_SIGNS = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<![^\W_])_+(?=[^\W_])|(?<=[^\W_])_+(?![^\W_])|\|+")
_TIGHT = re.compile(rf"(?<=[A-Za-z0-9])(?={SLOT})|(?<={SLOT})(?=[A-Za-z0-9])")
_WIDE = re.compile(r"[ \t\n\u00a0]{2,}|[\t\n\u00a0]")


def _omit(text: Traced, start: int, end: int, kind: OmittedKind, omitted: list[Omitted]) -> None:
    omitted.append(Omitted(kind, text.written(start, end) or Span(0, 0), end - start))


def without_addresses(text: Traced, omitted: list[Omitted]) -> Traced:
    """Each bare address as "link to HOST"."""
    if "://" not in text.text and "www." not in text.text:
        return text
    edits: list[tuple[int, int, str | Phrase]] = []
    for match in _ADDRESS.finditer(text.text):
        address = match[0].rstrip(_TRAILING)
        while address[-1] in ")]}" and address.count(address[-1]) > address.count(
            {")": "(", "]": "[", "}": "{"}[address[-1]]
        ):
            address = address[:-1].rstrip(_TRAILING)
        end = match.start() + len(address)
        phrase = link_phrase(address if "://" in address else f"https://{address}")
        edits.append((match.start(), end, phrase))
        _omit(text, match.start(), end, OmittedKind.URL, omitted)
    return text.edited(edits)


def with_file_names(text: Traced) -> Traced:
    """Each path of more than two parts as its last part."""
    if "/" not in text.text and "\\" not in text.text:
        return text
    edits: list[tuple[int, int, str | Phrase]] = []
    for match in _PATH.finditer(text.text):
        if not _is_long_path(match):
            continue
        steps = match["steps"]
        name_start = match.start("name")
        name_end = match.end("name")
        if match["name"] is None:
            last = re.split(r"[/\\]", steps[:-1])[-1]
            name_end = match.end("steps") - 1
            name_start = name_end - len(last)
        else:
            while name_end > name_start + 1 and text.text[name_end - 1] in ".-":
                name_end -= 1
        edits.append((match.start(), name_start, ""))
        if match["line"]:
            edits.append((name_end, match.end(), Phrase("line_of_file", match["line"])))
        elif match["name"] is None:
            edits.append((name_end, match.end(), ""))
    return text.edited(edits)


def _is_long_path(match: Match[str]) -> bool:
    steps = re.split(r"[/\\]", match["steps"])[:-1]
    name = (match["name"] or "").rstrip(".-")
    parts = [*steps, name] if name else steps
    count = len(parts) + (1 if match["root"] not in (None, "/", "./") else 0)
    if count < 3 or _DATE_OR_RATIO.fullmatch(match[0]):
        return False
    # Words joined by strokes ("red/green/blue") are not a path; a root or a file's name tells one.
    written_like_a_path = match["root"] or not name or _FILE.search(name)
    return bool(written_like_a_path) or any("_" in p or "." in p for p in parts) or count > 3


def without_hashes(text: Traced) -> Traced:
    """Each hash, UUID or long id as its purpose, if the word before tells it, else as "an id"."""

    if not _DIGIT.search(text.text):
        return text
    edits: list[tuple[int, int, str | Phrase]] = []
    for match in _HASH.finditer(text.text):
        before = text.text[max(0, match.start() - 40) : match.start()]
        if _PURPOSE.search(before):
            spaces = len(before) - len(before.rstrip())
            edits.append((match.start() - spaces, match.end(), ""))
        else:
            edits.append((match.start(), match.end(), Phrase("id")))
    return text.edited(edits)


def without_emoji(text: Traced, omitted: list[Omitted]) -> Traced:
    """No emoji, and nothing that only joins or colours them; a keycap leaves its digit."""
    if text.text.isascii() or not _MAYBE_EMOJI.search(text.text):
        return text

    def replace(match: Match[str]) -> str:
        if match["digit"]:
            return match["digit"]
        if match["before"] is None:
            return ""
        _omit(text, match.start() + len(match["before"]), match.end(), OmittedKind.EMOJI, omitted)
        after = match.string[match.end() : match.end() + 1]
        before = match.string[match.start() - 1 : match.start()] if match.start() else ""
        return "" if not before or not after or after in _CLOSING or before in "([{（" else " "

    return text.substituted(_EMOJI, replace)


def without_stray_signs(text: Traced, omitted: list[Omitted]) -> Traced:
    """No footnote marks, no strokes between cells; underscores part the words of an identifier."""
    if "[^" in text.text:
        for match in _UNDEFINED_NOTE.finditer(text.text):
            _omit(text, match.start(), match.end(), OmittedKind.FOOTNOTE, omitted)
        text = text.substituted(_UNDEFINED_NOTE, lambda _: "")
    if "_" in text.text or "|" in text.text:
        text = text.substituted(_SIGNS, lambda _: " ")
    return text


def shortened(text: Traced, omitted: list[Omitted]) -> Traced:
    """A block's text as it is spoken, in one line without double spaces."""
    text = without_addresses(text, omitted)
    text = with_file_names(text)
    text = without_hashes(text)
    text = without_emoji(text, omitted)
    text = without_stray_signs(text, omitted)
    if _WIDE.search(text.text):
        text = text.substituted(_WIDE, lambda _: " ")
    if SLOT in text.text:
        text = text.substituted(_TIGHT, lambda _: " ")
    return text.stripped()


SPEAKABLE: Final = re.compile(rf"[^\W_]|{SLOT}")
"""What a text must hold to be worth a voice."""
