"""What is a webhook payload of Alertmanager or Grafana, and which field of one is wrong."""

from typing import Any

import pytest

from graph.alerts import AlertRefused
from graph.alerts.payload import MAX_ALERTS, read_payload
from release.message import HEADINGS
from release.vocabulary import QuestionRefusal
from tests.fakes.alerts import NOT_ENDED, alert, alertmanager, grafana

VALID = alertmanager()


def without(given: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != key}


@pytest.mark.parametrize(
    "payload",
    [
        VALID,
        grafana(),
        grafana(alert(values=None)),
        alertmanager(without(alert(), "status")),
        alertmanager(without(alert(), "annotations")),
        alertmanager(without(alert(), "endsAt")),
        alertmanager(alert(annotations=None)),
        alertmanager(alert(labels={})),
        without(VALID, "truncatedAlerts"),
        without(VALID, "commonLabels"),
        {**VALID, "added": {"by": "a later release"}},
    ],
)
def test_what_they_send_is_taken(payload: dict[str, Any]) -> None:
    assert read_payload(payload).alerts[0].starts_at is not None


def test_times_are_instants_and_the_zero_time_is_none() -> None:
    (read,) = read_payload(VALID).alerts
    assert read.starts_at is not None
    assert read.starts_at.isoformat() == "2026-03-11T06:40:00.123456+00:00"
    assert read.ends_at is None
    (unknown,) = read_payload(alertmanager(alert(startsAt=NOT_ENDED))).alerts
    assert unknown.starts_at is None


@pytest.mark.parametrize(
    ("payload", "code", "field"),
    [
        ([VALID], "ALERT_INVALID", ""),
        ("canary", "ALERT_INVALID", ""),
        ({}, "ALERT_VERSION_UNSUPPORTED", "version"),
        ({**VALID, "version": "3"}, "ALERT_VERSION_UNSUPPORTED", "version"),
        ({**VALID, "version": 4}, "ALERT_VERSION_UNSUPPORTED", "version"),
        ({**VALID, "status": "canary"}, "ALERT_STATUS_INVALID", "status"),
        (without(VALID, "alerts"), "ALERT_ALERTS_INVALID", "alerts"),
        ({**VALID, "alerts": []}, "ALERT_ALERTS_INVALID", "alerts"),
        ({**VALID, "alerts": [alert()] * (MAX_ALERTS + 1)}, "ALERT_ALERTS_INVALID", "alerts"),
        ({**VALID, "alerts": [alert(), "canary"]}, "ALERT_ALERTS_INVALID", "alerts.1"),
        (alertmanager(alert(status="canary")), "ALERT_STATUS_INVALID", "alerts.0.status"),
        (alertmanager(without(alert(), "labels")), "ALERT_LABELS_INVALID", "alerts.0.labels"),
        (
            alertmanager(alert(labels={"status": ["canary"]})),
            "ALERT_LABELS_INVALID",
            "alerts.0.labels",
        ),
        (
            alertmanager(alert(annotations="canary")),
            "ALERT_ANNOTATIONS_INVALID",
            "alerts.0.annotations",
        ),
        (
            alertmanager(without(alert(), "startsAt")),
            "ALERT_STARTS_AT_INVALID",
            "alerts.0.startsAt",
        ),
        # no zone, no time, and a number that could be anything
        (
            alertmanager(alert(startsAt="2026-03-11T07:40:00")),
            "ALERT_STARTS_AT_INVALID",
            "alerts.0.startsAt",
        ),
        (alertmanager(alert(startsAt=1)), "ALERT_STARTS_AT_INVALID", "alerts.0.startsAt"),
        (alertmanager(alert(endsAt="canary")), "ALERT_ENDS_AT_INVALID", "alerts.0.endsAt"),
        ({**VALID, "truncatedAlerts": -1}, "ALERT_INVALID", "truncatedAlerts"),
    ],
)
def test_what_is_none_is_refused_by_its_first_wrong_field(
    payload: Any, code: str, field: str
) -> None:
    with pytest.raises(AlertRefused) as refused:
        read_payload(payload)
    assert (refused.value.refusal, refused.value.field) == (code, field)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_refusal_is_told_in_words(language: Any) -> None:
    told = HEADINGS[language].failed_reasons
    assert {refusal.value for refusal in QuestionRefusal} <= set(told)
    assert "startsAt" in told[QuestionRefusal.ALERT_STARTS_AT_INVALID]
