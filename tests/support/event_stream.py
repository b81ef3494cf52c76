"""A browser that listens to an organization's events: httpx's ASGI transport keeps what comes until
all of it has, so the application is asked as a server does."""

import asyncio
from typing import Any, Self

from dashboard_scene import COOKIE, NO_CALLS, PATIENCE, DashboardScene, Person
from heliograph.faces.dashboard.app import create_dashboard


class Stream:
    def __init__(self, scene: DashboardScene, person: Person, path: str) -> None:
        self._app = create_dashboard(scene.gateway, NO_CALLS, lambda: self.is_node_leaving)
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"cookie", f"{COOKIE}={person.token}".encode())],
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 1),
        }
        self._gone = asyncio.Event()
        self._chunks: asyncio.Queue[str] = asyncio.Queue()
        self._has_asked = False
        self.is_node_leaving = False
        self.headers: dict[str, str] = {}
        self.task: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        self.task = asyncio.create_task(self._listen())
        await self.until("event: look")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._gone.set()
        await asyncio.wait_for(self.task, PATIENCE)

    async def _listen(self) -> None:
        await self._app(self._scope, self._receive, self._send)

    async def until(self, text: str) -> str:
        """Everything up to the piece in which the text is."""
        heard = ""
        async with asyncio.timeout(PATIENCE):
            while text not in heard:
                heard += await self._chunks.get()
        return heard

    def rest(self) -> str:
        """What has come and was not asked for."""
        pieces = [self._chunks.get_nowait() for _ in range(self._chunks.qsize())]
        return "".join(pieces)

    async def _receive(self) -> dict[str, Any]:
        if not self._has_asked:
            self._has_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            await self._chunks.put(message.get("body", b"").decode())
