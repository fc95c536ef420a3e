"""A chat completions provider on loopback: one server a session, one script a conversation.

It answers each model by name from its script, as JSON or as server-sent events, just as the request
asks, and notes everything in a request that no strict provider would accept.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.wire import bodies
from tests.wire.protocol import violations

PATIENCE_SECONDS = 60


@dataclass
class Conversation:
    """What the provider says to each model's requests, in order, and what it was sent.

    A reply may be a function of the request. `refuses`: request parameters that it answers with
    400, as some providers do.
    """

    replies: dict[str, list[Any]]
    refuses: tuple[str, ...] = ()
    requests: list[dict[str, Any]] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    hanging: threading.Event = field(default_factory=threading.Event)

    def next_reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The script's reply; one that no script holds is a violation of its own."""
        self.requests.append(request)
        self.violations += violations(request)
        refused = [name for name in self.refuses if name in request]
        if refused:
            return {"status": 400, "echo": f"Unsupported parameter: {refused[0]}"}
        left = self.replies.get(request["model"], [])
        if not left:
            self.violations.append(f"{request['model']}: asked beyond its script")
            return {"status": 400}
        reply = left.pop(0)
        return reply(request) if callable(reply) else reply

    def unused(self) -> dict[str, int]:
        """How many replies of each model were not asked for."""
        return {model: len(left) for model, left in self.replies.items() if left}


class Provider:
    """The server; conversations are told apart by the first part of the path."""

    def __init__(self) -> None:
        self._conversations: dict[str, Conversation] = {}
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        route = Route("/{key}/v1/chat/completions", self._complete, methods=["POST"])
        app = Starlette(routes=[route])
        config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
        self._server = uvicorn.Server(config)

    @contextmanager
    def serving(self) -> Iterator["Provider"]:
        """Ready until the context ends."""
        thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        thread.start()
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not self._server.started:
            assert time.monotonic() < give_up
            time.sleep(0.01)
        yield self
        self._server.should_exit = self._server.force_exit = True
        thread.join(PATIENCE_SECONDS)

    def converse(self, conversation: Conversation) -> str:
        """The base URL at which it is held."""
        key = f"c{len(self._conversations)}"
        self._conversations[key] = conversation
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/{key}/v1"

    async def _complete(self, request: Request) -> Response:
        conversation = self._conversations[request.path_params["key"]]
        asked = await request.json()
        reply = conversation.next_reply(asked)
        if reply.get("fault") == "hang":
            conversation.hanging.set()
            await _until_gone(request)
        if "status" in reply:
            return _refusal(reply, asked)
        if reply.get("fault") == "html":
            return HTMLResponse("<html>secret proxy page</html>")
        headers = {"connection": "close"}
        if not asked.get("stream"):
            return JSONResponse(bodies.completion(reply, asked["model"]), headers=headers)
        events = _events(reply, asked, conversation)
        return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _events(reply: dict[str, Any], asked: dict[str, Any], conversation: Conversation) -> Any:
    wants_usage = bool((asked.get("stream_options") or {}).get("include_usage"))
    chunks = bodies.chunks(reply, asked["model"], usage=wants_usage)
    fault = reply.get("fault")
    for number, chunk in enumerate(chunks):
        if fault == "trickle":
            while True:
                conversation.hanging.set()
                yield bodies.event({**chunk, "usage": None})
                await asyncio.sleep(0.01)
        if fault and number == len(chunks) // 2:
            if fault == "reset":
                raise ConnectionResetError
            if fault == "cut":
                return
            if fault == "stall":
                conversation.hanging.set()
                await asyncio.Event().wait()
            if fault == "error_event":
                yield bodies.event({"error": {"message": "secret", "code": "overloaded"}})
                return
        yield bodies.event(chunk)
    yield "data: [DONE]\n\n"


def _refusal(reply: dict[str, Any], asked: dict[str, Any]) -> Response:
    """An error as OpenAI words it; like some gateways, it repeats the whole request."""
    error = {"message": f"secret {reply.get('echo', '')} {asked['messages']}", "type": "error"}
    headers = {name: str(value) for name, value in reply.get("headers", {}).items()}
    return JSONResponse({"error": error}, status_code=reply["status"], headers=headers)


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
