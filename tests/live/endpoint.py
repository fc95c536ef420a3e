"""The endpoint that the live tests drive, from the environment.

LIVE_MODEL       the model's name; needed
LIVE_PROVIDER    a preset such as deepseek, ollama or vllm, or left out
LIVE_BASE_URL    where it is, unless the preset says so
LIVE_API_KEY     its key, if it wants one
LIVE_SETTINGS    further keys of `[models]` as a JSON object
LIVE_CASES, LIVE_DATA   other questions than the shipped ones, and the folder with their sources
"""

import json
import os
from pathlib import Path
from urllib.parse import urlsplit

from graph import Settings
from graph.evaluation.cases import Case, read_cases
from graph.models import Models
from graph.provider import make_models
from graph.provider_presets import provider_presets

ROOT = Path(__file__).parents[2]
KEY_VARIABLE = "LIVE_API_KEY"


def settings() -> Settings:
    """The settings that name the endpoint; no file and no other variable has a say."""
    named = {
        "provider": os.environ.get("LIVE_PROVIDER"),
        "name": os.environ.get("LIVE_MODEL"),
        "base_url": os.environ.get("LIVE_BASE_URL"),
        "api_key_env": KEY_VARIABLE,
        **json.loads(os.environ.get("LIVE_SETTINGS", "{}")),
    }
    return Settings(models={key: value for key, value in named.items() if value})


def models(chosen: Settings) -> Models:
    """A client for every component."""
    return make_models(chosen.models, {KEY_VARIABLE: os.environ.get(KEY_VARIABLE, "")})


def host() -> str:
    """The one host that the tests may reach."""
    preset = provider_presets().get(os.environ.get("LIVE_PROVIDER", ""))
    place = os.environ.get("LIVE_BASE_URL") or (preset and preset.base_url) or ""
    return urlsplit(place).hostname or "127.0.0.1"


def cases() -> list[Case]:
    """The questions."""
    return read_cases(Path(os.environ.get("LIVE_CASES", ROOT / "graph/incident/questions.jsonl")))


def data() -> Path:
    """Their logs, knowledge and database."""
    return Path(os.environ.get("LIVE_DATA", ROOT / "graph/incident"))
