"""Reads prompt files: a whole, non-empty, decodable text, or an error that names the file."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, get_args

Language = Literal["zh", "en"]
Component = Literal["router", "diagnosis", "evidence_repair", "semantic_guard"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
COMPONENTS: tuple[Component, ...] = get_args(Component)
GLOSSARY_FILE = "glossary.md"
MAX_FILE_BYTES = 32_768
_VERSION_BYTES = 6

_GLOSSARY_HEADING: Mapping[Language, str] = {
    "zh": "## 团队术语表\n\n以下是服务与术语的说明，只用来理解问题，不能当作证据。",
    "en": "## Team glossary\n\n"
    "What services and terms mean here. It helps to understand a question and is no evidence.",
}

Problem = Literal["MISSING", "UNREADABLE", "TOO_LARGE", "NOT_UTF8", "EMPTY"]


class PromptFileError(Exception):
    """A prompt that cannot be used. `file` is its name, `problem` one of the codes of `Problem`."""

    def __init__(self, file: str, problem: Problem) -> None:
        super().__init__(f"prompt file {file}: {problem}")
        self.file = file
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Prompts:
    """Every prompt, read and checked once, for callers that must not touch the disk later.

    An instance is called like `load_prompt(component, language)`; `version` is `prompt_version`.
    """

    texts: Mapping[tuple[Component, Language], str]
    version: str

    def __call__(self, component: Component, language: Language) -> str:
        return self.texts[component, language]


def load_prompts(folder: Path | None = None) -> Prompts:
    """All components in all languages. Raises `PromptFileError` for the first unusable file."""
    texts = {
        (component, language): load_prompt(component, language, folder)
        for component in COMPONENTS
        for language in LANGUAGES
    }
    return Prompts(texts=texts, version=prompt_version(folder=folder))


def load_prompt(component: Component, language: Language, folder: Path | None = None) -> str:
    """One component's prompt, the team's file before ours; the diagnosis prompt with the glossary.

    Raises `PromptFileError` when the folder is missing or a file is missing, empty, over
    `MAX_FILE_BYTES` or not UTF-8.
    """
    name = f"{component}.md"
    text = _read(_chosen(folder, language, name))
    glossary = _glossary(folder) if component == "diagnosis" else None
    return f"{text}\n\n{_GLOSSARY_HEADING[language]}\n\n{glossary}" if glossary else text


def prompt_version(language: Language | None = None, folder: Path | None = None) -> str:
    """12 hex digits that change with any text of the language; of all languages when None."""
    digest = hashlib.blake2b(digest_size=_VERSION_BYTES)
    for spoken in LANGUAGES if language is None else (language,):
        for component in COMPONENTS:
            text = load_prompt(component, spoken, folder)
            digest.update(f"{spoken}/{component}:{len(text)}:{text}".encode())
    return digest.hexdigest()


def _chosen(folder: Path | None, language: Language, name: str) -> Traversable:
    if folder is not None:
        if not folder.is_dir():
            raise PromptFileError(str(folder), "MISSING")
        own = folder / language / name
        if own.exists():
            return own
    return files(__package__) / language / name


def _glossary(folder: Path | None) -> str | None:
    if folder is None or not (folder / GLOSSARY_FILE).exists():
        return None
    return _read(folder / GLOSSARY_FILE)


def _read(file: Traversable) -> str:
    label = str(file)
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise PromptFileError(label, "MISSING") from None
    except OSError:
        raise PromptFileError(label, "UNREADABLE") from None
    if len(data) > MAX_FILE_BYTES:
        raise PromptFileError(label, "TOO_LARGE")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError:
        raise PromptFileError(label, "NOT_UTF8") from None
    if not text:
        raise PromptFileError(label, "EMPTY")
    return text
