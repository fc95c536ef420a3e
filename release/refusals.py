"""Why an alert given as the question was refused, in words that name its wrong field."""

from collections.abc import Mapping
from types import MappingProxyType

from release.vocabulary import Language, QuestionRefusal

ALERT_FIELDS = {
    QuestionRefusal.ALERT_VERSION_UNSUPPORTED: "version",
    QuestionRefusal.ALERT_STATUS_INVALID: "status",
    QuestionRefusal.ALERT_ALERTS_INVALID: "alerts",
    QuestionRefusal.ALERT_LABELS_INVALID: "labels",
    QuestionRefusal.ALERT_ANNOTATIONS_INVALID: "annotations",
    QuestionRefusal.ALERT_STARTS_AT_INVALID: "startsAt",
    QuestionRefusal.ALERT_ENDS_AT_INVALID: "endsAt",
}
"""The field of a webhook payload that each code names."""
_WORDS: Mapping[Language, tuple[str, str]] = {
    "zh": (
        "告警内容不是 Alertmanager（版本 4）或 Grafana（版本 1）的 webhook 内容。",
        "告警的字段 {} 缺失或不符合 Alertmanager（版本 4）、Grafana（版本 1）的 webhook 格式。",
    ),
    "en": (
        "The alert is not a webhook payload of Alertmanager (version 4) or Grafana (version 1).",
        "The alert's field {} is missing or not as the webhooks of Alertmanager (version 4) and"
        " Grafana (version 1) have it.",
    ),
}


def alert_refusals(language: Language) -> Mapping[str, str]:
    """By error code."""
    whole, field = _WORDS[language]
    named: dict[str, str] = {code: field.format(name) for code, name in ALERT_FIELDS.items()}
    return MappingProxyType({QuestionRefusal.ALERT_INVALID: whole, **named})
