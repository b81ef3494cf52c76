"""No answer is taken for another type, and none is kept that does not say that it may be."""

import re
import socket

import httpx
import pytest

from each_case import for_each
from heliograph import __version__
from live_gateway import LiveGateway

pytest_plugins = ("live_fixtures",)
UNKNOWN = "01890000-0000-7000-8000-000000000000"
CACHED = (f"/dashboard/static/{__version__}/style.css", "/docs/start.js")


@for_each(
    ("method", "path"),
    [
        ("GET", "/api/v1/devices"),
        ("GET", f"/api/v1/messages/{UNKNOWN}"),
        ("GET", "/api/v1/messages/x"),
        ("GET", "/api/v1/messages?limit=0"),
        ("POST", "/api/v1/messages"),
        ("PUT", "/api/v1/devices"),
        ("GET", "/api/v1/nothing"),
        ("GET", "/api/v1"),
        ("GET", "/openapi.json"),
        ("GET", "/docs"),
        ("GET", "/docs/nothing"),
        ("GET", "/nothing"),
        ("GET", "/media/nothing"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/"),
        ("POST", "/mcp"),
        ("GET", "/dashboard"),
        ("GET", "/dashboard/nothing"),
        ("POST", "/try-out"),
        ("GET", "/help/"),
        *(("GET", path) for path in CACHED),
    ],
)
@for_each("key", ["right", "wrong", "none"])
def test_every_answer_says_what_it_is_and_whether_it_may_be_kept(
    gateway: LiveGateway, method: str, path: str, key: str
) -> None:
    headers = {"right": gateway.headers, "wrong": {"Authorization": "Bearer x"}, "none": {}}[key]
    answer = httpx.request(method, gateway.base_url + path, headers=headers, timeout=60)
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    [kept] = answer.headers.get_list("cache-control")
    if path in CACHED:
        assert "max-age" in kept
    elif not path.startswith("/help"):
        assert kept == "no-store"


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"x" * 9000),
        b"GET / HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n" % (b"x" * 70_000),
    ],
    ids=["no host", "no request", "long address", "long head"],
)
def test_what_is_refused_before_it_is_read_says_so_too(gateway: LiveGateway, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as connection:
        connection.sendall(head)
        answer = connection.recv(65_536).decode()
    assert re.match(r"HTTP/1.1 4\d\d ", answer)
    assert "x-content-type-options: nosniff\r\n" in answer
    assert "cache-control: no-store\r\n" in answer
