"""A customer's endpoint: an HTTP server in a thread that keeps what it is posted."""

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

from acceptance.running_program import Program, wait_for


@dataclass(frozen=True)
class Hook:
    """One webhook as it came."""

    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @cached_property
    def payload(self) -> dict[str, Any]:
        return dict(json.loads(self.body))

    @property
    def type(self) -> str:
        return str(self.payload["type"])

    @cached_property
    def data(self) -> dict[str, Any]:
        return dict(self.payload["data"])

    def verify(self, secret: str) -> None:
        """Raises when the signature is not this secret's."""
        Webhook(secret).verify(self.body, self.headers)


@dataclass
class HookReceiver:
    url: str
    hooks: list[Hook] = field(default_factory=list)
    status: int = 200
    """How it answers, from now on."""

    def of(self, message_id: str) -> list[Hook]:
        """What came about one message, in order."""
        return [hook for hook in list(self.hooks) if hook.data.get("id") == message_id]

    def wait_for(self, message_id: str, *types: str, seconds: float = 60) -> list[Hook]:
        """What came about one message, once these types are among it."""

        def found() -> list[Hook] | None:
            hooks = self.of(message_id)
            return hooks if set(types) <= {hook.type for hook in hooks} else None

        return wait_for(found, seconds)


@dataclass(frozen=True)
class Subscribed:
    """A webhook that takes everything, and where it leads."""

    receiver: HookReceiver
    webhook_id: str
    secret: str


def subscribe(program: Program, receiver: HookReceiver) -> Subscribed:
    made = json.loads(program.cli("webhooks", "create", "--url", receiver.url, "--json"))
    return Subscribed(receiver, made["id"], made["secret"])


@contextlib.contextmanager
def receiving_hooks(answer: bytes = b"") -> Iterator[HookReceiver]:
    """`answer` is the body with which it takes each webhook."""
    receiver = HookReceiver("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.hooks.append(Hook(headers, body))
            self.send_response(receiver.status)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 1024

    server = Server(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
