"""No secret survives, wherever and however it is written; what looks like one stays."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.masking_rules.specimens import (
    ADDRESSES,
    CARDS,
    CARRIED,
    EMAILS,
    IDENTITIES,
    JWTS,
    LABELLED,
    LOOK_ALIKES,
    MOBILES,
    OPAQUE,
    PASSWORDS,
    PLAIN,
    PRIVATE_KEYS,
    SAYINGS,
    VENDOR_KEYS,
)
from tools.masking import Masker
from tools.masking.marks import MARK

masker = Masker("a run's own key")
KINDS = {
    "password with a label": (PASSWORDS, LABELLED),
    "token with a label": (OPAQUE, LABELLED),
    "password in an address": (PASSWORDS, ADDRESSES),
    "token in a header": (OPAQUE, CARRIED),
    "JSON web token": (JWTS, [*PLAIN, *CARRIED]),
    "vendor key": (VENDOR_KEYS, PLAIN),
    "card": (CARDS, PLAIN),
    "identity number": (IDENTITIES, PLAIN),
    "mobile number": (MOBILES, PLAIN),
    "e-mail": (EMAILS, PLAIN),
    "private key": (PRIVATE_KEYS, PLAIN),
}


def check(secret: str, text: str) -> None:
    masked = masker.text(text)
    for line in secret.splitlines():
        # the last line of a key may be a few letters, which other words hold as well
        assert line[2:] not in masked or len(line) < 8
    assert MARK.search(masked)
    assert masker.text(masked) == masked


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(data=st.data())
def test_no_generated_secret_survives(kind, data):
    secrets, templates = KINDS[kind]
    secret = data.draw(secrets)
    for template in templates:
        check(secret, template(secret))


@settings(deadline=None)
@example("13000000000 bytes", "{}")
@example("13812345678毫秒", "INFO {} done")
@given(LOOK_ALIKES, st.sampled_from(["{}", "INFO {} done", '{{"v": "{}"}}', "a {}\nb", "{} {}"]))
def test_what_only_looks_like_a_secret_stays(text, place):
    written = place.replace("{} {}", "{0} x {0}").format(text)
    assert masker.text(written) == written


@pytest.mark.parametrize("saying", SAYINGS)
def test_words_about_secrets_stay(saying):
    assert masker.text(saying) == saying


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list("password=:\"'\\@/ ,;‹›token19…\n-")), max_size=60))
def test_masking_twice_is_masking_once(text):
    once = masker.text(text)
    assert masker.text(once) == once
