"""Numbers that name a person or an account: payment cards, Chinese identity and mobile numbers.

A number is taken for one by its form and its check digit (`python-stdnum`), and by the word before
it: an order id is no card, and a number of 15 digits is an identity number only where it is called
so, for it has no check digit.
"""

import re
from datetime import date

from tools.masking.marks import Kind, Mark

_ELEVEN_DIGITS = re.compile(r"\d(?:[ -]?\d){10}", re.ASCII)
"""No shorter number is looked for, but for telephones that are called so."""
# a pattern begins with what it consumes and looks back after it: the search then skips quickly
_CARD = re.compile(
    r"\d(?<![\w.].)(?<!\d[,/:-].)(?:\d{13,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?"
    r"|\d{3}([ -])\d{6}\2\d{4,5})(?!\w|[.,-]\d| \d)",
    re.ASCII,
)
_ISSUERS = re.compile(
    r"4(?:\d{15}|\d{18})\Z|(?:5[1-5]|2[2-7])\d{14}\Z|3[47]\d{13}\Z|3(?:0[0-5]|[689]\d)\d{11,16}\Z"
    r"|35\d{14}\Z|6(?:011|5\d\d|4[4-9]\d|2\d\d|0\d\d)\d{12,15}\Z|(?:5[06-8]|6[37])\d{14,17}\Z"
    r"|220[0-4]\d{12}\Z"
)
_IDENTITY = re.compile(
    r"[1-9](?<![A-Za-z0-9.].)\d{14}(?:\d\d[\dXx])?(?![A-Za-z0-9]|\.\d)", re.ASCII
)
_IDENTITY_NAMED = re.compile(
    r"(?:身份证\w{0,4}|证件号码?|id[_-]?card\w{0,7}|identity[_-]?(?:no|number|card)"
    r"|(?<![a-z])(?:id|cert(?:ificate)?)[_-]?(?:no|num|number))[\"'\s]{0,3}[:=：]?[\"'\s]{0,3}\Z",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r" ?(?:bytes?|[kKMGT]i?B|[mnuµ]s|rows|records|字节|毫秒|微秒|纳秒)(?![A-Za-z])"
)
"""What a number of eleven digits counts that is no telephone."""
_MOBILE = r"[3-9]\d(?:\d{8}|-?\d{4}-\d{4}| ?\d{4} \d{4}|[ -]\d{8})(?![A-Za-z0-9]|[.-]\d)"
_PHONE = re.compile(rf"1(?<![A-Za-z0-9.+].)(?<!\d[-,:/].){_MOBILE}", re.ASCII)
_PHONE_ABROAD = re.compile(
    rf"(?:\+86|%2[Bb]86|0(?<![A-Za-z0-9.].)086|8(?<![A-Za-z0-9.+].)(?<!\d[-,:/].)6|\(\+?86\))"
    rf"(?:[ -]|%20)?(1{_MOBILE})",
    re.ASCII,
)
_PHONE_ENCODED = re.compile(rf"%(?:3[AaDd]|20|22)(1{_MOBILE})", re.ASCII)
_PHONE_WORDS = ("手机", "电话", "mobile", "phone", "tel")
_PHONE_NAMED = re.compile(
    r"(?:手机\w{0,3}|电话\w{0,2}|mobile\w{0,6}|phone\w{0,6}|(?<![a-z])tel)[\"'\s]{0,3}[:=：]\s{0,3}"
    r"[\"']?(\+?\d(?:[ -]?\d){6,14})(?![\w]|[.:]\d)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:(?:order|trace|span|req(?:uest)?|tx|txn|trans(?:action)?|msg|message|event|seq(?:uence)?"
    r"|offset|batch|job|task|build|row|record|snowflake|correlation|version|ts|time\w{0,8})[_-]?"
    r"(?:id|no|num|number|key)?|订单编?号?|流水号|编号|序列号|版本号?)[\"'\s]{0,3}[:=：#\s]\s{0,3}[\"']?\Z",
    re.IGNORECASE,
)
_WORD_BEFORE = 40
_CUT = re.compile(
    r"\d(?<![\w.].)(?:\d{5,17}|\d{3}(?:[ -]\d{4}){0,3}[ -]\d{1,4})(?= ?…)"
    r"|(?<=… )(?:\d{6,18}|\d{1,4}(?:[ -]\d{4}){1,4}(?:[ -]\d{1,3})?)(?![\w.:-])",
    re.ASCII,
)
_PROVINCES = re.compile(r"1[1-5]|2[1-3]|3[1-7]|4[1-6]|50|5[1-4]|6[1-5]|71|8[1-3]")


def mask_numbers(text: str, mark: Mark) -> str:
    """Cards, identity numbers and mobile numbers, and what a cut may have left of one."""
    if _ELEVEN_DIGITS.search(text):
        text = _mask_long_numbers(text, mark)
    if any(word in text.lower() for word in _PHONE_WORDS):
        text = _PHONE_NAMED.sub(lambda match: _last_group(match, mark), text)
    return _CUT.sub(lambda match: mark(Kind.CUT, match[0]), text) if "…" in text else text


def _mask_long_numbers(text: str, mark: Mark) -> str:
    text = _IDENTITY.sub(lambda match: _identity(match, mark), text)
    text = _CARD.sub(lambda match: _card(match, mark), text)
    text = _PHONE_ABROAD.sub(lambda match: mark(Kind.PHONE, _digits(match[1])), text)
    text = _PHONE.sub(lambda match: _phone(match, mark), text)
    if "%" in text:
        text = _PHONE_ENCODED.sub(lambda match: _last_group(match, mark), text)
    return text


def _card(match: re.Match[str], mark: Mark) -> str:
    from stdnum import luhn

    digits = _digits(match[0])
    if not _ISSUERS.match(digits) or not luhn.is_valid(digits) or _follows(_COUNTED, match):
        return match[0]
    return mark(Kind.CARD, digits)


def _identity(match: re.Match[str], mark: Mark) -> str:
    """By province, birth date and check character, which 1 of 3,000 other numbers has; or, also
    without a check, where the word before calls it one."""
    from stdnum.iso7064 import mod_11_2

    number = match[0].upper()
    valid = (
        len(number) == 18
        and _PROVINCES.match(number)
        and _is_birth_date(number[6:14])
        and mod_11_2.is_valid(number)
    )
    return mark(Kind.IDENTITY, number) if valid or _follows(_IDENTITY_NAMED, match) else match[0]


def _phone(match: re.Match[str], mark: Mark) -> str:
    counted = _follows(_COUNTED, match) or _MEASURED.match(match.string, match.end())
    return match[0] if counted else mark(Kind.PHONE, _digits(match[0]))


def _is_birth_date(digits: str) -> bool:
    try:
        return 1880 <= date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).year <= 2100
    except ValueError:
        return False


def _follows(words: re.Pattern[str], match: re.Match[str]) -> bool:
    """Whether one of the words stands right before the number."""
    start = match.start()
    return words.search(match.string[max(0, start - _WORD_BEFORE) : start]) is not None


def _digits(number: str) -> str:
    return "".join(filter(str.isdigit, number))


def _last_group(match: re.Match[str], mark: Mark) -> str:
    return match[0][: match.start(1) - match.start()] + mark(Kind.PHONE, _digits(match[1]))
