"""The graph: every node and every edge, a line each (C1)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from langgraph.graph import END, START, StateGraph
from langgraph.types import Checkpointer

from graph import routing
from graph.compiled import SCHEMA_KEY
from graph.compiled import DiagnosisGraph as DiagnosisGraph
from graph.contract.limits import Limits
from graph.contract.vocabulary import Component
from graph.models import Models
from graph.nodes.begin import begin_node
from graph.nodes.calls import is_tool_name
from graph.nodes.envelope_gate import MAX_CALLS_A_MESSAGE, envelope_gate_node
from graph.nodes.frame import framed, framed_begin
from graph.nodes.model import model_node
from graph.nodes.release import release_node
from graph.nodes.route import route_node
from graph.nodes.stop_required import stop_required_node
from graph.nodes.tool import tool_node
from graph.parts import ChatRunnable, Parts
from graph.settings import Settings, SettingsError
from graph.state import SCHEMA_VERSION, InputState, OutputState, State
from graph.wire_client import accountable
from prompts import PromptFileError, Prompts, load_prompts
from tools.binding import function_schema
from tools.boundary import ToolBoundary
from tools.evidence import EvidenceTool
from tools.invocations import InvocationStore

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def build_graph(
    *,
    models: "BaseChatModel | Models",
    tools: Sequence[EvidenceTool[Any]],
    invocations: InvocationStore,
    settings: Settings | None = None,
    checkpointer: Checkpointer = None,
    now: Callable[[], datetime] | None = None,
) -> DiagnosisGraph:
    """The compiled diagnosis graph. Raises `SettingsError` before anything is served (C3.7)."""
    settings = settings or Settings()
    by_name = _by_name(tools)
    zone = ZoneInfo(settings.time_zone)
    parts = Parts(
        models=_bound(models if isinstance(models, Models) else Models(models), tools),
        tools=by_name,
        boundary=ToolBoundary(invocations),
        settings=settings,
        prompts=_prompts(settings),
        now=now or (lambda: datetime.now(zone)),
    )
    graph = StateGraph(State, input_schema=InputState, output_schema=OutputState)
    graph.add_node("begin", framed_begin(begin_node(parts)))
    graph.add_node("route", framed(route_node(parts), announces_from=0))
    graph.add_node("model", framed(model_node(parts)))
    graph.add_node("envelope_gate", framed(envelope_gate_node(parts)))
    graph.add_node("tool", framed(tool_node(parts)))
    graph.add_node("stop_required", framed(stop_required_node(parts)))
    graph.add_node("release", framed(release_node(parts)))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "route")
    graph.add_conditional_edges("route", routing.after_route)
    graph.add_conditional_edges("model", routing.after_model)
    graph.add_conditional_edges("envelope_gate", routing.after_envelope_gate)
    graph.add_conditional_edges("tool", routing.after_tool)
    graph.add_conditional_edges("stop_required", routing.after_stop_required)
    graph.add_edge("release", END)
    compiled = DiagnosisGraph(**vars(graph.compile(checkpointer=checkpointer, name="diagnosis")))
    return compiled.with_config(
        {
            "recursion_limit": recursion_limit(settings.limits()),
            "metadata": {SCHEMA_KEY: SCHEMA_VERSION},
        }
    )


def recursion_limit(limits: Limits) -> int:
    """More supersteps than the budget lets a run take, so that only the budget ends it (C1.4)."""
    steps_a_call = 2
    steps_a_round = 2 + steps_a_call * MAX_CALLS_A_MESSAGE
    return 8 + limits["max_model_calls"] * steps_a_round


def _by_name(tools: Sequence[EvidenceTool[Any]]) -> dict[str, EvidenceTool[Any]]:
    by_name = {tool.name: tool for tool in tools}
    if len(by_name) < len(tools):
        raise SettingsError("tools: two tools have the same name; names are unique")
    for name in by_name:
        if not is_tool_name(name):
            raise SettingsError(
                f"tools: {name!r} is no tool name; take 1 to 64 of A-Z a-z 0-9 _ -, not 'unknown'"
            )
    return by_name


def _bound(models: Models, tools: Sequence[EvidenceTool[Any]]) -> dict[Component, ChatRunnable]:
    bound: dict[Component, ChatRunnable] = {
        component: accountable(model) for component, model in models.by_component().items()
    }
    if tools:
        schemas = [function_schema(tool) for tool in tools]
        bound[Component.DIAGNOSIS_AGENT] = _with_tools(accountable(models.agent), schemas)
    return bound


def _with_tools(model: "BaseChatModel", schemas: list[dict[str, Any]]) -> ChatRunnable:
    try:
        return model.bind_tools(schemas, parallel_tool_calls=False)
    except NotImplementedError:
        raise SettingsError(
            f"models.agent: {type(model).__name__} cannot be bound to tools; take a chat model"
            " with native tool calling"
        ) from None


def _prompts(settings: Settings) -> Prompts:
    try:
        return load_prompts(settings.prompts.dir)
    except PromptFileError as error:
        raise SettingsError(f"prompts.dir: {error}") from None
