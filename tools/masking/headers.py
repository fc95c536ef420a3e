"""Credentials of HTTP: `Authorization` in every scheme, bearer and basic tokens, cookies."""

import binascii
import re
from base64 import b64decode

from tools.masking.marks import Kind, Mark, is_mark
from tools.masking.values import QUOTE

_BLANK = r"(?:[ \t]|%20|\+)"
_SEPARATOR = rf"(?:{QUOTE})?\s{{0,3}}(?:[:=,]|%3[AaDd]|=>)\s{{0,3}}\[?(?:{QUOTE})?(?:%20)?"
_VALUE = r"[^\s\"'`\\,;<>&…%()\[\]{}|]|%(?!2[027C]|0[AD])"
_AUTHORIZATION = re.compile(
    rf"(?<![A-Za-z])(?:proxy-|x-)?authorization{_SEPARATOR}"
    rf"(?:(?P<scheme>[A-Za-z][A-Za-z0-9-]{{1,30}}){_BLANK}{{1,4}})?(?P<value>(?:{_VALUE})++)"
    r"(?P<more>(?:,\s{0,3}[A-Za-z][\w-]{0,30}=(?:\"[^\"\n]{0,2000}\"|[^\s,\"]{0,2000}))*+)",
    re.IGNORECASE,
)
_SCHEME = re.compile(
    rf"(?<![A-Za-z0-9_-])(?P<scheme>bearer|basic)(?P<blank>{_BLANK}{{1,4}})"
    r"(?P<value>(?:[A-Za-z0-9._~+/-]|%(?:2[BbFf]|3[Dd])){6,}+={0,3}+)(?![A-Za-z0-9=])",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    rf"(?<![A-Za-z])(?:set-|set_)?cookie{_SEPARATOR}"
    r"(?P<pairs>(?:[^\s=;,\"'`\\]{1,200}=[^\s;\"'`\\]*+;?[ ]{0,3}|[A-Za-z-]{1,20};[ ]{0,3})++)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"([^\s=;]{1,200})=([^\s;]+)")
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version"})
_SAID = re.compile(
    r"(?:[A-Za-z]{1,15}|[A-Za-z]{1,15}[_-](?:error|type|realm|required)[a-z]*)[.:]?\Z"
)
_LEAST_OPAQUE_CHARS = 20


def mask_headers(text: str, mark: Mark) -> str:
    """The value of every credential; schemes and the names of cookies stay."""
    lowered = text.lower()
    if "authorization" in lowered:
        text = _AUTHORIZATION.sub(lambda match: _authorization(match, mark), text)
    if "bearer" in lowered or "basic" in lowered:
        text = _SCHEME.sub(lambda match: _scheme(match, mark), text)
    if "cookie" in lowered:
        text = _COOKIES.sub(lambda match: _cookies(match, mark), text)
    return text


def _authorization(match: re.Match[str], mark: Mark) -> str:
    value = match["value"] + match["more"]
    if is_mark(value) or (match["scheme"] is None and _SAID.match(value)):
        return match[0]
    return match[0][: match.start("value") - match.start()] + mark(Kind.TOKEN, value)


def _scheme(match: re.Match[str], mark: Mark) -> str:
    """Outside a header only what is no word: `bearer token missing` stays."""
    value = match["value"]
    if match["scheme"].lower() == "basic":
        secret = _holds_credentials(value)
    else:
        digits = any(map(str.isdigit, value))
        secret = not is_mark(value) and (digits or len(value) >= _LEAST_OPAQUE_CHARS)
    return match["scheme"] + match["blank"] + mark(Kind.TOKEN, value) if secret else match[0]


def _holds_credentials(value: str) -> bool:
    """Whether it is `user:password` in base 64; a word of eight letters is base 64 as well."""
    try:
        return b":" in b64decode(value.replace("%3D", "=") + "==", validate=False)
    except (binascii.Error, ValueError):
        return False


def _cookies(match: re.Match[str], mark: Mark) -> str:
    def pair(found: re.Match[str]) -> str:
        if found[1].lower() in _ATTRIBUTES or is_mark(found[2]):
            return found[0]
        return f"{found[1]}={mark(Kind.TOKEN, found[2])}"

    return match[0][: match.start("pairs") - match.start()] + _PAIR.sub(pair, match["pairs"])
