"""The catalogue of what a secret looks like. Data: a new kind of token is a new row.

The measure is the rule sets of gitleaks and detect-secrets. The group `secret` of a pattern is what
is not read; without that group it is the whole match. Every repetition is bounded, or starts at a
literal, so that no input makes the search slow.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from re import Match, Pattern
from typing import Final


@dataclass(frozen=True, slots=True)
class Shape:
    """What one kind of secret looks like."""

    name: str
    hints: tuple[str, ...]
    """Lower-case words of which one must stand in the text; a cheap look before the search."""
    expression: str
    flags: int = 0
    drop: bool = False
    """Whether the secret is left out silently, as a password inside an address is."""

    def found_in(self, text: str) -> Iterator[Match[str]]:
        """Every place in a text that has this shape."""
        return _compiled(self.expression, self.flags).finditer(text)


@cache
def _compiled(expression: str, flags: int) -> Pattern[str]:
    # Compiled on first use: most texts hint at few shapes, and the import stays cheap.
    return re.compile(expression, flags)


def _shape(name: str, hints: str, pattern: str, flags: int = 0, *, drop: bool = False) -> Shape:
    return Shape(name, tuple(hints.split()), pattern, flags, drop)


def _tokens(name: str, prefixes: str, alphabet: str, least: int) -> Shape:
    """Tokens that start with one of some prefixes."""
    either = "|".join(re.escape(prefix) for prefix in prefixes.split())
    hints = tuple(prefix.lower() for prefix in prefixes.split())
    pattern = rf"(?<![A-Za-z0-9])(?:{either})[{alphabet}]{{{least},}}"
    return Shape(name, hints, pattern)


_WORD = r"A-Za-z0-9_\-"

_SECRET_NAMES = (
    r"secret|passw(?:or)?d|passphrase|pwd|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|auth[_-]?key|account[_-]?key|encryption[_-]?key|signing[_-]?key|credentials?"
)
_NAME_HINTS = "secret passw passphrase pwd token key credential"

_VALUE = r"""(?P<secret>(?!\[redacted)[^\s"'`<>,;，。；]{4,}|(?<=["'`])[^"'`\n]{4,200}(?=["'`]))"""

TOKENS: Final[tuple[Shape, ...]] = (
    _shape(
        "private key",
        "-----begin",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----END)[\s\S])*(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    _shape(
        "model provider", "sk-", rf"(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]{{0,40}}\d)[{_WORD}]{{16,}}"
    ),
    _tokens("github", "ghp_ gho_ ghu_ ghs_ ghr_", "A-Za-z0-9", 16),
    _tokens("github fine-grained", "github_pat_", r"\w", 20),
    _tokens("gitlab", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent-", _WORD, 16),
    _shape(
        "aws", "akia asia abia acca", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?!\w)"
    ),
    _tokens("slack", "xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xoxo- xapp- xoxe.", r"A-Za-z0-9.\-", 10),
    _shape(
        "slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?P<secret>services/[\w/+-]{8,})"
    ),
    _tokens("google", "AIza", _WORD, 30),
    _tokens("google oauth", "ya29. GOCSPX-", _WORD, 20),
    _tokens("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ whsec_", r"A-Za-z0-9+/=", 10),
    _tokens("npm", "npm_", "A-Za-z0-9", 30),
    _tokens("pypi", "pypi-", _WORD, 30),
    _tokens("hugging face", "hf_ api_org_", "A-Za-z0-9", 30),
    _tokens("sendgrid", "SG.", r"A-Za-z0-9_.\-", 40),
    _tokens("digital ocean", "dop_v1_ doo_v1_ dor_v1_", "a-f0-9", 40),
    _tokens("shopify", "shpat_ shpca_ shppa_ shpss_", "A-Fa-f0-9", 30),
    _tokens("vault", "hvs. hvb.", _WORD, 20),
    _tokens("linear, notion, figma", "lin_api_ ntn_ secret_ figd_", _WORD, 30),
    _tokens("groq, xai, perplexity, replicate", "gsk_ xai- pplx- r8_", "A-Za-z0-9", 30),
    _tokens("databricks", "dapi", "a-f0-9", 32),
    _tokens("docker", "dckr_pat_ dckr_oat_", _WORD, 20),
    _tokens("grafana", "glsa_ glc_", r"A-Za-z0-9_+/=", 30),
    _tokens("atlassian", "ATATT3 ATCTT3", r"A-Za-z0-9_=\-", 30),
    _tokens("rubygems", "rubygems_", "a-f0-9", 40),
    _tokens("postman", "PMAK-", "A-Fa-f0-9-", 40),
    _tokens("tailscale", "tskey-", _WORD, 16),
    _tokens("age", "AGE-SECRET-KEY-1", "A-Z0-9", 40),
    _tokens("doppler", "dp.pt. dp.st.", r"A-Za-z0-9._\-", 30),
    _tokens("sentry", "sntrys_ sntryu_", r"A-Za-z0-9_+/=", 30),
    _shape("twilio", "sk", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?!\w)"),
    _shape("telegram", ":aa", r"(?<!\d)\d{8,10}:AA[\w-]{30,}"),
    _shape(
        "json web token",
        "eyj",
        r"(?<![A-Za-z0-9])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*){0,3}",
    ),
)

HEADERS: Final[tuple[Shape, ...]] = (
    _shape(
        "authorization",
        "authorization",
        r"\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?:(?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256)\s{1,3}"
        r"(?P<secret>[^\s\"'`<>,;]{4,})"
        r"|(?P<secret2>(?=[^\s\"'`]{0,80}\d)[^\s\"'`<>,;]{8,}))",
        re.IGNORECASE,
    ),
    _shape(
        "bearer",
        "bearer basic",
        r"\b(?:bearer|basic)\s{1,3}(?P<secret>(?=[A-Za-z._~+/=-]{0,80}\d)[A-Za-z0-9._~+/=-]{16,})",
        re.IGNORECASE,
    ),
    _shape(
        "cookie",
        "cookie",
        r"\b(?:set-)?cookie:\s{0,3}(?P<secret>[\w.-]{1,80}=[^\s\"'`]{4,}(?:;[^\n\"'`]{0,2000})?)",
        re.IGNORECASE,
    ),
)

ADDRESSES: Final[tuple[Shape, ...]] = (
    # The last @ before the host ends the user's part: a password may hold @ and /.
    # Digits after the colon and then a slash are a port, not a password.
    _shape(
        "password in an address",
        "://",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}://"
        r"(?P<secret>[^\s/?#@:]{0,200}:(?!\d{1,5}(?:[/?#\s]|$))[^\s]{0,400}@)",
        drop=True,
    ),
)

ASSIGNMENTS: Final[tuple[Shape, ...]] = (
    _shape(
        "assignment",
        _NAME_HINTS,
        rf"(?P<name>(?:{_SECRET_NAMES})(?:[_-]?\w{{1,40}})?)"
        rf"[\"'`]?\s{{0,3}}(?P<sign>:=|=>|[=:：])\s{{0,3}}[\"'`]?{_VALUE}",
        re.IGNORECASE,
    ),
    _shape(
        "option",
        "--pass --token --secret --api",
        rf"--(?P<name>(?:[\w-]{{0,30}}-)?(?:{_SECRET_NAMES}))\s{{1,3}}[\"'`]?{_VALUE}",
        re.IGNORECASE,
    ),
)

PROSE: Final[tuple[Shape, ...]] = (
    _shape(
        "password in English",
        "password passcode passphrase",
        r"\b(?P<name>password|passcode|passphrase)\b[\"'`*_]{0,3}\s{0,3}"
        r"(?:(?:is now|is|was|will be|set to|=)\s{1,3}|[:：]\s{0,3})[\"'`*_“]{0,3}"
        r"(?P<secret>[^\s\"'`“”]{4,})",
        re.IGNORECASE,
    ),
    _shape(
        "code in English",
        "code pin otp",
        r"\b(?:(?:verification|confirmation|security|one-time|login|sign-in|2fa|mfa|auth"
        r"|authentication|access|recovery|backup|unlock|pin)\s{1,3}code|otp|pin)\b"
        r"[\"'`*_]{0,3}\s{0,3}(?:(?:is now|is|was)\s{1,3}|[:：=]\s{0,3})[\"'`*_“]{0,3}"
        r"(?P<secret>\d(?:[ -]?\d){3,11}"
        r"|(?=[A-Z0-9-]{0,24}\d)[A-Z0-9]{3,6}(?:-[A-Z0-9]{3,6}){1,4})",
        re.IGNORECASE,
    ),
    _shape(
        "password in German",
        "passwort kennwort passphrase",
        r"(?P<name>passwort|kennwort|passphrase)\b[\"'`*_]{0,3}\s{0,3}"
        r"(?:(?:lautet|ist|war|heißt)\s{1,3}|[:：=]\s{0,3})[\"'`*_„“]{0,3}"
        r"(?P<secret>[^\s\"'`„“”]{4,})",
        re.IGNORECASE,
    ),
    _shape(
        "code in German",
        "code pin tan",
        r"\b(?:(?:bestätigungs|sicherheits|verifizierungs|zugangs|einmal|anmelde|freischalt)-?code"
        r"|pin|tan)\b[\"'`*_]{0,3}\s{0,3}(?:(?:lautet|ist|war)\s{1,3}|[:：=]\s{0,3})[\"'`*_„]{0,3}"
        r"(?P<secret>\d(?:[ -]?\d){3,11})",
        re.IGNORECASE,
    ),
    _shape(
        "password in Chinese",
        "密码 口令 密碼",
        r"(?P<name>密码|口令|密碼)[\"'`*_]{0,3}\s{0,3}(?:是|为|為|：|:|=)\s{0,3}[\"'`*_“]{0,3}"
        r"(?P<secret>[!-~]{4,})",
    ),
    _shape(
        "code in Chinese",
        "验证码 驗證碼 校验码 动态码 pin码",
        r"(?:验证码|驗證碼|校验码|动态码|PIN码)\s{0,3}(?:是|为|為|：|:|=)\s{0,3}[\"'`*_“]{0,3}"
        r"(?P<secret>[A-Z0-9](?:[ -]?[A-Z0-9]){3,11})",
        re.IGNORECASE,
    ),
)
