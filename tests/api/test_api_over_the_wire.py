"""What only a real connection shows: bodies without a length, clients that never stop sending."""

import gzip
import json
import socket
from collections.abc import Iterator
from typing import cast

import httpx
import pytest

from each_case import for_each
from heliograph.faces.coding_tools import HEADER
from live_gateway import LiveGateway

pytest_plugins = ("live_fixtures",)
BUTTONS = "/api/v1/messages/send/interactive/buttons"
SYNC = "/api/v1/contacts/sync"
JSON = {"Content-Type": "application/json"}


GOOD = json.dumps(
    {"phone_number": "+5511999990000", "body": "Hello", "buttons": [{"id": "yes", "title": "Yes"}]}
).encode()


class Wire:
    """One connection on which a request is written by hand."""

    def __init__(self, gateway: LiveGateway) -> None:
        self._socket = socket.create_connection(("127.0.0.1", gateway.port), timeout=10)
        self.key = gateway.demo.api_key
        self.host = f"127.0.0.1:{gateway.port}"

    def begin(self, *headers: str, method: str = "POST", path: str = BUTTONS) -> None:
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: test",
            f"Authorization: Bearer {self.key}",
            "Content-Type: application/json",
            *headers,
        ]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send_chunk(self, data: bytes) -> None:
        self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def read(self) -> tuple[int, dict[str, object]]:
        """The next answer's status and body, while this side may still be sending."""
        head, _, rest = self.read_head().partition("\r\n\r\n")
        lines, body = head.lower().split("\r\n"), rest.encode("latin-1")
        length = next(int(line[15:]) for line in lines if line.startswith("content-length:"))
        while len(body) < length:
            body += self._receive()
        return int(lines[0].split()[1]), json.loads(body)

    def read_head(self) -> str:
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._receive()
        return received.decode("latin-1")

    def _receive(self) -> bytes:
        data = self._socket.recv(65536)
        assert data, "the gateway hung up"
        return data

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def wire(gateway: LiveGateway) -> Iterator[Wire]:
    wire = Wire(gateway)
    yield wire
    wire.close()


def test_a_chunked_message_is_accepted(wire: Wire) -> None:
    wire.begin("Transfer-Encoding: chunked")
    wire.send_chunk(GOOD[:20])
    wire.send_chunk(GOOD[20:])
    wire.send(b"0\r\n\r\n")
    status, answer = wire.read()
    assert (status, answer["success"]) == (200, True)


def test_a_trailer_is_no_header(wire: Wire) -> None:
    wire.send(f"POST {BUTTONS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    wire.send_chunk(b"{}")
    wire.send(f"0\r\nAuthorization: Bearer {wire.key}\r\n\r\n".encode())
    status, answer = wire.read()
    assert (status, answer["code"]) == (401, "missing_api_key")


@pytest.mark.parametrize("path", [BUTTONS, "/mcp"])
@pytest.mark.parametrize("framing", ["Content-Length: 60000", "Transfer-Encoding: chunked"])
def test_without_a_key_nothing_of_the_body_is_waited_for(
    wire: Wire, path: str, framing: str
) -> None:
    wire.send(f"POST {path} HTTP/1.1\r\nHost: {wire.host}\r\n{framing}\r\n\r\n".encode())
    status, answer = wire.read()
    assert (status, answer["code"]) == (401, "missing_api_key")


@pytest.mark.parametrize("page", ["{}/devices/connect", "sign-out"])
def test_without_a_session_nothing_of_a_form_is_waited_for(
    gateway: LiveGateway, wire: Wire, page: str
) -> None:
    path = f"/dashboard/{page.format(gateway.demo.organization_id)}"
    wire.begin("Content-Length: 60000", path=path)
    assert wire.read_head().startswith("HTTP/1.1 303 ")


@pytest.mark.parametrize("length", ["2000000", "2000000".zfill(30)])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", BUTTONS), ("POST", "/mcp"), ("GET", "/api/v1/devices")]
)
def test_a_length_beyond_the_limit_is_refused_before_the_key_and_the_body(
    wire: Wire, method: str, path: str, length: str
) -> None:
    head = f"{method} {path} HTTP/1.1\r\nHost: {wire.host}\r\nContent-Length: {length}\r\n\r\n"
    wire.send(head.encode())
    status, answer = wire.read()
    assert (status, answer["code"]) == (413, "body_too_large")


@for_each("path", [BUTTONS, SYNC])
@for_each("encoding", ["gzip", "GZIP", "br", "identity, gzip", "gzip;q=1"])
def test_a_compressed_body_is_unsupported(gateway: LiveGateway, path: str, encoding: str) -> None:
    """Also where what stands in it would be fit, or the header is not true."""
    for body in (gzip.compress(GOOD), GOOD):
        headers = gateway.headers | JSON | {"Content-Encoding": encoding}
        answer = httpx.post(gateway.base_url + path, content=body, headers=headers, timeout=60)
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
        assert encoding in answer.json()["detail"]
        assert answer.headers["accept-encoding"] == "identity"


def test_a_compressed_call_of_a_tool_is_unsupported(gateway: LiveGateway) -> None:
    headers = {HEADER: gateway.demo.api_key, "Content-Encoding": "gzip"} | JSON
    answer = httpx.post(
        f"{gateway.base_url}/mcp", content=gzip.compress(b"{}"), headers=headers, timeout=60
    )
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json", "Content-Encoding": "identity"},
        {"Content-Type": "application/vnd.acme.message+json"},
        {"Content-Type": "Application/JSON; charset=UTF-8"},
    ],
)
def test_other_ways_to_say_json(gateway: LiveGateway, headers: dict[str, str]) -> None:
    answer = httpx.post(
        gateway.base_url + BUTTONS, content=GOOD, headers=gateway.headers | headers, timeout=60
    )
    assert answer.status_code == 200


@pytest.mark.parametrize("path", [BUTTONS, SYNC, "/api/v1/labels"])
@pytest.mark.parametrize(
    ("twice", "status", "loc"),
    [
        ("Idempotency-Key: a", 422, ["header", "Idempotency-Key"]),
        ("Content-Type: application/json", 415, None),
        ("Authorization: Bearer x", 401, None),
        ("Content-Length: 3", 400, None),
        ("Host: x", 400, None),
    ],
)
def test_a_header_that_is_sent_twice(
    wire: Wire, path: str, twice: str, status: int, loc: list[str] | None
) -> None:
    """The connection's own headers have one of each, but for the idempotency key."""
    first = [twice] if loc else []
    wire.begin(*first, twice, f"Content-Length: {len(GOOD)}", path=path)
    wire.send(GOOD)
    found, answer = wire.read()
    assert found == status
    if loc is not None:
        problem = cast("list[dict[str, object]]", answer["detail"])[0]
        assert (problem["loc"], problem["input"]) == (loc, ["a", "a"])


@pytest.mark.parametrize("method", ["OPTIONS", "GET"])
def test_a_request_for_no_path_at_all(wire: Wire, method: str) -> None:
    wire.begin(method=method, path="*")
    status, answer = wire.read()
    assert (status, answer["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/media/pictures/x"])
def test_what_is_beside_the_api_answers_errors_alike(wire: Wire, path: str) -> None:
    wire.begin("Content-Length: 0", path=path)
    status, answer = wire.read()
    assert (status, answer["code"]) == (405, "method_not_allowed")


def test_a_chunked_body_is_refused_while_the_client_is_still_sending(wire: Wire) -> None:
    wire.begin("Transfer-Encoding: chunked")
    for _ in range(20):
        wire.send_chunk(b"x" * 65536)
    status, answer = wire.read()
    assert (status, answer["code"]) == (413, "body_too_large")


def test_the_connection_is_good_for_another_request_once_the_body_has_ended(wire: Wire) -> None:
    wire.begin("Transfer-Encoding: chunked")
    for _ in range(40):
        wire.send_chunk(b"x" * 65536)
    wire.send(b"0\r\n\r\n")
    assert wire.read()[0] == 413
    wire.begin(method="GET", path="/api/v1/messages/stats/summary")
    assert wire.read()[0] == 200


def test_a_client_that_leaves_in_the_middle_of_its_body_harms_nobody(
    gateway: LiveGateway, wire: Wire
) -> None:
    leaving = Wire(gateway)
    leaving.begin("Content-Length: 1000")
    leaving.send(b"{")
    leaving.close()
    wire.begin(method="GET", path="/api/v1/messages/stats/summary")
    assert wire.read()[0] == 200


def test_the_try_out_endpoint_takes_whatever_is_posted(gateway: LiveGateway) -> None:
    url = f"{gateway.base_url}/try-out"
    assert httpx.post(url, content=b"x" * 300_000, timeout=60).status_code == 204
    assert httpx.get(url, timeout=60).status_code == 405
