"""The rules model stays small: code and vocabulary together, blank lines aside."""

from importlib.resources import files

LINES = 500


def test_the_model_and_its_vocabulary_are_under_500_lines_in_all() -> None:
    texts = [
        file.read_text(encoding="utf-8")
        for file in files("graph.offline").iterdir()
        if file.name.endswith((".py", ".toml"))
    ]
    assert len(texts) > 4
    assert sum(bool(line.strip()) for text in texts for line in text.splitlines()) < LINES
