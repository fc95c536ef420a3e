"""What a provider's refusal means, and how long it asks to wait (C6, C8)."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from graph.nodes.model_fault import model_fault


class Refused(Exception):
    def __init__(self, status: Any = 429, **headers: str) -> None:
        super().__init__("secret")
        self.status_code = status
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        self.response = SimpleNamespace(headers=httpx.Headers(names))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"Retry_After_Ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_a_sound_wait_is_taken(headers, seconds):
    # C8
    assert model_fault(Refused(**headers)).retry_after_seconds == seconds


def test_a_date_is_a_wait_until_then():
    # C8
    at = datetime.now(UTC) + timedelta(hours=1)
    fault = model_fault(Refused(retry_after=format_datetime(at, usegmt=True)))
    assert fault.retry_after_seconds is not None
    assert 3_000 < fault.retry_after_seconds <= 3_600


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (httpx.ReadError("secret"), "MODEL_UNAVAILABLE"),
        (httpx.RemoteProtocolError("secret"), "MODEL_UNAVAILABLE"),
        (httpx.ReadTimeout("secret"), "MODEL_TIMEOUT"),
        (ValueError("secret"), "MODEL_REPLY_INVALID"),
        (KeyError("secret"), "MODEL_REPLY_INVALID"),
        (Refused(529), "MODEL_UNAVAILABLE"),
        (Refused(418), "MODEL_REQUEST_REFUSED"),
        (RuntimeError("secret"), "MODEL_FAILED"),
    ],
)
def test_every_exception_is_a_code(error, code):
    # C6
    fault = model_fault(error)
    assert fault.code == code
    assert "secret" not in repr(fault)
