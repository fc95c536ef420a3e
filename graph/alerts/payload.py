"""The webhook payload of Alertmanager (version 4) and of Grafana, which adds to it (version 1).

Checked as far as a question rests on it; fields beyond that may come and go with their releases.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from release.refusals import ALERT_FIELDS
from release.vocabulary import QuestionRefusal

MAX_ALERTS = 10_000
_REFUSALS = {field: refusal for refusal, field in ALERT_FIELDS.items()}
Status = Literal["firing", "resolved"]


class AlertRefused(ValueError):
    """The payload is none of the two. `refusal` is its stable code; `field` the first field that is
    wrong, as a path, empty for the payload itself. No value of the payload is repeated."""

    def __init__(self, refusal: QuestionRefusal, field: str) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
        self.field = field


def _known(moment: datetime) -> datetime | None:
    """The zero time of Go means that there is none."""
    return None if moment.year == 1 else moment.astimezone(UTC)


def _texts(value: Any) -> Any:
    return {} if value is None else value


def _written(value: Any) -> Any:
    """A number would be taken for seconds since 1970."""
    if not isinstance(value, str):
        raise ValueError("not a time in RFC 3339")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_known)]
Texts = Annotated[dict[str, str], BeforeValidator(_texts)]


class Alert(BaseModel):
    """One alert. Times in UTC or None; `values` are Grafana's, of the expressions it evaluated."""

    model_config = ConfigDict(
        extra="ignore", frozen=True, hide_input_in_errors=True, defer_build=True
    )

    status: Status | None = None
    labels: Texts
    annotations: Texts = {}
    starts_at: Annotated[Moment, Field(alias="startsAt")]
    ends_at: Annotated[Moment | None, Field(alias="endsAt")] = None
    values: Any = None


class AlertGroup(BaseModel):
    """What one notification carries. `truncated` counts the alerts that were left out of it."""

    model_config = ConfigDict(
        extra="ignore", frozen=True, hide_input_in_errors=True, defer_build=True
    )

    version: Literal["4", "1"]
    status: Status
    alerts: Annotated[list[Alert], Field(min_length=1, max_length=MAX_ALERTS)]
    truncated: Annotated[int, Field(alias="truncatedAlerts", ge=0)] = 0


def read_payload(payload: Any) -> AlertGroup:
    """The payload as it is understood. Raises `AlertRefused`."""
    if not isinstance(payload, dict):
        raise AlertRefused(QuestionRefusal.ALERT_INVALID, "")
    try:
        return AlertGroup.model_validate(payload)
    except ValidationError as wrong:
        raise _refused(wrong) from None


def _refused(wrong: ValidationError) -> AlertRefused:
    """By the first field that is wrong; what a path says below it may be the payload's words."""
    whole = wrong.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    path = whole[:3] if whole[0] == "alerts" else whole[:1]
    name = next(part for part in reversed(path) if isinstance(part, str))
    refusal = _REFUSALS.get(name, QuestionRefusal.ALERT_INVALID)
    return AlertRefused(refusal, ".".join(map(str, path)))
