"""A server that was told to stop: who is connected is asked to go elsewhere, and nobody is cut."""

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from heliograph.app import server as server_module
from heliograph.app.server import configure_server
from heliograph.faces.api.request_logging import RequestIdMiddleware
from server_in_thread import PATIENCE, ServerInThread, serving


class Running:
    """A server whose `/` answers at once, `/late` when `answer` is set, and `/never` not at all."""

    def __init__(self) -> None:
        self.asked, self.answer = threading.Event(), threading.Event()
        routes = [Route(path, self._respond) for path in ("/", "/late", "/never")]
        app = RequestIdMiddleware(Starlette(routes=routes))
        self.config = configure_server(app)
        self.server: ServerInThread

    async def _respond(self, request: Request) -> PlainTextResponse:
        path = request.url.path
        if path != "/":
            self.asked.set()
        if path == "/never":
            await asyncio.Event().wait()
        if path == "/late":
            await asyncio.to_thread(self.answer.wait)
        return PlainTextResponse(path)

    def connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(*self.server.address, timeout=PATIENCE)
        connection.connect()
        return connection


@pytest.fixture
def running() -> Iterator[Running]:
    running = Running()
    with serving(running.config) as running.server:
        yield running
        running.answer.set()


def ask(connection: http.client.HTTPConnection, path: str = "/") -> http.client.HTTPResponse:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer


def test_a_connection_is_told_that_it_closes_before_it_does(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "LINGER_TIMEOUT", PATIENCE)
    connection = running.connect()
    assert ask(connection).getheader("connection") is None

    running.server.drain()

    while (answer := ask(connection)).getheader("connection") is None:
        assert answer.status == 200
    assert (answer.status, answer.getheader("connection")) == (200, "close")
    running.server.thread.join(PATIENCE / 2)  # nobody is left to wait for
    assert not running.server.thread.is_alive()


def test_who_comes_meanwhile_is_answered_too(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "LINGER_TIMEOUT", PATIENCE)
    idle = running.connect()
    ask(idle)
    running.server.drain()

    late = running.connect()

    assert ask(late).status == 200


def test_what_is_under_way_ends_and_closes_its_connection(running: Running) -> None:
    connection = running.connect()
    connection.request("GET", "/late")
    assert running.asked.wait(PATIENCE)

    running.server.drain()
    threading.Event().wait(1.5)
    running.answer.set()

    answer = connection.getresponse()
    assert (answer.read(), answer.getheader("connection")) == (b"/late", "close")


def test_what_does_not_end_in_time_is_told_to_come_again(running: Running) -> None:
    connection = running.connect()
    connection.request("GET", "/never")
    assert running.asked.wait(PATIENCE)

    running.server.drain()

    answer = connection.getresponse()
    assert (answer.status, answer.getheader("connection")) == (503, "close")
    assert answer.getheader("retry-after") == "1"
    assert answer.getheader("x-request-id")
    body = json.loads(answer.read())
    assert (body["code"], body["maybe_stored"]) == ("unavailable", True)
    assert "is stopping" in body["detail"]
