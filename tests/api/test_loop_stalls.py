"""The worst requests that fit: none of them holds the event loop for long in one piece."""

import asyncio
import gc
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, cast

import httpx
import pytest

from heliograph import __version__
from heliograph.core.services import Services
from heliograph.faces.api.app import encode_description
from heliograph.faces.api.request_body import MAX_BODY
from heliograph.faces.coding_tools import HEADER
from heliograph.faces.mcp.api_index import describe_parts, uri_of
from heliograph.platform.oidc.claims import Identity
from heliograph.settings import Settings, SignInSettings
from live_gateway import LiveGateway, StartGateway
from loop_pieces import Pieces, measured_pieces

pytest_plugins = ("live_fixtures",)
BUTTONS = "/api/v1/messages/send/interactive/buttons"
GROUPS = "/api/v1/conversations/groups"
OPERATIONS = (BUTTONS, GROUPS, "/api/v1/groups/join", "/api/v1/contacts/sync")


def fill(start: bytes, unit: bytes, end: bytes) -> bytes:
    """As many units as fit into the largest body."""
    return start + unit * ((MAX_BODY - len(start) - len(end)) // len(unit)) + end


GOOD = (
    b'{"phone_number":"+5511999990000","body":"a","chat_account_id":'
    b'"01939b1a-0f00-7d11-8c22-93a1b2c3d4e5","session_name":"x","invite_link":"x","subject":"x",'
)
DEEP = b"[" * 60 + b"]" * 60 + b","
WRITTEN_NUMBER = b'"+49 (0)30 1234 56",'  # reading it asks for the country's rules several times
SEND = GOOD + b'"participants":["+5511999990000"],"buttons":[{"id":"a","title":"a"}],'
BODIES = {
    "lists": fill(SEND + b'"x":[', b"[],", b"0]}"),
    "objects": fill(SEND + b'"x":[', b"{},", b"0]}"),
    "numbers": fill(SEND + b'"x":[', b"1,", b"0]}"),
    "fractions": fill(SEND + b'"x":[', b"1e9,", b"0]}"),
    "long numbers": fill(SEND + b'"x":[', b"9" * 4000 + b",", b"0]}"),
    "deep": fill(SEND + b'"x":[', DEEP, b"0]}"),
    "members": SEND + b",".join(b'"%x":0' % number for number in range(7000)) + b"}",
    "escapes": fill(SEND + b'"x":"', b"\\u00e9", b'"}'),
    "NUL at the end": fill(SEND + b'"x":[', b"[],", b'"\\u0000"]}'),
    "nothing that is asked for": fill(b'{"x":[', DEEP, b"0]}"),
    "buttons": fill(GOOD + b'"participants":[], "buttons":[', b"0,", b"0]}"),
    "participants": fill(GOOD + b'"buttons":[], "participants":[', b'"",', b'""]}'),
    "blanks": GOOD + b'"buttons":[],"participants":[' + (b'"' + b" " * 58 + b'",') * 1023 + b'""]}',
    "written numbers": GOOD + b'"buttons":[],"participants":[' + WRITTEN_NUMBER * 1023 + b'""]}',
}
CALLS = {
    "no call": BODIES["deep"],
    "no call, long numbers": BODIES["long numbers"],
    "call": fill(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices",'
        b'"arguments":{"x":[',
        DEEP,
        b"0]}}}",
    ),
    "call with wrong values": fill(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_group",'
        b'"arguments":{"participants":[',
        b"0,",
        b"0]}}}",
    ),
    "call with long numbers": fill(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices",'
        b'"arguments":{"x":[',
        b"9" * 4000 + b",",
        b"0]}}}",
    ),
    "call without arguments": fill(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[',
        DEEP,
        b"0]}}",
    ),
    "call with a strange id": fill(
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x","arguments":{}},"id":[',
        DEEP,
        b"0]}",
    ),
    "call with what is about it": fill(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},'
        b'"_meta":{"progressToken":[',
        DEEP,
        b"0]}}}",
    ),
    "call with more": fill(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices",'
        b'"arguments":{},"x":[',
        DEEP,
        b"0]}}",
    ),
    "begin": fill(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":[', DEEP, b"0]}}"),
    "answer": fill(b'{"jsonrpc":"2.0","id":1,"result":[', DEEP, b"0]}"),
    "batch": fill(b"[", b'{"jsonrpc":"2.0"},', b"0]"),
}


@pytest.fixture(scope="module")
def gateway(start_gateway: StartGateway) -> Iterator[LiveGateway]:
    gateway = start_gateway(SETTINGS)
    gc.collect()
    gc.freeze()  # as a node does once it has started
    yield gateway
    gc.unfreeze()


@pytest.fixture
def pieces(gateway: LiveGateway) -> Iterator[Pieces]:
    with measured_pieces(gateway.loop) as pieces:
        yield pieces


async def nothing(_: Services) -> None:
    await asyncio.sleep(0)


@pytest.fixture
def unit() -> float:
    """What this machine takes to parse the worst of bodies once, in seconds."""
    found = []
    for _ in range(5):
        began = time.thread_time()
        json.loads(BODIES["deep"])
        found.append(time.thread_time() - began)
    return min(found)


Watch = Callable[[Callable[[], object]], None]


@pytest.fixture
def watch(gateway: LiveGateway, pieces: Pieces, unit: float) -> Watch:
    """Do something three times: in one of them the loop must not have been held for long."""

    def do(act: Callable[[], object]) -> None:
        longest = []
        for _ in range(3):
            pieces.take()
            act()
            gateway.run(nothing)  # so that the piece which sent the answer has come to its end
            longest.append(pieces.take())
        seconds, what = min(longest)
        assert seconds < 4 * unit, what

    return do


@pytest.mark.parametrize("path", OPERATIONS)
@pytest.mark.parametrize("name", BODIES)
def test_bodies(gateway: LiveGateway, watch: Watch, path: str, name: str) -> None:
    watch(lambda: post(gateway, path, BODIES[name]))


@pytest.mark.parametrize(
    "name", ["jid", "password", "host", "phone_numbers", "group_service", "ca"]
)
def test_settings_of_a_device(gateway: LiveGateway, watch: Watch, name: str) -> None:
    """Each of these characters is 18 in normal form."""
    settings = {"jid": "desk@example.org", "password": "x", name: "\ufdfa" * 10_000}
    body = json.dumps({"network": "xmpp", "name": "Desk", "settings": settings}, ensure_ascii=False)
    watch(lambda: post(gateway, "/api/v1/devices", body.encode()))


NUMBERS = {
    "spaces within": ["+49 (0)30" + " " * 180 + "1234 56"],
    "dashes within": ["+49 (0)30" + "\u2011" * 180 + "1234 56"],
    "two signs in turns": ["+49 (0)30" + " -" * 90 + "1234 56"],
}
TEXTS = NUMBERS | {
    "digits apart": ["1 " * 100],
    "other digits": ["\uff11" * 200],
    "zeros in brackets": ["(+49" + " (0)30" * 32],
    "slashes": ["1/" * 100],
    "letters": ["x" * 200],
    "no two letters alike": [
        "".join(chr(0x4E00 + text * 200 + place) for place in range(200)) for text in range(100)
    ],
}
"""Of up to 200 characters, the most that a number may have."""


@pytest.mark.parametrize("name", TEXTS)
def test_participants(gateway: LiveGateway, watch: Watch, name: str) -> None:
    texts = (TEXTS[name] * 400)[:400]
    written = "".join(json.dumps(text, ensure_ascii=False) + "," for text in texts).encode()
    cut = written[: MAX_BODY - 1000].rpartition(b'",')[0]
    body = GOOD + b'"participants":[' + cut + b'"]}'
    watch(lambda: post(gateway, GROUPS, body))


@pytest.mark.parametrize("name", TEXTS)
def test_numbers_to_check(gateway: LiveGateway, watch: Watch, name: str) -> None:
    """A text of more than 50 characters is refused unread."""
    numbers = [text[:25] + text[-25:] for text in TEXTS[name] * 100][:100]
    body = json.dumps({"phone_numbers": numbers}, ensure_ascii=False)
    watch(lambda: post(gateway, "/api/v1/contacts/check", body.encode()))


@pytest.mark.parametrize("name", NUMBERS)
def test_mentions(gateway: LiveGateway, watch: Watch, name: str) -> None:
    """The first that is no number ends the check."""
    content = {"type": "text", "body": "x", "mentions": NUMBERS[name] * 100}
    body = json.dumps({"phone_number": "+15550100001", "content": content}, ensure_ascii=False)
    watch(lambda: post(gateway, "/api/v1/messages", body.encode()))


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_tools(gateway: LiveGateway, watch: Watch, name: str) -> None:
    watch(lambda: post(gateway, "/mcp", CALLS[name]))


def post(gateway: LiveGateway, path: str, body: bytes) -> None:
    assert len(body) <= MAX_BODY
    headers = gateway.headers | {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        HEADER: gateway.demo.api_key,
    }
    httpx.post(gateway.base_url + path, content=body, headers=headers, timeout=20)


SETTINGS = Settings(sign_in=SignInSettings(issuer="https://login.example.com"))
POST = f"POST {BUTTONS} HTTP/1.1\r\nHost: x\r\n".encode()
STREAMS = {
    "chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n{\r\n" * 60_000,
    "requests": b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n" * 20_000,
    "headers": POST + b"a:\r\n" * 100_000,
    "line breaks": b"\r\n" * 200_000,
    "one header": POST + b"a:" + b"b" * 500_000,
}


@pytest.mark.parametrize("name", STREAMS)
def test_what_is_sent_on_and_on(gateway: LiveGateway, watch: Watch, name: str) -> None:
    def send() -> None:
        with (
            socket.create_connection(("127.0.0.1", gateway.port), timeout=0.5) as client,
            suppress(OSError),  # hung up on, or no longer read
        ):
            client.sendall(STREAMS[name])

    watch(send)


FORM = "application/x-www-form-urlencoded"
FORMS = {
    "escapes": (FORM, b"name=" + b"%41" * 21_000),
    "fields": (FORM, b"a=b&" * 16_000),
    "fields without a name": (FORM, b"&" * 65_000),
    "parts": (
        "multipart/form-data; boundary=x",
        b"--x\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n" * 1_300,
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(gateway: LiveGateway, watch: Watch, name: str) -> None:
    media_type, body = FORMS[name]
    cookies = {"heliograph_loopback": gateway.run(sign_in)}
    url, headers = f"{gateway.base_url}/dashboard/sign-out", {"Content-Type": media_type}

    def send() -> None:
        answer = httpx.post(url, content=body, cookies=cookies, headers=headers)
        assert answer.status_code in (400, 403, 415)

    watch(send)


BACKSLASHES = b'a="' + b"\\" * 60_000 + b'"'
HEADS = {
    "backslashes": ("/dashboard", BACKSLASHES, 303),
    "escapes": ("/dashboard", b'a="' + rb"\101" * 15_000 + b'"', 303),
    "cookies": ("/dashboard", b"a=b; " * 12_000, 303),
    "cookies for the API": ("/api/v1/devices", BACKSLASHES, 200),
    "cookies for the description": ("/openapi.json", BACKSLASHES, 200),
    "parameters": ("/dashboard/sign-in?" + "a&" * 3_500, b"", 414),
    "long address": ("/api/v1/devices?x=" + "a" * 60_000, b"", 414),
    "as many parameters as may be": (
        "/api/v1/devices?" + "&".join(f"x{n}" for n in range(200)),
        b"",
        200,
    ),
    "segments": (f"/dashboard/static/{__version__}/" + "a/" * 3_500, b"", 414),
    "hidden segments": (f"/dashboard/static/{__version__}/" + "a%2f" * 1_500, b"", 414),
}


@pytest.mark.parametrize("name", HEADS)
def test_heads(gateway: LiveGateway, watch: Watch, name: str) -> None:
    address, cookie, status = HEADS[name]
    key = gateway.headers["Authorization"]
    head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {key}\r\n".encode()

    def send() -> None:
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as client:
            client.sendall(head + b"Cookie: " + cookie + b"\r\n\r\n")
            assert client.recv(12) == f"HTTP/1.1 {status}".encode()

    watch(send)


def test_the_description_is_read_before_it_is_asked_for(start_gateway: StartGateway) -> None:
    encode_description.cache_clear()
    describe_parts.cache_clear()
    gateway = start_gateway(SETTINGS)
    assert encode_description.cache_info().misses == 1

    def ask(method: str, **params: str) -> dict[str, Any]:
        answer = httpx.post(
            f"{gateway.base_url}/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={"Accept": "application/json, text/event-stream", HEADER: gateway.demo.api_key},
        )
        return cast("dict[str, Any]", answer.json()["result"])

    ask("tools/list")  # loads the tool server, in a thread
    made = encode_description.cache_info().misses, describe_parts.cache_info().misses
    assert made == (1, 1)
    [content] = ask("resources/read", uri=uri_of("getMessage"))["contents"]
    part, whole = json.loads(content["text"]), httpx.get(f"{gateway.base_url}/openapi.json").json()
    [(path, methods)] = part["paths"].items()
    assert methods.items() == {"get": whole["paths"][path]["get"]}.items()
    assert made == (encode_description.cache_info().misses, describe_parts.cache_info().misses)


async def sign_in(gateway: Services) -> str:
    """The session of somebody who may be anybody."""
    identity = Identity(str(SETTINGS.sign_in.issuer), "ada", "ada@example.com", "Ada")
    return (await gateway.browser_sessions.begin(identity))[1]
