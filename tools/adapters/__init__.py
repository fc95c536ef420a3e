"""Other people's tools as evidence sources.

    tool                            a LangChain tool
    mcp_tools, mcp_session          the tools of an MCP server (extra `mcp`)
    foreign                         what both share
    inputs, results, faults         its typed `Input`, what it answered, what it raised
    own_loop                        a call that is taken down whatever becomes of its caller

`examples.toml` beside this file shows how servers for logs, metrics and Kubernetes are configured.
"""

from tools.adapters.tool import as_evidence_tool

__all__ = ["as_evidence_tool"]
