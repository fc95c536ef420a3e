"""The strict loader: a whole text or an error that names the file (C9)."""

import pytest

from prompts import (
    PromptFileError,
    load_prompt,
    load_prompts,
    prompt_version,
)
from prompts.loader import COMPONENTS, LANGUAGES, MAX_FILE_BYTES


@pytest.fixture
def team(tmp_path):
    (tmp_path / "zh").mkdir()
    return tmp_path


def test_every_component_has_both_languages():
    # C9: English twins
    for component in COMPONENTS:
        chinese, english = (load_prompt(component, language) for language in LANGUAGES)
        assert chinese != english
        assert english.isascii() or "…" in english
        assert chinese == chinese.strip()


def test_a_teams_file_wins_file_by_file(team):
    # C9
    (team / "zh" / "router.md").write_text("团队的路由\r\n第二行\n", encoding="utf-8")
    assert load_prompt("router", "zh", team) == "团队的路由\n第二行"
    assert load_prompt("router", "en", team) == load_prompt("router", "en")
    assert load_prompt("diagnosis", "zh", team) == load_prompt("diagnosis", "zh")


def test_glossary_goes_to_the_diagnosis_prompt_only(team):
    # C9
    (team / "glossary.md").write_text("billing: 计费服务", encoding="utf-8")
    for language, heading in (("zh", "## 团队术语表"), ("en", "## Team glossary")):
        text = load_prompt("diagnosis", language, team)
        assert text.startswith(load_prompt("diagnosis", language) + f"\n\n{heading}\n\n")
        assert text.endswith("\n\nbilling: 计费服务")
        assert load_prompt("router", language, team) == load_prompt("router", language)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "EMPTY"),
        (b"\xef\xbb\xbf \n\t", "EMPTY"),
        (b"\xff\xfe", "NOT_UTF8"),
        (b"x" * (MAX_FILE_BYTES + 1), "TOO_LARGE"),
    ],
)
@pytest.mark.parametrize("name", ["zh/diagnosis.md", "glossary.md"])
def test_an_unusable_file_is_named(team, name, data, problem):
    (team / name).write_bytes(data)
    with pytest.raises(PromptFileError) as caught:
        load_prompt("diagnosis", "zh", team)
    assert (caught.value.file, caught.value.problem) == (str(team / name), problem)
    assert str(caught.value) == f"prompt file {team / name}: {problem}"
    assert caught.value.__cause__ is None


def test_a_file_of_exactly_the_largest_size_is_read(team):
    (team / "zh" / "router.md").write_bytes(b"x" * MAX_FILE_BYTES)
    assert load_prompt("router", "zh", team) == "x" * MAX_FILE_BYTES


def test_a_folder_in_place_of_a_file_is_unreadable(team):
    (team / "zh" / "router.md").mkdir()
    with pytest.raises(PromptFileError, match=r"router\.md: UNREADABLE"):
        load_prompt("router", "zh", team)


def test_a_folder_that_is_not_there_is_no_silent_default(tmp_path):
    with pytest.raises(PromptFileError) as caught:
        load_prompt("router", "zh", tmp_path / "absent")
    assert (caught.value.file, caught.value.problem) == (str(tmp_path / "absent"), "MISSING")


def test_our_own_missing_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("prompts.loader.files", lambda package: tmp_path)
    with pytest.raises(PromptFileError) as caught:
        load_prompt("router", "en")
    assert caught.value.problem == "MISSING"
    assert caught.value.file == str(tmp_path / "en" / "router.md")


def test_loaded_prompts_are_all_of_them_read_once(team):
    (team / "zh" / "router.md").write_text("团队", encoding="utf-8")
    prompts = load_prompts(team)
    assert prompts.version == prompt_version(folder=team)
    (team / "zh" / "router.md").unlink()
    assert prompts("router", "zh") == "团队"
    assert prompts.version != prompt_version(folder=team)
    for component in COMPONENTS:
        for language in LANGUAGES:
            assert prompts(component, language)


def test_loading_all_finds_the_broken_one(team):
    (team / "zh" / "semantic_guard.md").write_bytes(b"")
    with pytest.raises(PromptFileError, match="semantic_guard"):
        load_prompts(team)


def test_version_follows_the_texts(team):
    # C7: RUN_STARTED names the prompt version
    ours = prompt_version()
    assert len(ours) == 12
    assert int(ours, 16) >= 0
    assert prompt_version(folder=team) == ours
    assert prompt_version("zh") != prompt_version("en") != ours
    before = prompt_version("en", team)
    (team / "zh" / "router.md").write_text("团队", encoding="utf-8")
    assert prompt_version(folder=team) != ours
    assert prompt_version("en", team) == before
    assert prompt_version("zh", team) != prompt_version("zh")


def test_version_follows_the_glossary(team):
    (team / "glossary.md").write_text("billing", encoding="utf-8")
    assert prompt_version(folder=team) != prompt_version()
