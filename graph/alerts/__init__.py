"""A monitoring alert as a question.

    payload   what Alertmanager and Grafana send to a webhook, checked
    scope     that as the plain lines that stand in the question

Pure: no I/O, no clock. An alert is data: it says where to look, never what to do.
"""

from graph.alerts.payload import AlertRefused as AlertRefused
from graph.alerts.scope import alert_question as alert_question
