"""YAML front matter: never part of the text, read for a title only.

Every scalar is read as a string and tags are ignored, so no tag builds an object and no bad
date stops a document.
"""

_MAX_BYTES = 16_384


def front_matter_lines(lines: list[str]) -> int:
    """How many leading lines are front matter, its two fences included; 0 without any."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in {"---", "..."}:
            return number
    return 0


def title_of(front_matter: list[str]) -> str | None:
    """The `title` of front matter given with its fences; None when absent or unreadable."""
    text = "\n".join(front_matter[1:-1])
    if "title" not in text or len(text.encode("utf-8", "replace")) > _MAX_BYTES:
        return None
    import yaml

    try:
        values = yaml.load(text, Loader=yaml.BaseLoader)  # builds strings, lists, dicts only
    except (yaml.YAMLError, RecursionError):
        return None
    title = values.get("title") if isinstance(values, dict) else None
    return title.strip() or None if isinstance(title, str) else None
