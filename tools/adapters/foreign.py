"""What every adapted tool shares, whoever it comes from: its arguments are its scope."""

from typing import Any, cast

from pydantic import BaseModel

from tools.adapters.inputs import given_values
from tools.evidence import EvidenceTool
from tools.scope import canonical_value


class ForeignTool(EvidenceTool[BaseModel]):
    """A tool whose name, description and input are its maker's."""

    def scope(self, request: BaseModel) -> dict[str, Any]:
        """The arguments as they are sent: defaults filled in, texts canonical (C5.3)."""
        return cast("dict[str, Any]", canonical_value(given_values(request, mode="json")))
