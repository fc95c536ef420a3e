"""A mark tells the kind of a secret and equal secrets apart from others, and nothing else."""

import re

import pytest

from tools.evidence import Evidence
from tools.masking import Masker
from tools.masking.masker import MAX_CHARS

masker = Masker("key of this run")


def only_mark(text: str) -> str:
    (mark,) = re.findall(r"‹[^›]*›", masker.text(text))
    return mark


def hash_of(text: str) -> str:
    return only_mark(text).strip("›").split(":")[1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("password=hunter2-synthetic", "password"),
        ("mysql://app:hunter2@db/shop", "password"),
        ("token=synthetic-0001", "token"),
        ("cookie: session=synthetic-0001", "token"),
        ("exp=01/30 cvv=123", "token"),
        ('{"otp": "123456"}', "token"),
        ("aws_secret_access_key=synth/0001/bPxRfiCYsynthetic", "token"),
        ("https://hooks.example.test/services/T0000000/B0000000/synthetic0001", "token"),
        ("https://im.example.test/open-apis/bot/v2/hook/6f9619ff-8b86-d011", "token"),
        ("AKIAIOSFODNN7EXAMPLE", "key"),
        ("4111 1111 1111 1111", "card"),
        ("110101190001011009", "id-card"),
        ("13800138000", "phone"),
        ("test.user@example.com", "email"),
        ("-----BEGIN PRIVATE KEY-----\nMIIsynthetic\n-----END PRIVATE KEY-----", "private-key"),
    ],
)
def test_the_kind_stays_visible(text, kind):
    assert only_mark(text).startswith(f"‹{kind}:")


@pytest.mark.parametrize(
    "ways",
    [
        ("password=hunter2", '{"password": "hunter2"}', "mysql://u:hunter2@db/x", "token=hunter2"),
        ("mysql://u:p%40ss-1@db/x", "password=p@ss-1"),
        ("4111 1111 1111 1111", "4111-1111-1111-1111", "card=4111111111111111"),
        ("13800138000", "+86 138 0013 8000", "+8613800138000", "138-0013-8000", "%2B8613800138000"),
        ("11010119900307002x", "身份证号：11010119900307002X"),
        ("Test.User@example.com", "test.user%40example.com", "<test.user@EXAMPLE.com>"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIsynthetic\n-----END PRIVATE KEY-----",
            r'{"k": "-----BEGIN PRIVATE KEY-----\nMIIsynthetic\n-----END PRIVATE KEY-----"}',
        ),
    ],
)
def test_the_same_secret_has_the_same_hash_however_it_is_written(ways):
    assert len({hash_of(way) for way in ways}) == 1


def test_another_secret_and_another_run_have_another_hash():
    texts = [f"password=hunter{number}" for number in range(50)]
    assert len({hash_of(text) for text in texts}) == 50
    assert masker.text(texts[0]) == Masker("key of this run").text(texts[0])
    assert masker.text(texts[0]) != Masker("key of another run").text(texts[0])


def test_what_surrounds_a_secret_stays():
    row = '{"id": 3, "body": "password=hunter2 from 203.0.113.7", "token": null, "n": 12}'
    mark = only_mark(row)
    assert masker.text(row) == row.replace("hunter2", mark)


def test_a_mark_that_a_source_forged_is_only_a_text():
    forged = "‹password:abcdef› password=‹password:abcdef›"
    assert masker.text(forged) == forged
    assert "hunter2" not in masker.text("password=‹password:abcdef›hunter2")


def test_a_scope_is_masked_at_any_depth_and_by_its_fields():
    scope = {
        "sql": "SELECT 1 FROM users WHERE phone = '13800138000' AND password = 'hunter2'",
        "password": "hunter2",
        "phone": 13800138000,
        "filters": {"api_key": "abc-1", "or": ["test.user@example.com", True, None, 1.5]},
        "start": "2025-03-04T10:00:00+00:00",
        "limit": 20,
    }
    shown = masker.scope(scope)
    for secret in ("13800138000", "hunter2", "abc-1", "test.user"):
        assert secret not in str(shown)
    assert shown["start"] == scope["start"]
    assert shown["limit"] == 20
    assert shown["filters"]["or"][1:] == [True, None, 1.5]
    assert masker.scope(shown) == shown


def test_a_scope_too_deep_to_read_is_shown_as_none():
    deep: dict[str, object] = {"password": "hunter2"}
    for _ in range(5_000):
        deep = {"x": deep}
    assert masker.scope(deep) == {}


def pieces(*texts: str) -> list[Evidence]:
    return [Evidence(f"app.log:{number}", text) for number, text in enumerate(texts, start=1)]


def shown(*texts: str, max_bytes: int = 8_192) -> list[str]:
    return [piece.text for piece in masker.evidence(pieces(*texts), max_bytes=max_bytes)]


def test_a_key_that_is_a_line_an_event_is_masked_line_by_line():
    texts = shown(
        "10:00:00 INFO -----BEGIN RSA PRIVATE KEY-----",
        "10:00:00 INFO MIIEpAIBAAKCAQEA75synthetic0",
        "10:00:00 INFO q9synthetic0000000A==",
        "10:00:00 INFO -----END RSA PRIVATE KEY-----",
        "10:00:01 INFO MembershipLookupService",
    )
    assert "synthetic" not in "".join(texts)
    assert texts[-1] == "10:00:01 INFO MembershipLookupService"


def test_sources_are_masked():
    (piece,) = masker.evidence([Evidence("mails/test.user@example.com.log:3", "x")], max_bytes=99)
    assert "test.user" not in piece.source
    assert piece.source.endswith(":3")


def test_only_what_can_be_shown_is_searched():
    assert len(shown(*["a line of text"] * 50, max_bytes=100)) == 8


def test_a_huge_text_is_cut_before_a_secret_and_not_inside_it():
    head = "x " * ((MAX_CHARS - 12) // 2)
    (text,) = shown(f"{head}4111 1111 1111 1111", max_bytes=10**7)
    assert text.endswith("…")
    assert "1111" not in text


CUT = [
    ("card 4111 1111 11", "1111"),
    ("card 411111111111", "4111"),
    ("user 1101011990", "110101"),
    ("key AKIAIOSFODNN7", "IOSF"),
    ("auth eyJhbGciOiJIUzI1NiJ9", "hbGc"),
    ("connect mysql://app:Synth3t1c-P", "Synth"),
    ('{"password": "hunter2 with', "hunter2"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nq9synthe", "synthe"),
]


@pytest.mark.parametrize(("text", "head"), CUT)
@pytest.mark.parametrize("end", ["…", " …[cut, 9000 bytes in all]"])
def test_what_a_source_cut_leaves_no_head_of_a_secret(text, head, end):
    assert head not in masker.text(text + end)


@pytest.mark.parametrize(
    "text",
    [
        "MIIEpAIBAAKCAQEA75synthetic0\nq9synthetic==\n-----END PRIVATE KEY-----\ntail",
        "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75synthetic0\nq9synthetic0000000\ntail of it",
        "-----BEGIN PRIVATE KEY-----MIIsynthetic0000-----END PRIVATE KEY----- tail",
        r"-----BEGIN PRIVATE KEY-----\nMIIsynthetic0000000000\nq9synthetic0000000\n tail of it",
        "-----BEGIN%20PRIVATE%20KEY-----%0AMIIsynthetic000%0A-----END%20PRIVATE%20KEY----- tail",
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"
        "MIIsynthetic0000000000\ntail of it",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/synthetic\n"
        "---- END SSH2 ENCRYPTED PRIVATE KEY ----\ntail",
    ],
)
def test_private_keys_go_whole_and_alone(text):
    masked = masker.text(text)
    assert "synthetic" not in masked
    assert "tail" in masked
