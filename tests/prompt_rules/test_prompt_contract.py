"""Our own prompts keep both lists of C9, and the lists can fail."""

import re

import pytest

from prompts import load_prompt
from tests.prompt_rules.prompt_contract import MUST_NOT_SAY, MUST_SAY, broken_rules

LANGUAGES = ("zh", "en")
# configured differently from the defaults, and not to be found anyway
TOOLS = ("search_tickets", "query_logs")
NUMBERS = (1, 2, 3, 5, 7, 14)

FORBIDDEN_SAMPLES = {
    "a tool": "先用 query_logs 查",
    "a tool's schema": "put it into previous_observation",
    "a next action": "and give next_action",
    "a threshold": "after two consecutive ones",
    "a counter": "查询次数",
    "a budget": "预算用完",
    "the machinery": "the harness decides",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_diagnosis_prompt_says_all_and_names_nothing(language):
    # C9
    text = load_prompt("diagnosis", language)
    assert broken_rules(text, language, tool_names=TOOLS, numbers=NUMBERS) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", MUST_SAY)
def test_leaving_a_rule_out_is_seen(language, rule):
    # C9
    pattern = MUST_SAY[rule][LANGUAGES.index(language)]
    text = re.sub(pattern, "", load_prompt("diagnosis", language))
    assert f"does not say: {rule}" in broken_rules(text, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", MUST_NOT_SAY)
def test_naming_what_is_not_its_business_is_seen(language, rule):
    # C9
    text = f"{load_prompt('diagnosis', language)}\n{FORBIDDEN_SAMPLES[rule]}"
    assert broken_rules(text, language) == [f"names {rule}"]


def test_configured_tools_and_numbers_are_seen():
    # C9
    text = load_prompt("diagnosis", "en") + "\nAsk search_tickets, stop after 7."
    assert broken_rules(text, "en", tool_names=TOOLS, numbers=NUMBERS) == [
        "names the tool search_tickets",
        "names the number 7",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_stands_in_the_prompt_but_the_sample_id(language):
    # C9: no threshold, counter or budget, whatever its value
    assert re.findall(r"\d+", load_prompt("diagnosis", language).replace('"e1"', "")) == []


@pytest.mark.parametrize("component", ["router", "evidence_repair", "semantic_guard"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_other_prompts_name_no_tool_and_no_budget(component, language):
    # C9
    text = load_prompt(component, language)
    kept = {"a tool", "a next action", "a threshold", "a counter", "a budget"}
    broken = {rule for rule in kept if re.search(MUST_NOT_SAY[rule], text, re.IGNORECASE)}
    assert broken == set()
    assert "JSON" in text


def test_each_component_is_told_the_shape_of_its_reply():
    # api.md, "What the model says"
    for language in LANGUAGES:
        router = load_prompt("router", language)
        assert '{"intent": "DIAGNOSIS"}' in router
        assert '{"intent": "OUT_OF_SCOPE"}' in router
        assert '"supported": true' in load_prompt("semantic_guard", language)
        assert "`conclusion`" in load_prompt("evidence_repair", language)


def test_guard_prompt_fails_closed_and_router_prompt_lets_through():
    # C6: unreadable or doubtful is not supported; api.md: unreadable means DIAGNOSIS
    assert "拿不准时判为不支持" in load_prompt("semantic_guard", "zh")
    assert "When in doubt, it is not supported" in load_prompt("semantic_guard", "en")
    assert "拿不准时选 DIAGNOSIS" in load_prompt("router", "zh")
    assert "When in doubt, choose DIAGNOSIS" in load_prompt("router", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_diagnosis_prompt_stays_short(language):
    # C9: a Chinese character counts as a token here, four ASCII characters as another
    text = load_prompt("diagnosis", language)
    wide = sum(not character.isascii() for character in text)
    assert wide + (len(text) - wide) / 4 < 900
