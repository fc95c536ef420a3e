"""Values that a word before them calls a secret: `password=…`, `"token": "…"`, `--api-key …`.

A label counts as it ends: `spring.datasource.password`, `DB_PASS`, `accessKeySecret`; `max_tokens`
and `token_type` are no secrets. Nor are the words of a message about one (`password: incorrect`,
`using password: YES`), small numbers (`token=42`), and what is blanked or a variable already.
"""

import re
from collections.abc import Iterator

from tools.masking.marks import MARK, Kind, Mark
from tools.masking.values import QUOTE, Span, value_at

_STEM = (
    r"(?:(?P<password>password|passwd|passphrase|passcode|pass|pwd|requirepass|masterauth|密码|口令)"
    r"|(?P<token>secret|token|credential|otp|cvv2?|cvc2?|sig|signature|sessid|sessionid|cookie"
    r"|key(?:[_-]?(?:id|secret))?|令牌|密钥|验证码))"
)
_SUFFIX = (
    r"(?:[_-]?(?:hash|value|base64|b64|encrypted|plain|plaintext|raw|text|old|new|confirm))?"
    r"\d{0,2}s?"
)
_SEPARATOR = r"(?:={1,3}>?|!=|<>|:=|:|：|＝|%3d|%3a|是|为)"
_HEAD = re.compile(
    rf"{_STEM}{_SUFFIX}(?:"
    rf"(?P<closed>{QUOTE})?\]?[ \t]{{0,4}}(?P<separator>{_SEPARATOR})"
    r"(?P<blank>[ \t]|\\{1,4}t|%20){0,8}"
    rf"|{QUOTE}?\s{{0,4}},?\s{{0,8}}{QUOTE}?value{QUOTE}?\s{{0,4}}[:=]\s{{0,4}}"
    rf"|(?P<words>(?:[ ]{{1,2}}(?:like|in|by)?[ ]{{0,4}}|(?=\())(?:\([ ]{{0,4}})?)(?={QUOTE})"
    r"|(?P<element>>))"
)
# a plain search for these is quick, and most texts hold none
_PARTS_OF_STEMS = (
    *(
        "pass",
        "pwd",
        "secret",
        "token",
        "key",
        "credential",
        "otp",
        "cv",
        "sig",
        "sessid",
        "sessionid",
    ),
    *("masterauth", "cookie", "密", "口令", "令牌", "验证码"),
)
_WHOSE_KEY = re.compile(
    r"(?:api|access|secret|private|shared|account|auth|encrypt(?:ion)?|signing|master|app|storage"
    r"|subscription|service|license|ssh|client|deploy|webhook|session)[ _-]?\Z"
)
_WHOSE_SESSION = re.compile(r"(?:j|php|asp(?:\.net_)?)\Z")
_IN_MARK = re.compile(r"‹[a-z-]{0,11}\Z")
_ELEMENT = re.compile(r"<[\w:.-]{0,40}\Z")
_YAML_LABEL = re.compile(r"(?:\A|[\n\"'`]|\\n)[ \t]{0,40}(?:- )?[\"']?[\w.-]{0,60}\Z")
_BLOCK = re.compile(r"[|>][+-]?\d?\n((?:[ \t]+[^\s][^\n]*(?:\n|\Z))+)")
_OPTION = re.compile(
    r"(?:-(?<![^\s\"'\[].)-?[a-z-]{0,40}?(?:password|passwd|token|secret|key)[\"']?,?[ ]"
    r"|identified (?:with [a-z_0-9]{1,40} )?by |requirepass |masterauth |sshpass -p ?"
    r"|-(?<![^\s\"'\[].)(?:u|-user)[ =][\"']?[^\s:\"']{1,80}:)"
)
_PARTS_OF_OPTIONS = (
    " -",
    '"-',
    "'-",
    "\n-",
    "[-",
    "\t-",
    "DENTIFIED",
    "dentified",
    "pass",
    "masterauth",
)
_SAID = frozenset(
    word
    for line in (
        "true false yes no on off null none nil undefined unknown empty missing required optional",
        "is was are be has not must should cannot invalid incorrect wrong expired mismatch failed",
        "failure error denied rejected revoked accepted valid verified ok set unset changed reset",
        "updated created deleted rotated refreshed received sent found unexpected expected",
        "redacted masked hidden secret filtered removed string str text type bearer basic digest",
        "md5 bcrypt scram-sha-256 sha256 the a an for in of and or to with from by at select",
        "错误 正确 过期 失效 无效 为空 缺失",
    )
    for word in line.split()
)
_BLANKED = re.compile(
    r"[*xX#.•?-]+\Z|\[[A-Za-z_ .-]*\]\Z|<[A-Za-z_ .-]*>?\Z|\([A-Za-z_ .-]*\)\Z"
    r"|\$?\{{1,2}[A-Za-z_ .-]*(?:\}|\Z)|\$(?:[A-Z_]+|\d)\Z|%(?:s|\([a-z_]*\)s)\Z|:[a-z_]{1,40}\Z"
)
_MASKED = re.compile(rf"(?:[\w.-]{{1,200}}=)?{MARK.pattern}")
_CALL = re.compile(r"[A-Za-z_][\w.]*\(")
_COUNT = re.compile(r"\d{1,5}\Z")
_NESTED = re.compile(r"\{(?![a-z0-9-]{1,20}\})")
_COUNTED = frozenset({"token", "secret", "credential", "pass"})
_LONG_ONLY = frozenset({"sig", "signature"})
_LONG = 16


def mask_labels(text: str, mark: Mark) -> str:
    """Every labelled value masked, its label kept."""
    lowered = _lowered(text)
    if any(part in lowered for part in _PARTS_OF_STEMS):
        text = _replaced(text, _labelled(lowered, text), mark)
    if text[:1] == "-" or any(part in lowered for part in _PARTS_OF_OPTIONS):
        text = _replaced(text, _given_as_options(_lowered(text), text), mark)
    return text


def kind_of_label(name: str) -> Kind | None:
    """What a field or column of this name holds, when that is a secret."""
    for head in _HEAD.finditer(f"{_lowered(name)}="):
        if _is_whole(head, name):
            return _kind(head)
    return None


def is_no_secret(value: str) -> bool:
    """Whether a labelled value is blank, a mark, a variable, or a word about the secret."""
    word = value.strip().rstrip(".:!").lower()
    return (
        word in _SAID
        or not word
        or _MASKED.fullmatch(value.strip()) is not None
        or _BLANKED.match(value) is not None
        or _CALL.match(value) is not None
    )


def _replaced(text: str, found: Iterator[tuple[Kind, Span]], mark: Mark) -> str:
    parts: list[str] = []
    at = 0
    for kind, span in found:
        if span.start >= at:
            parts += [text[at : span.start], mark(kind, text[span.start : span.end])]
            at = span.end
    return "".join([*parts, text[at:]])


def _labelled(lowered: str, text: str) -> Iterator[tuple[Kind, Span]]:
    """In the order of the text; a label inside the value before it is part of that value."""
    done = 0
    for head in _HEAD.finditer(lowered):
        if head.start() < done or not _is_whole(head, text):
            continue
        block = _BLOCK.match(text, head.end())
        if block is not None:
            span = Span(block.start(1), block.end(1), quoted=True)
        elif _NESTED.match(text, head.end()):
            continue
        else:
            span = _value(text, head)
        if _is_secret(text[span.start : span.end], head, prose=_in_prose(lowered, head, span)):
            done = span.end
            yield _kind(head), span


def _given_as_options(lowered: str, text: str) -> Iterator[tuple[Kind, Span]]:
    for option in _OPTION.finditer(lowered):
        span = value_at(text, option.end())
        value = text[span.start : span.end]
        option_follows = value.startswith("-") and not span.quoted
        if not option_follows and not is_no_secret(value):
            yield Kind.PASSWORD, span


def _kind(head: re.Match[str]) -> Kind:
    return Kind.PASSWORD if head["password"] else Kind.TOKEN


def _value(text: str, head: re.Match[str]) -> Span:
    at = head.end()
    if head["words"] is not None and head["words"].endswith("("):
        at -= 1
    if head["element"] is None:
        return value_at(text, at)
    end = text.find("<", at)
    return Span(at, end if end >= 0 else len(text), quoted=True)


def _is_whole(head: re.Match[str], text: str) -> bool:
    """Whether the label is one by what stands before it: `bypass` and `primary_key` are none."""
    stem, start = head["password"] or head["token"], head.start()
    before = head.string[max(0, start - 44) : start]
    if _IN_MARK.search(before):
        return False
    if head["element"] is not None and not _ELEMENT.search(before):
        return False
    if head["words"] is not None and not head["password"]:
        return False
    if stem.startswith("key"):
        return _WHOSE_KEY.search(before) is not None
    if stem in ("sessid", "sessionid"):
        return _WHOSE_SESSION.search(before) is not None
    if len(stem) > len("cvv2") or not stem.isascii() or not before[-1:].isalpha():
        return True
    return text[start : start + 1].isupper() and text[start - 1 : start].islower()


def _in_prose(lowered: str, head: re.Match[str], span: Span) -> bool:
    """Whether `label: word` may be part of a sentence: bare, and not a whole line of YAML."""
    if head["separator"] not in (":", "：") or head["closed"] or span.quoted or not head["blank"]:
        return False
    before = lowered[max(0, head.start() - 64) : head.start()]
    rest = lowered[span.end : span.end + 3].lstrip(" \t")
    return not (_YAML_LABEL.search(before) and rest[:1] in ("", "\n", "\r", "#", "\\", '"'))


def _is_secret(value: str, head: re.Match[str], *, prose: bool) -> bool:
    stem = head["password"] or head["token"]
    if is_no_secret(value) or (stem in _COUNTED and _COUNT.match(value)):
        return False
    if stem in _LONG_ONLY:
        return len(value) >= _LONG
    return not prose or head["password"] is not None or _is_opaque(value)


def _is_opaque(value: str) -> bool:
    return len(value) >= _LONG or any(map(str.isdigit, value))


def _lowered(text: str) -> str:
    """In small letters, every letter where it was: one of Turkish would become two."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.replace("İ", "I").lower()
