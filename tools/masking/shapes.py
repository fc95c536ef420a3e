"""Secrets that their own form gives away: keys of clouds and vendors, JSON web tokens.

A word is looked at only when it is long enough to be one; the forms are those that the vendors
document, prefix and length.
"""

import re

from tools.masking.marks import Kind, Mark

_WORD = re.compile(r"[A-Za-z0-9_+/=.~%:-]{16,}+")
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2}))"
_MIXED = r"(?=[A-Za-z_-]{0,80}\d)"
_FORMS = (
    # clouds: AWS, Aliyun, Tencent Cloud, Google, Azure
    r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|APKA|AROA|ASCA)[A-Z0-9]{16}",
    r"LTAI[A-Za-z0-9]{12,24}",
    r"AKID[A-Za-z0-9]{32}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}+",
    r"GOCSPX-[A-Za-z0-9_-]{20,}+",
    r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
    r"[A-Za-z0-9+/]{86}==",
    # code and packages
    r"gh[pousr]_[A-Za-z0-9]{20,}+",
    r"github_pat_[A-Za-z0-9_]{20,}+",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|wt|ffct)-[A-Za-z0-9_-]{16,}+",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-AgE[A-Za-z0-9_-]{20,}+",
    r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}+",
    r"ATATT3[A-Za-z0-9_=-]{20,}+",
    # models
    rf"sk-{_MIXED}[A-Za-z0-9_-]{{16,}}+",
    r"hf_[A-Za-z0-9]{30,}+",
    # chat, mail, payment, operations
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}+",
    r"xapp-\d-[A-Za-z0-9-]{10,}+",
    r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+",
    r"whsec_[A-Za-z0-9+/=]{20,}+",
    r"SK[0-9a-f]{32}",
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}",
    r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    r"hv[sbr]\.[A-Za-z0-9_-]{20,}+",
    r"gl(?:sa|c)_[A-Za-z0-9_+/=]{20,}+",
    r"do[opr]_v1_[a-f0-9]{64}",
    r"dapi[0-9a-f]{32}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
)
_KEY = re.compile(rf"{_START}(?:{'|'.join(_FORMS)})(?![A-Za-z0-9])")
_JWT = re.compile(rf"{_START}eyJ[A-Za-z0-9_-]{{6,}}+(?:\.[A-Za-z0-9_-]*+){{1,4}}")
# the head that a source left of one when it cut its text
_CUT_HEAD = re.compile(
    r"(?<![A-Za-z0-9_-])(?:(?:AKIA|ASIA|LTAI|AKID|AIza|gh[pousr]_|github_pat_|glpat-|sk-|xox[bp]-"
    r"|eyJ)[A-Za-z0-9_-]{4,40})(?= ?…)"
)
_HOOK = re.compile(
    r"(?:hooks[^\s/\"']{0,100}/(?:services|workflows|api/webhooks)/[^\s/\"']{1,40}/[^\s/\"']{1,40}/"
    r"|/services/T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/|/open-apis/bot/v2/hook/|/api/webhooks/\d{10,20}/"
    r"|/webhook/send\?key=)([A-Za-z0-9_-]{8,100})"
)


def mask_shapes(text: str, mark: Mark) -> str:
    """Keys and tokens by their form, and the secret end of webhook addresses."""
    text = _WORD.sub(lambda match: _word(match[0], mark), text)
    if "/" in text:
        text = _HOOK.sub(lambda match: _hook(match, mark), text)
    if "…" in text:
        text = _CUT_HEAD.sub(lambda match: mark(Kind.CLOUD_KEY, match[0]), text)
    return text


def _word(word: str, mark: Mark) -> str:
    if "eyJ" in word:
        word = _JWT.sub(lambda match: mark(Kind.TOKEN, match[0]), word)
    return _KEY.sub(lambda match: mark(Kind.CLOUD_KEY, match[0]), word)


def _hook(match: re.Match[str], mark: Mark) -> str:
    return match[0][: match.start(1) - match.start()] + mark(Kind.TOKEN, match[1])
