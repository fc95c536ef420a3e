"""Names of time zones in settings, checked against the zone database."""

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator


def _known(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("not an IANA time zone such as Asia/Shanghai") from None
    return name


ZoneName = Annotated[str, AfterValidator(_known)]
