"""Secrets as they stand in logs, rows and documents, and what only looks like one; all made up."""

import base64
import json
import string
from collections.abc import Callable
from datetime import date
from urllib.parse import quote

from hypothesis import strategies as st

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALNUM + "-_"
HEX = "0123456789abcdef"


def word(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least)


def _opaque(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


PASSWORDS = st.builds("Pw7{}".format, word(ALNUM + "!#$*+-./:@^_~", 5, 30)).filter(
    lambda text: text[-1] not in "./:-"
)
"""What people choose; no quotes, blanks or commas, which end a bare value."""
OPAQUE = word(URL_SAFE, 20, 60).filter(lambda text: _opaque(text) and text[0] != "-")


def _luhn(digits: str) -> str:
    total = 0
    for position, digit in enumerate(reversed(digits + "0")):
        doubled = int(digit) * (1 + position % 2)
        total += doubled - 9 * (doubled > 9)
    return digits + str(-total % 10)


def _checked_identity(digits: str) -> str:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return digits + "10X98765432"[total % 11]


CARDS = st.one_of(
    st.builds(lambda head, rest: _luhn(head + rest), st.just("4"), word(string.digits, 14)),
    st.builds(lambda h, r: _luhn(h + r), st.sampled_from(["51", "55"]), word(string.digits, 13)),
    st.builds(lambda h, r: _luhn(h + r), st.sampled_from(["34", "37"]), word(string.digits, 12)),
    st.builds(lambda h, r: _luhn(h + r), st.sampled_from(["622", "625"]), word(string.digits, 15)),
)
IDENTITIES = st.builds(
    lambda place, born, rest: _checked_identity(f"{place}{born:%Y%m%d}{rest}"),
    # the third county is gone; who was born there keeps the number
    st.sampled_from(["110101", "440306", "512301"]),
    st.dates(date(1930, 1, 1), date(2025, 12, 31)),
    word(string.digits, 3),
)
MOBILES = st.builds(
    lambda second, rest: f"1{second}{rest}", st.integers(3, 9), word(string.digits, 9)
)
EMAILS = st.builds(
    lambda user, host, top: f"{user}@{host}.{top}",
    st.builds("u{}".format, word(ALNUM + "._+-", 3, 20)).filter(lambda t: t[-1] not in "._+-"),
    word(string.ascii_lowercase + string.digits, 2, 12),
    st.sampled_from(["com", "cn", "com.cn", "example", "org"]),
)
JWTS = st.builds(
    lambda claims, signature: ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"HS256","typ":"JWT"}', json.dumps({"sub": claims}), signature)
    ),
    word(ALNUM, 4, 30),
    word(ALNUM, 16, 40),
)


def _key_block(kind: str, body: bytes) -> str:
    text = base64.b64encode(body).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])


KEY_KINDS = ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"]
PRIVATE_KEYS = st.builds(
    _key_block, st.sampled_from(KEY_KINDS), st.binary(min_size=60, max_size=400)
)
VENDOR_KEYS = st.one_of(
    st.builds("AKIA{}".format, word(UPPER, 16)),
    st.builds("ASIA{}".format, word(UPPER, 16)),
    st.builds("LTAI{}".format, word(ALNUM, 20)),
    st.builds("AKID{}".format, word(ALNUM, 32)),
    st.builds("AIza{}".format, word(URL_SAFE, 35).filter(lambda t: t[-1].isalnum())),
    st.builds("ghp_{}".format, word(ALNUM, 36)),
    st.builds("github_pat_{}".format, word(ALNUM, 40)),
    st.builds("glpat-{}".format, word(ALNUM, 20)),
    st.builds("xoxb-{}".format, word(string.digits, 12)),
    st.builds("sk-{}".format, word(ALNUM, 40).filter(_opaque)),
    st.builds("sk-proj-{}".format, word(ALNUM, 40).filter(_opaque)),
    st.builds("npm_{}".format, word(ALNUM, 36)),
    st.builds("{}8Q~{}".format, word(ALNUM, 3), word(ALNUM, 34)),
    st.builds("{}==".format, word(ALNUM, 86)),
)

Template = Callable[[str], str]
PLAIN: list[Template] = [
    lambda s: s,
    lambda s: f"2025-03-04T10:00:00Z INFO user {s} logged in",
    lambda s: f'{{"id": 7, "note": "{s}", "n": null}}',
    lambda s: json.dumps({"body": json.dumps({"v": s})}),
    lambda s: f"用户={s}，请处理",
    lambda s: f"| name | {s} |",
    lambda s: f"v={s}&x=1",
]
LABELLED: list[Template] = [
    lambda s: f"password={s} user=bob",
    lambda s: f"DB_PASSWORD={s}\nDB_HOST=db",
    lambda s: f"spring.datasource.password: {s}",
    lambda s: f'api_key = "{s}"',
    lambda s: f"{{'client_secret': '{s}', 'n': 1}}",
    lambda s: json.dumps({"user": "bob", "password": s, "age": 3}),
    lambda s: json.dumps({"msg": json.dumps({"token": s, "n": 1})}),
    lambda s: json.dumps({"a": json.dumps({"b": json.dumps({"secret": s})})}),
    lambda s: f"GET /login?token={quote(s, safe='')}&page=2 HTTP/1.1",
    lambda s: f"body=password%3D{quote(s, safe='')}%26user%3Dbob",
    lambda s: quote(json.dumps({"password": s, "n": 1}), safe=""),
    lambda s: f"SELECT id FROM users WHERE password = '{s}' AND id = 7",
    lambda s: f"ALTER USER app IDENTIFIED BY '{s}'",
    lambda s: f"<password>{s}</password>",
    lambda s: f"- name: DB_PASSWORD\n  value: {s}\n",
    lambda s: json.dumps({"name": "DB_PASSWORD", "value": s}),
    lambda s: f"database:\n  password: {s}\n  host: db\n",
    lambda s: f"mysql --user=app --password {s} -h db",
    lambda s: f"密码：{s}，已发送",
    lambda s: f"Server=db;User Id=app;Password={s};Encrypt=true",
    lambda s: f"config{{password={s}, user=app}}",
]
ADDRESSES: list[Template] = [
    lambda s: f"mysql://app:{quote(s, safe='')}@db.internal:3306/shop?ssl=true",
    lambda s: f'dsn="postgres://app:{quote(s, safe="")}@db/shop" retry=1',
    lambda s: f"redis://:{quote(s, safe='')}@cache:6379/0",
    lambda s: f"app:{quote(s, safe='')}@tcp(db:3306)/shop",
    lambda s: quote(f"https://app:{quote(s, safe='')}@host.example/x", safe=""),
]
CARRIED: list[Template] = [
    lambda s: f"Authorization: Bearer {s}",
    lambda s: f'curl -H "Authorization: Bearer {s}" https://api.example/v1',
    lambda s: json.dumps({"headers": {"Authorization": f"Bearer {s}"}}),
    lambda s: f"authorization=[token {s}]",
    lambda s: f"retry with bearer {s} failed",
    lambda s: f"Cookie: theme=dark; session={s}; lang=zh",
    lambda s: f"Set-Cookie: sid={s}; Path=/; HttpOnly; SameSite=Lax",
    lambda s: json.dumps({"cookie": f"a={s}"}),
    lambda s: f"X-Api-Key: {s}",
]

LOOK_ALIKES = st.one_of(
    st.builds("order_id={}".format, word(string.digits, 21)),
    st.builds("order_id={}".format, CARDS),
    st.builds('"orderId": "{}"'.format, CARDS),
    st.builds("订单号：{}".format, CARDS),
    st.builds("sha={}".format, word(HEX, 40)),
    st.builds("image@sha256:{}".format, word(HEX, 64)),
    st.builds("commit {}".format, word(HEX, 7, 12)),
    st.uuids().map(str),
    st.builds("trace_id={} span_id={}".format, word(HEX, 32), word(HEX, 16)),
    st.datetimes().map(lambda at: at.isoformat()),
    st.datetimes().map(lambda at: f"{at:%Y-%m-%d %H:%M:%S,%f} took 12 ms"),
    st.integers(1_000_000_000, 2_000_000_000).map(str),
    st.integers(1_000_000_000_000, 2_000_000_000_000).map("ts={}".format),
    st.builds("v{}.{}.{}".format, *[st.integers(0, 99_999)] * 3),
    st.builds("app-{}.log:{}".format, st.integers(0, 99), st.integers(1, 10**7)),
    st.ip_addresses().map(str),
    st.builds("{} bytes".format, st.integers(0, 10**12)),
    st.builds("latency=0.{}".format, word(string.digits, 11, 17)),
    st.builds("max_tokens={0} completion_tokens={0} token={0}".format, st.integers(0, 99_999)),
)
SAYINGS = [
    "Access denied for user 'root'@'localhost' (using password: YES)",
    "Invalid token: expired; password: incorrect",
    "secret 'db-credentials' not found in namespace shop",
    "secretKeyRef: {name: db-credentials, key: password}",
    "Bearer token missing; Basic auth failed",
    "WWW-Authenticate: Bearer realm=shop",
    "token_type=bearer expires_in=3600",
    "password=**** password=<redacted> password=${DB_PASSWORD} password=$DB_PASSWORD",
    'authorization denied for principal "app"',
    "primary_key=id cache_key=user:7 bypass=1 pass=3 fail=0",
    "SELECT password, token FROM users WHERE id = ?",
    "git clone git@github.com:acme/shop.git lodash@4.17.21 getty@tty1.service",
    "http://db:3306/shop?x=1 https://h:8080/a@b",
    "connection string=app@db:5432",
    "java.lang.String@1b28cdfa at com.acme.Shop$$Lambda$123.run(Shop.java:42)",
    "-----BEGIN CERTIFICATE----- -----BEGIN PUBLIC KEY-----",
    "2025-03-04 10:00:00.123 [main] ERROR MEMBER_MAP_EMPTY tenant=ent_hailan user=u_20417",
    "version=13.800.138000 exp=01/30 ip=203.0.113.7",
    "1741082400 1741082400123 20250304100000 11010119900307",
]
