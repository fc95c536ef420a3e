"""The texts that instruct each model component, and the strict loader that reads them (C9).

One Markdown file a component and language. A team's folder with the same layout (`zh/diagnosis.md`,
…) wins file by file, and its `glossary.md` is appended to the diagnosis prompt. Importing this
package reads nothing.
"""

from prompts.loader import (
    Component,
    Language,
    PromptFileError,
    Prompts,
    load_prompt,
    load_prompts,
    prompt_version,
)

__all__ = [
    "Component",
    "Language",
    "PromptFileError",
    "Prompts",
    "load_prompt",
    "load_prompts",
    "prompt_version",
]
