import json
from pathlib import Path

import pytest

from vivavoce.rendering.sentences import split

DATA = Path(__file__).parents[1] / "data"


def sentences(text: str, language: str = "en") -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in split(text, language)]


def right(language: str) -> tuple[int, int]:
    lines = (DATA / f"sentences_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    rules = [json.loads(line) for line in lines]
    hits = [
        sentences(rule["text"], language) == [" ".join(s.split()) for s in rule["sentences"]]
        for rule in rules
    ]
    return sum(hits), len(hits)


@pytest.mark.parametrize(
    ("language", "reached"), [("en", (47, 48)), ("de", (33, 35)), ("zh", (2, 2))]
)
def test_the_golden_rules_are_met_as_often_as_before(language, reached):
    assert right(language) == reached


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "It is 3.5 now. Done.", ["It is 3.5 now.", "Done."]),
        ("en", "Use 10.0.0.1 or v1.2.3. Then stop.", ["Use 10.0.0.1 or v1.2.3.", "Then stop."]),
        ("en", "See main.py. Then run it.", ["See main.py.", "Then run it."]),
        ("en", "It took 97.4 ms. Tests follow.", ["It took 97.4 ms.", "Tests follow."]),
        ("en", "Ms. Lee said no. We stop.", ["Ms. Lee said no.", "We stop."]),
        ("en", "No. 5 is alive. Go.", ["No. 5 is alive.", "Go."]),
        ("en", "Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("de", "Das kostet 36,4 Euro. Gut.", ["Das kostet 36,4 Euro.", "Gut."]),
        ("de", "Nimm z. B. Tee, d. h. Heißes.", ["Nimm z. B. Tee, d. h. Heißes."]),
        ("de", "Es waren 12. Dann kam er.", ["Es waren 12.", "Dann kam er."]),
        ("de", "Am 3. Oktober. Ja.", ["Am 3. Oktober.", "Ja."]),
        ("zh", "好。不！吗？是3.5秒", ["好。", "不！", "吗？", "是3.5秒"]),
        ("zh", "他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("en", "", []),
    ],
)
def test_only_a_real_end_ends_a_sentence(language, text, expected):
    assert sentences(text, language) == expected
