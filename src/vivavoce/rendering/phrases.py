"""What we say in our own words, per language: a catalogue, and the plural rules it needs.

A template may hold `{word}` and `{0}`, `{1}`, ... for the counts of a phrase; a count is written
as `{0:noun}`, whose forms stand in the same language's nouns under the CLDR plural categories.
"""

import re
from typing import Final

from vivavoce.rendering.traced import Phrase

ORDINALS: Final = 10
"""List items that are counted; later ones are introduced by "Next"."""

_NOUNS: Final[dict[str, dict[str, dict[str, str]]]] = {
    "en": {
        "line": {"one": "{n} line", "other": "{n} lines"},
        "row": {"one": "{n} row", "other": "{n} rows"},
        "column": {"one": "{n} column", "other": "{n} columns"},
    },
    "de": {
        "line": {"one": "{n} Zeile", "other": "{n} Zeilen"},
        "row": {"one": "{n} Zeile", "other": "{n} Zeilen"},
        "column": {"one": "{n} Spalte", "other": "{n} Spalten"},
    },
    "zh": {
        "line": {"other": "{n}行"},
        "row": {"other": "{n}行"},
        "column": {"other": "{n}列"},
    },
}

_TEMPLATES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "code": "(Code block with {0:line})",
        "table": "(Table with {0:row}, {1:column})",
        "formula": "(formula)",
        "only_code": "A code block with {0:line}.",
        "only_table": "A table with {0:row} and {1:column}.",
        "only_formula": "A formula.",
        "only_html": "HTML without text.",
        "only_emoji": "An emoji.",
        "only_front_matter": "Front matter without text.",
        "only_signs": "A message without words.",
        "link_to": "link to {word}",
        "link": "link",
        "image": "image",
        "secret": "a secret I won't read",
        "id": "an id",
        "line_of_file": "line {word}",
        "done": "done: ",
        "to_do": "to do: ",
        "full_stop": ".",
        "next": "Next, ",
        "number": "{word}, ",
    },
    "de": {
        "code": "(Codeblock mit {0:line})",
        "table": "(Tabelle mit {0:row}, {1:column})",
        "formula": "(Formel)",
        "only_code": "Ein Codeblock mit {0:line}.",
        "only_table": "Eine Tabelle mit {0:row} und {1:column}.",
        "only_formula": "Eine Formel.",
        "only_html": "HTML ohne Text.",
        "only_emoji": "Ein Emoji.",
        "only_front_matter": "Kopfdaten ohne Text.",
        "only_signs": "Eine Nachricht ohne Worte.",
        "link_to": "Link zu {word}",
        "link": "Link",
        "image": "Bild",
        "secret": "ein Geheimnis, das ich nicht vorlese",
        "id": "eine Kennung",
        "line_of_file": "Zeile {word}",
        "done": "erledigt: ",
        "to_do": "zu tun: ",
        "full_stop": ".",
        "next": "Außerdem, ",
        "number": "{word}, ",
    },
    "zh": {
        "code": "（{0:line}的代码块）",
        "table": "（{0:row}{1:column}的表格）",
        "formula": "（公式）",
        "only_code": "一个{0:line}的代码块。",
        "only_table": "一个{0:row}{1:column}的表格。",
        "only_formula": "一个公式。",
        "only_html": "没有文字的HTML。",
        "only_emoji": "一个表情。",
        "only_front_matter": "没有正文的文件头。",
        "only_signs": "一条没有文字的消息。",
        "link_to": "{word}的链接",
        "link": "链接",
        "image": "图片",
        "secret": "一个我不会念出来的秘密",
        "id": "一个编号",
        "line_of_file": "第{word}行",
        "done": "已完成：",
        "to_do": "待办：",
        "full_stop": "。",
        "next": "接下来，",
        "number": "{word}，",
    },
}

_ORDINALS: Final[dict[str, str]] = {
    "en": "First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth",
    "de": "Erstens Zweitens Drittens Viertens Fünftens Sechstens Siebtens Achtens Neuntens "
    "Zehntens",
    "zh": "第一 第二 第三 第四 第五 第六 第七 第八 第九 第十",
}

_NUMBERS: Final[dict[str, str]] = {
    "en": "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen "
    "Fifteen Sixteen Seventeen Eighteen Nineteen Twenty",
    "de": "Null Eins Zwei Drei Vier Fünf Sechs Sieben Acht Neun Zehn Elf Zwölf Dreizehn Vierzehn "
    "Fünfzehn Sechzehn Siebzehn Achtzehn Neunzehn Zwanzig",
    "zh": "零 一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
}

_COUNT = re.compile(r"\{(\d):(\w+)\}")


def plural_category(language: str, count: int) -> str:
    """The CLDR plural category of a whole number: "one" or "other"."""
    return "one" if language in ("en", "de") and count == 1 else "other"


def catalogue_language(language: str) -> str:
    """The language whose phrases are used for a text: its own, or English where we have none."""
    return language if language in _TEMPLATES else "en"


def _listed(words: str, index: int) -> str:
    listed = words.split()
    return listed[index] if index < len(listed) else str(index)


def words_of(phrase: Phrase, language: str) -> str:
    """A phrase in a language."""
    language = catalogue_language(language)
    templates = _TEMPLATES[language]
    if phrase.key == "ordinal":
        comma = "，" if language == "zh" else ", "
        return _listed(_ORDINALS[language], phrase.counts[0] - 1) + comma
    if phrase.key == "number":
        return templates["number"].replace("{word}", _listed(_NUMBERS[language], phrase.counts[0]))

    def counted(match: re.Match[str]) -> str:
        count = phrase.counts[int(match[1])]
        form = _NOUNS[language][match[2]][plural_category(language, count)]
        return form.replace("{n}", str(count))

    return _COUNT.sub(counted, templates[phrase.key]).replace("{word}", phrase.word)
