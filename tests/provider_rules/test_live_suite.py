"""The live suite itself, against a loopback endpoint: it runs, and says what it promises."""

import asyncio
import json

import pytest

from tests.fakes.tiny_provider import TinyProvider, serving
from tests.live import endpoint
from tests.live.test_live import line, run

MISSING = json.dumps({"conclusion": None, "limitations": {"missing_info": ["the time"]}})


def test_a_question_goes_to_the_endpoint_and_its_line_tells_how_it_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "prompt_cache_hit_tokens": 64}
    with serving(TinyProvider(MISSING, usage=usage)) as served:
        monkeypatch.setenv("LIVE_MODEL", "some-model")
        monkeypatch.setenv("LIVE_PROVIDER", "deepseek")
        monkeypatch.setenv("LIVE_BASE_URL", served.url)
        monkeypatch.setenv("LIVE_API_KEY", "its-key")
        monkeypatch.setenv("LIVE_SETTINGS", '{"temperature": 0.5}')
        case = endpoint.cases()[0]
        finished = asyncio.run(run(case))
        assert endpoint.host() == "127.0.0.1"
    assert {body["model"] for body in served.bodies} == {"some-model"}
    assert {body["temperature"] for body in served.bodies} == {0.5}
    assert set(served.keys) == {"Bearer its-key"}
    said = line(case, finished)
    assert said.startswith("S01: FALLBACK MISSING_REQUIRED_CONTEXT; as expected; 1 rounds, 0 tool")
    assert "200 tokens (128 cached, 0 unreported)" in said
    assert "repairs: 0 of requests, 0 of citations, 0 retries" in said


def test_the_live_suite_is_no_part_of_the_default_run(pytestconfig: pytest.Config) -> None:
    assert "not live" in pytestconfig.getini("addopts")
