"""Webhook payloads as Alertmanager and Grafana send them."""

from typing import Any

NOT_ENDED = "0001-01-01T00:00:00Z"


def alert(**more: Any) -> dict[str, Any]:
    """One alert of the incident that ships with us."""
    return {
        "status": "firing",
        "labels": {
            "severity": "critical",
            "service": "billing-portal",
            "alertname": "HttpErrorRate",
        },
        "annotations": {"summary": "billing-portal pages have been failing"},
        "startsAt": "2026-03-11T07:40:00.123456789+01:00",
        "endsAt": NOT_ENDED,
        "generatorURL": "http://prometheus.example.com/graph?g0.expr=up",
        "fingerprint": "c6eadffa33fcdf37",
        **more,
    }


def alertmanager(*alerts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A notification of Alertmanager, version 4."""
    return {
        "version": "4",
        "groupKey": '{}:{alertname="HttpErrorRate"}',
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "diagnosis",
        "groupLabels": {"alertname": "HttpErrorRate"},
        "commonLabels": {"alertname": "HttpErrorRate"},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example.com",
        "alerts": list(alerts or [alert()]),
        **more,
    }


def grafana(*alerts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A notification of Grafana, which adds fields to that."""
    extra = {
        "dashboardURL": "http://grafana.example.com/d/1",
        "panelURL": "",
        "silenceURL": "http://grafana.example.com/alerting/silence/new",
        "values": {"B": 44.2, "C": 1},
    }
    return {
        **alertmanager(*({**extra, **one} for one in alerts or [alert()])),
        "version": "1",
        "orgId": 1,
        "title": "[FIRING:1] HttpErrorRate",
        "state": "alerting",
        "message": "**Firing**",
        **more,
    }
