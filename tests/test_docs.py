"""The docs say what the code does."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TERM = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.M)


def glossary() -> dict[str, str]:
    return dict(TERM.findall((DOCS / "glossary.md").read_text(encoding="utf-8")))


@pytest.fixture
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def elsewhere(generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pages are written in a test."""
    monkeypatch.setattr(generate, "REFERENCE", tmp_path / "reference")
    return tmp_path / "reference"


# -- generated pages


def test_the_generated_pages_are_fresh(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("COLUMNS", "200")  # whatever the terminal's width
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_every_page_in_the_folder_is_generated(generate: ModuleType):
    assert {path.name for path in (DOCS / "reference").iterdir()} == set(generate.PAGES)


def test_a_page_that_differs_is_told_in_one_line(
    generate: ModuleType, elsewhere: Path, capsys: pytest.CaptureFixture[str]
):
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (elsewhere / "settings.md").write_text("old")
    (elsewhere / "states.md").unlink()
    assert generate.main(["--check"]) == 1
    told = capsys.readouterr().err
    assert told == "docs/reference is not fresh: states.md, settings.md. Mend: ./dev docs\n"


@pytest.mark.usefixtures("elsewhere")
def test_an_argument_that_is_not_known_is_wrong_use(generate: ModuleType):
    assert generate.main(["--chekc"]) == 2


def test_diagrams_name_only_states_that_mermaid_can_read(generate: ModuleType):
    arrows = [line for line in generate.states() if "-->" in line]
    assert arrows
    for line in arrows:
        assert re.fullmatch(r" {4}(\[\*\]|\w+) --> (\[\*\]|\w+)( : [\w, -]+)?", line), line


# -- the glossary


def test_the_glossary_has_every_word_of_the_design():
    design = (DOCS / "design.md").read_text(encoding="utf-8")
    words = design.partition("## Words\n")[2].partition("\n## ")[0]
    plain = re.sub(r"\s*\([^)]*\)", "", words.partition("Voice, engine")[0])
    named = {word.strip().lower() for word in re.split(r",|\.| against ", plain.replace("\n", " "))}
    named |= {"voice", "engine", "provider", "model", "conch"}
    assert len(named) > 20
    assert named - {""} - {term.lower() for term in glossary()} == set()


def test_every_term_stands_once_with_a_sentence():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(glossary()) == len(lines)
    assert all(meaning.endswith(".") for meaning in glossary().values())


def test_terms_of_the_code_are_words_of_the_code():
    """What the glossary says of these is only true while they exist."""
    sources = (ROOT / "src" / "vivavoce").rglob("*.py")
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources).lower()
    terms = ["fence", "furthest", "stranded", "shortfall", "hint", "playhead", "omitted", "notice"]
    terms += ["journal", "manner", "withdrawn", "mend", "house format", "stand-in", "replay"]
    for term in terms:
        assert term.capitalize() in glossary(), term
        assert re.search(rf"\b{term}", code), term
