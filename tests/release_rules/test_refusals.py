"""Every refusal of an alert has its own words in both languages, which name the wrong field."""

import pytest

from release.refusals import ALERT_FIELDS, alert_refusals
from release.vocabulary import QuestionRefusal


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_refusal_names_the_field_that_is_wrong(language):
    words = alert_refusals(language)
    codes = {code for code in QuestionRefusal if code.startswith("ALERT_")}
    assert set(words) == codes == {QuestionRefusal.ALERT_INVALID, *ALERT_FIELDS}
    assert len(set(words.values())) == len(words)
    for code, field in ALERT_FIELDS.items():
        assert f" {field} " in words[code]
    assert "Alertmanager" in words[QuestionRefusal.ALERT_INVALID]


def test_the_languages_differ():
    assert not set(alert_refusals("zh").values()) & set(alert_refusals("en").values())
