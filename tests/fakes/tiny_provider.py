"""A loopback server that speaks just enough chat completions: it answers everything alike, whole or
streamed as it is asked, and keeps what it was sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class TinyProvider:
    """`answer` makes the message, finish reason included, of a request; `usage` is reported as it
    is. A `status` other than 200 echoes the key and the prompt in its error."""

    answer: Any
    usage: dict[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    )
    status: int = 200
    usage_in_choice: bool = False
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""

    def reply(self, body: dict[str, Any]) -> tuple[str, str]:
        """Content type and text."""
        message = self.answer(body) if callable(self.answer) else self.answer
        if isinstance(message, str):
            message = {"role": "assistant", "content": message}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        head = {"id": "x", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            whole = {**head, "object": "chat.completion", "choices": [choice], "usage": self.usage}
            return "application/json", json.dumps(whole)
        for number, call in enumerate(message.get("tool_calls", [])):
            call["index"] = number
        last: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": finish}
        last |= {"usage": self.usage} if self.usage_in_choice else {}
        parts: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {"choices": [last]},
        ]
        if not self.usage_in_choice:
            parts.append({"choices": [], "usage": self.usage})
        lines = [json.dumps({**head, "object": "chat.completion.chunk", **part}) for part in parts]
        return "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])


@contextmanager
def serving(provider: TinyProvider) -> Iterator[TinyProvider]:
    """The provider at its `url`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            body = json.loads(raw)
            provider.bodies.append(body)
            provider.keys.append(self.headers["Authorization"])
            if provider.status == 200:
                kind, text = provider.reply(body)
            else:
                said = f"{self.headers['Authorization']} {raw.decode()}"
                kind, text = "application/json", json.dumps({"error": {"message": said}})
            self.send_response(provider.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    provider.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
