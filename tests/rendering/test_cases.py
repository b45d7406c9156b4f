"""The text cases from public reports. All tokens in the cases' file are fake."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from vivavoce.rendering import redact, render
from vivavoce.vocabulary.speech import OmittedKind

CASES = Path(__file__).parents[1] / "cases" / "open.jsonl"
FLAGS = re.IGNORECASE | re.DOTALL | re.UNICODE
COUNTED = {"code_blocks": OmittedKind.CODE, "tables": OmittedKind.TABLE}

NOT_YET: frozenset[str] = frozenset()
"""Cases that fail, by name. One that passes has to be taken out of here."""


@dataclass(frozen=True)
class Case:
    name: str
    given: dict
    expected: dict
    options: dict


def cases():
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        given, expected = case["input"], case["expected"]
        for variant in given.get("variants", [given]):
            name = f"{case['id']}-{variant['name']}" if "variants" in given else case["id"]
            wanted = expected["variants"][variant["name"]] if "variants" in given else expected
            yield Case(name, {**given, **variant}, wanted, given.get("options", {}))


def spoken(case: Case) -> str:
    """What is said. A stream's chunks are joined here: the whole text is what must be safe."""
    if case.given["type"] == "error_path":
        return redact(case.given["backend_error"]["body"])
    markdown = case.given.get("markdown") or "".join(case.given.get("chunks", []))
    segments = render(markdown, language=case.options.get("lang", "")).segments
    return " ".join(s.text for s in segments[: case.options.get("max_sentences")])


def faults(case: Case) -> list[str]:
    text, wanted = spoken(case), case.expected
    faults = [f"lacks {p}" for p in wanted.get("must_match", []) if not re.search(p, text, FLAGS)]
    faults += [f"has {p}" for p in wanted.get("must_not_match", []) if re.search(p, text, FLAGS)]
    if text not in wanted.get("exact_any", [text]):
        faults.append(f"is {text!r}")
    omitted = render(case.given.get("markdown", "")).omitted
    for what, count in wanted.get("counts", {}).items():
        if sum(o.kind is COUNTED[what] for o in omitted) != count:
            faults.append(f"does not count {count} {what}")
    return faults


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.name)
def test_a_reported_case_is_spoken_as_people_expect(case):
    if case.name in NOT_YET:
        assert faults(case), f"{case.name} passes now: take it out of NOT_YET"
    else:
        assert not faults(case), spoken(case)


def test_every_case_that_is_not_met_yet_exists():
    assert {case.name for case in cases()} >= NOT_YET


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.name)
def test_the_checks_tell_good_examples_from_bad_ones(case):
    good, bad = case.expected.get("ok_example"), case.expected.get("bad_example")
    patterns = case.expected.get("must_match", []), case.expected.get("must_not_match", [])

    def passes(text: str) -> bool:
        return all(re.search(p, text, FLAGS) for p in patterns[0]) and not any(
            re.search(p, text, FLAGS) for p in patterns[1]
        )

    assert good is None or passes(good)
    assert bad is None or not passes(bad)
