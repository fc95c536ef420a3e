"""Other people's tools as evidence sources.

`tool` wraps a LangChain tool (MCP tools come as such), `inputs` makes its typed `Input`, `results`
reads evidence out of whatever it answers.
"""

from tools.adapters.tool import as_evidence_tool

__all__ = ["as_evidence_tool"]
