"""A LangChain tool as an evidence source.

Codes: `tools.adapters.faults`, and `TOOL_RESULT_UNREADABLE` for an answer without any text in it.
The tool's error text never leaves this package (C4), and neither do its arguments: it runs without
the callbacks of the run around it.
"""

from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from tools.adapters.faults import failure_of
from tools.adapters.foreign import ForeignTool
from tools.adapters.inputs import given_values, input_model
from tools.adapters.results import read_result
from tools.evidence import EvidenceTool, ToolFailure, ToolResult

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def as_evidence_tool(
    base_tool: "BaseTool", *, factual: bool = False, read_only: bool = False
) -> EvidenceTool[Any]:
    """Wraps any LangChain tool, MCP tools included, under its own name and description.

    `factual`: whether a root cause may rest on it alone (C6.2); state it for a source of facts.
    `read_only`: declares that the tool changes nothing, for one whose MCP annotations say that it
    may. Raises ValueError for such a tool without it, and for one whose arguments LangChain would
    not pass on; TypeError for what is no LangChain tool.
    """
    from langchain_core.tools import BaseTool

    if not isinstance(base_tool, BaseTool):
        raise TypeError("as_evidence_tool takes a LangChain tool")
    if _may_write(base_tool.metadata or {}) and not read_only:
        raise ValueError(f"{base_tool.name} may change data: declare it read_only=True or leave it")
    kind = type(
        "AdaptedTool",
        (_AdaptedTool,),
        {
            "name": base_tool.name,
            "description": base_tool.description or base_tool.name,
            "Input": input_model(base_tool),
            "factual": factual,
        },
    )
    return cast("EvidenceTool[Any]", kind(base_tool))


def _may_write(annotations: dict[str, Any]) -> bool:
    """What MCP annotations say, when there are any: who does not say read-only may write."""
    hints = {"readOnlyHint", "destructiveHint"} & annotations.keys()
    return bool(hints) and annotations.get("readOnlyHint") is not True


class _AdaptedTool(ForeignTool):
    def __init__(self, base_tool: "BaseTool") -> None:
        # a handled error would come back as content, and be taken for evidence
        self._tool = base_tool.model_copy(
            update={"handle_tool_error": False, "handle_validation_error": False}
        )

    async def search(self, request: BaseModel) -> ToolResult:
        """One call. Raises `ToolFailure`; codes: see the module."""
        try:
            content, artifact = await self._answer(self._sent(request))
            return read_result(content, artifact, tool=self.name, factual=self.factual)
        except ToolFailure:
            raise
        except Exception as error:  # noqa: BLE001 - a foreign tool's own; only its kind is told
            raise failure_of(error) from None

    def _sent(self, request: BaseModel) -> dict[str, Any]:
        """What a JSON schema describes is sent exactly as its scope says."""
        if isinstance(self._tool.args_schema, dict):
            return self.scope(request)
        return given_values(request, mode="python")

    async def _answer(self, arguments: dict[str, Any]) -> tuple[Any, Any]:
        """Content and artifact; without an artifact the content as the tool made it."""
        from langchain_core.messages import ToolMessage

        asked: Any = arguments
        if self._tool.response_format == "content_and_artifact":
            asked = {"type": "tool_call", "id": "1", "name": self.name, "args": arguments}
        answer = await self._tool.ainvoke(asked, {"callbacks": []})
        if not isinstance(answer, ToolMessage):
            return answer, None
        if answer.status == "error":
            raise ToolFailure("TOOL_FAILED", retryable=False)
        return answer.content, answer.artifact
