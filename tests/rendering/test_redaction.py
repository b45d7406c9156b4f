"""Secrets are never spoken, and what is no secret is. Tokens are built here, none is real."""

import pytest

from vivavoce.rendering import redact, render

BODY = "EXAMPLEexample0123456789EXAMPLEexample0123456789"
HEX = "0123456789abcdef" * 4
TOKENS = {
    "openai": "sk-" + BODY,
    "openai project": "sk-" + "proj-" + BODY,
    "anthropic": "sk-" + "ant-api03-" + BODY,
    "github": "gh" + "p_" + BODY,
    "github oauth": "gh" + "o_" + BODY,
    "github app": "gh" + "s_" + BODY,
    "github fine-grained": "github" + "_pat_" + BODY,
    "gitlab": "gl" + "pat-" + BODY[:20],
    "aws": "AK" + "IA" + "EXAMPLE012345678",
    "aws session": "AS" + "IA" + "EXAMPLE012345678",
    "slack": "xo" + "xb-" + "000000000000-" + BODY,
    "google": "AI" + "za" + BODY[:35],
    "stripe": "sk_" + "live_" + BODY[:24],
    "npm": "np" + "m_" + BODY[:36],
    "pypi": "py" + "pi-" + BODY,
    "hugging face": "h" + "f_" + BODY[:34],
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxIn0." + "c2lnbmF0dXJl",
    "vault": "hv" + "s." + BODY,
    "digital ocean": "dop" + "_v1_" + HEX,
    "telegram": "123456789:" + "AA" + BODY[:33],
    "sendgrid": "S" + "G." + BODY[:22] + "." + BODY[:43],
}


def say(markdown: str, **options) -> str:
    return " ".join(s.text for s in render(markdown, **options).segments)


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize(
    "frame", ["It is {} now.", "`{}` works", "**{}**", "x={}", "({})", "「{}」"]
)
def test_a_token_of_a_known_shape_is_not_spoken(name, frame):
    said = say(frame.format(TOKENS[name]), language="en")
    assert "a secret I won't read" in said
    assert not any(part in said for part in (TOKENS[name][:12], "EXAMPLE", "0123456", "JhbG"))


@pytest.mark.parametrize(
    ("markdown", "hidden"),
    [
        ("Authorization: Bearer abc.DEF-123456", "DEF"),
        ("Authorization: Basic dXNlcjpwYXNz", "dXNl"),
        ("curl -H 'Authorization: token abcdef123456'", "abcdef"),
        ("Cookie: session=abcdef0123; theme=dark", "abcdef"),
        ("API_KEY=quietharbor55", "quiet"),
        ("export DB_PASSWORD='correct horse'", "correct"),
        ('{"client_secret": "q8RtZ-0199-xy"}', "q8Rt"),
        ("Run it with --password hunter2x now", "hunter2x"),
        ("The password is `Tr0ub4dor&3` now", "Tr0ub"),
        ("**Password:** Tr0ub4dor&3", "Tr0ub"),
        ("Your PIN is 4711-22", "4711"),
        ("Das Passwort ist Kirsch!baum77.", "Kirsch"),
        ("Der Bestätigungscode lautet 123 456.", "123"),
        ("您的验证码是 123456。", "123456"),
        ("At ftp://me:pa55@ftp.example.com/x", "pa55"),
        ("s**k**" + "-proj-" + BODY, "EXAMPLE"),
    ],
)
def test_a_value_that_is_a_secret_by_its_place_is_not_spoken(markdown, hidden):
    assert hidden not in say(markdown)


def test_a_private_key_is_hidden_to_its_end_or_to_the_end_of_the_text():
    key = "-----BEGIN " + "PRIVATE KEY-----\nMIIEabc\nxyz0\n-----END " + "PRIVATE KEY-----"
    assert say(f"Here: {key} done") == "Here: a secret I won't read done"
    assert "MIIE" not in say("Here: " + key[:40])


@pytest.mark.parametrize(
    "text",
    [
        "The bearer of bad news is here.",
        "Use the bearer role for basic authentication.",
        "The password field is required.",
        "The password is wrong, and the token is expired.",
        "A secret: keep it simple.",
        "max_tokens=4096 and token_count: 12",
        "The password is 12-character long.",
        "Version 1.2.3 of the API key page.",
        "Set API_KEY=$MY_KEY first.",
        "The exit code is 137.",
        "GPIO pin is 13 here.",
        "The task-runner-with-a-long-name and risk-averse-people-2024 stay.",
        "At https://a.example:8080/@me it is.",
        "The tokenizer splits words.",
    ],
)
def test_what_only_talks_about_secrets_is_spoken(text):
    assert "won't read" not in say(text)
    assert redact(text) == text


@pytest.mark.parametrize(
    ("language", "phrase"),
    [
        ("en", "a secret I won't read"),
        ("de", "ein Geheimnis, das ich nicht vorlese"),
        ("zh", "一个我不会念出来的秘密"),
        ("fr", "a secret I won't read"),
    ],
)
def test_a_secret_is_named_in_the_language_of_its_sentence(language, phrase):
    assert phrase in say(TOKENS["github"], language=language)


def test_redacting_twice_changes_nothing():
    once = redact("key " + TOKENS["github"] + " and password is Tr0ub4dor&3")
    assert redact(once) == once
