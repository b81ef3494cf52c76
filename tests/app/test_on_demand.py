"""A part of the application is loaded by its first request, once, and closed by who opened it."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.app.on_demand import opened_on_demand


class Part:
    """A part that notes what happens to it. Its first loads fail."""

    def __init__(self, failures: int = 0) -> None:
        self.events: list[str] = []
        self._failures = failures
        self._task: asyncio.Task[object] | None = None

    def load(self) -> AbstractAsyncContextManager[ASGIApp]:
        assert threading.current_thread() is not threading.main_thread()
        self.events.append("loaded")
        if self.events.count("loaded") <= self._failures:
            raise MemoryError("no room")
        return self._opened()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[ASGIApp]:
        task = asyncio.current_task()
        yield self._serve
        assert asyncio.current_task() is task
        self.events.append("closed")

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.events.append(scope["path"])


async def ask(app: ASGIApp, path: str) -> None:
    async def never(*_: object) -> None:
        raise AssertionError

    await app({"type": "http", "path": path}, never, never)  # type: ignore[arg-type]


async def test_it_is_loaded_once_by_the_first_who_ask() -> None:
    part = Part()
    async with opened_on_demand(part.load) as app:
        await asyncio.sleep(0)
        assert part.events == []
        await asyncio.gather(ask(app, "a"), ask(app, "b"))
        await ask(app, "c")
        assert part.events == ["loaded", "a", "b", "c"]
    assert part.events[-1] == "closed"


async def test_it_is_never_loaded_if_nobody_asks() -> None:
    part = Part()
    async with opened_on_demand(part.load):
        pass
    assert part.events == []


async def test_who_comes_too_late_does_not_wait_for_ever() -> None:
    part = Part()
    async with opened_on_demand(part.load) as app:
        pass
    with pytest.raises(asyncio.CancelledError):
        await ask(app, "a")
    assert part.events == []


async def test_after_a_failure_the_next_request_tries_again() -> None:
    part = Part(failures=1)
    async with opened_on_demand(part.load) as app:
        outcomes = await asyncio.gather(ask(app, "a"), ask(app, "b"), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [MemoryError, MemoryError]
        await ask(app, "c")
    assert part.events[-2:] == ["c", "closed"]


async def test_who_goes_away_stops_nobody_else() -> None:
    part = Part()
    async with opened_on_demand(part.load) as app:
        first = asyncio.create_task(ask(app, "a"))
        await asyncio.sleep(0)
        first.cancel()
        await ask(app, "b")
    assert part.events == ["loaded", "b", "closed"]


async def test_an_error_of_the_work_closes_it_too() -> None:
    part = Part()

    async def work() -> None:
        async with opened_on_demand(part.load) as app:
            await ask(app, "a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()
    assert part.events == ["loaded", "a", "closed"]


def test_a_node_starts_without_the_tool_server() -> None:
    asked = "import sys, heliograph.app.node_process; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in told.stdout.split()}
    assert "fastapi" in loaded
    assert not loaded & {"mcp", "mcp_types"}
