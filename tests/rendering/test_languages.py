import pytest

from vivavoce.rendering import render
from vivavoce.rendering.languages import detect


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("en", "The tests pass now."),
        ("de", "Alle Tests laufen durch."),
        ("de", "Ich habe die Prüfung übersprungen."),
        ("de", "Guten Morgen, wie geht es Ihnen heute?"),
        ("de", "Alle Tests bestanden."),
        ("de", "Die Datei foo.py fehlt."),
        ("fr", "Bonjour, les tests passent."),
        ("fr", "Les tests passent et la construction est terminée."),
        ("es", "Los cambios están en la rama y las pruebas pasan."),
        ("zh", "请运行 npm install 然后重启服务。"),
        ("zh", "部署完成"),
        ("ja", "テストはすべて成功しました。"),
        ("ko", "모든 테스트가 통과했습니다."),
        ("ru", "Все тесты прошли."),
        ("uk", "Усі тести пройшли, її виправлено."),
        ("ar", "نجحت جميع الاختبارات."),
        ("he", "כל הבדיקות עברו."),
        ("el", "Όλες οι δοκιμές πέρασαν."),
        ("th", "การทดสอบทั้งหมดผ่าน"),
        ("hi", "सभी परीक्षण सफल रहे।"),
    ],
)
def test_a_text_shows_its_language(tag, text):
    assert detect(text) == tag


@pytest.mark.parametrize(
    "text",
    [
        "OK",
        "CPU",
        "Die",
        "und",
        "über",
        "get_user_id",
        "Über is not a German company.",
        "The word und means and.",
        "The label 確認 is wrong here.",
        "naïve café",
        "Call Müller about the die cast.",
        "la la land",
    ],
)
def test_english_never_flips_because_of_one_word(text):
    assert detect(text) == "en"


@pytest.mark.parametrize(("fallback", "text"), [("de", "OK."), ("de", "CPU: 12"), ("fr", "Fini.")])
def test_a_text_without_evidence_is_in_the_language_around_it(fallback, text):
    assert detect(text, fallback) == fallback


def test_a_german_reply_stays_german_in_its_short_pieces():
    reply = "# Ergebnis\n\nAlle Tests laufen durch und der Build ist grün.\n\n- CPU\n- Speicher"
    assert [s.language for s in render(reply).segments] == ["de"] * 4


def test_an_english_reply_speaks_of_its_code_in_english():
    reply = "Das\n\nThe fix is in, and these are the tests:\n\n```\nund\n```"
    assert [s.language for s in render(reply).segments] == ["en"] * 3


def test_code_does_not_tell_the_language():
    assert render("Use `der die das und` here.").segments[0].language == "en"


def test_a_language_that_the_caller_is_sure_of_is_taken():
    assert {s.language for s in render("Done. 好。", language="de").segments} == {"de"}


def test_a_chinese_paragraph_in_an_english_reply_has_its_own_tag():
    reply = "The user wrote this, and it is the title:\n\n部署完成，请检查。"
    assert [s.language for s in render(reply).segments] == ["en", "zh"]
