"""Passwords in addresses and connection strings, and e-mail addresses."""

import re
from urllib.parse import unquote

from tools.masking.marks import Kind, Mark, is_mark

_USER = r"[^\s/:@?#\"'<>\\‹]{0,256}"
_URL = re.compile(rf"(://{_USER}:)([^\s\"'<>`]{{1,512}})")
_PORT = re.compile(r"\d{1,5}(?:[/?#,;)\]}]|\Z)")
_TOKEN_USER = re.compile(r"(://)([A-Za-z0-9_.~%-]{20,256})@")
_ENCODED_URL = re.compile(
    r"(%3A%2F%2F[A-Za-z0-9_.-]{0,256}%3A)([A-Za-z0-9_.~%+-]{1,256}?)(?=%40)", re.IGNORECASE
)
_ORACLE = re.compile(r"(:thin:[^\s/@\"']{1,128}/)([^\s@\"']{1,256})(?=@)", re.IGNORECASE)
# user:password@tcp(host:3306)/ of Go drivers, user:password@host:5432 of everybody
_BARE_DSN = re.compile(
    r"(?<![A-Za-z0-9_./:@‹-])([A-Za-z_][\w.-]{0,63}:)([^\s:@/\"'<>()]{1,128})"
    r"@(?=(?:tcp|udp|unix)?\(|(?!sha\d)[A-Za-z0-9.-]{1,128}(?::\d{2,5}\b|/\w))"
)
_AT = re.compile(r"@|%40|\\{1,4}u0040")
_LOCAL = re.compile(
    r"(?:(?<![A-Za-z0-9._+@-])|(?<=\\[nrt])|(?<=%[23][0-9A-Da-d]))[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}\Z"
)
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}([A-Za-z]{2,24})(?![A-Za-z0-9-]|\.[A-Za-z0-9])"
)
_LONGEST_LOCAL = 64
_VERSION = re.compile(r"\d+\.\d+\.")
# units of systemd (getty@tty1.service) and files (icon@2x.png) are no addresses
_NO_DOMAIN = frozenset(
    (
        *("service", "socket", "timer", "mount", "target", "slice", "scope", "path", "device"),
        *("png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "ts", "json", "yaml", "yml"),
        *("log", "py", "java", "go", "jar"),
    )
)


def mask_addresses(text: str, mark: Mark) -> str:
    """The password alone; user, host and the rest of the address stay."""

    def second(match: re.Match[str]) -> str:
        if is_mark(match[2]):
            return match[0]
        tail = match[0][match.end(2) - match.start() :]
        return match[1] + mark(Kind.PASSWORD, unquote(match[2])) + tail

    if "://" in text:
        text = _URL.sub(lambda match: _url(match, mark), text)
        text = _TOKEN_USER.sub(second, text)
    if "@" in text:
        text = _BARE_DSN.sub(second, _ORACLE.sub(second, text))
    return _ENCODED_URL.sub(second, text) if "%" in text else text


def mask_emails(text: str, mark: Mark) -> str:
    """Whole addresses, but for the `git@` of repositories."""
    if not any(sign in text for sign in ("@", "%40", "u0040")):
        return text
    parts: list[str] = []
    done = 0
    for sign in _AT.finditer(text):
        domain = _DOMAIN.match(text, sign.end())
        if domain is None:
            continue
        local = _LOCAL.search(text, max(done, sign.start() - _LONGEST_LOCAL), sign.start())
        if local and _is_email(local[0], domain):
            address = f"{local[0]}@{domain[0]}".lower()
            parts += [text[done : local.start()], mark(Kind.EMAIL, address)]
            done = domain.end()
    return "".join([*parts, text[done:]])


def _url(match: re.Match[str], mark: Mark) -> str:
    """Up to the last `@` before the path; a password with a slash in it reaches further. Where a
    cut took the `@` away, what is no port was a password."""
    rest = match[2]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    at = authority.rfind("@")
    if at < 0:
        if _PORT.match(rest):
            return match[0]
        at = rest.find("@")
    if at < 0:
        after = match.string[match.end() : match.end() + 2].lstrip(" ")
        cut = rest.endswith("…") or after.startswith("…") or match.end() == len(match.string)
        if not cut or authority != rest:
            return match[0]
        at = len(rest.rstrip("…"))
    password = rest[:at]
    if not password or is_mark(password):
        return match[0]
    return match[1] + mark(Kind.PASSWORD, unquote(password)) + rest[at:]


def _is_email(local: str, domain: re.Match[str]) -> bool:
    if domain[0].count(".") == 1 and domain[1].lower() in _NO_DOMAIN:
        return False
    return local != "git" and not _VERSION.match(domain[0])
