"""The busy operations answer the same, byte for byte, past FastAPI and through it."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import httpx
import msgspec
import pytest
from fastapi import Response
from starlette.types import Scope

from api_scene import BUTTONS, Scene, buttons, open_scene
from heliograph.core.organizations.service import PlanService
from heliograph.core.rates.counts import RequestCounts
from heliograph.core.rates.service import RateLimiter
from heliograph.core.services import Services
from heliograph.faces.api.app import admit_requests, create_operations, list_fast_paths
from heliograph.faces.api.authentication import Admitted, FastPath
from heliograph.faces.api.routes import FastPost, FastRead
from heliograph.faces.api.schemas.messages import SendButtons

_MADE = re.compile(
    rb'("(?:message|change)_id":"|"run_id":"run_|"retry_after":|again in )[0-9a-f-]+'
)
_SECONDS_LEFT = re.compile(r";t=\d+")
MESSAGES, CONVERSATIONS = "/api/v1/messages/", "/api/v1/conversations/"
GOOD = msgspec.json.encode(buttons())
JSON = {"Content-Type": "application/json"}


@dataclass
class Way:
    """An application over the services of the scene; `name` stands in its keys."""

    name: str
    client: httpx.AsyncClient = field(init=False)
    answered: list[bool] = field(default_factory=list)
    """Of each request that the fast path was tried for: whether it gave the answer."""

    async def ask(
        self, content: bytes, headers: dict[str, str], method: str = "POST", path: str = BUTTONS
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """Status, headers in their order and body, without what is made anew for each request."""
        sent = {name: value.replace("{way}", self.name) for name, value in headers.items()}
        sent |= {"X-Request-Id": "the-same"}
        response = await self.client.request(method, path, content=content, headers=sent)
        body = _MADE.sub(rb"\1", response.content).replace(self.name.encode(), b"{way}")
        found = [
            (name, _SECONDS_LEFT.sub("", "soon" if name == "retry-after" else value))
            for name, value in response.headers.items()
        ]
        return response.status_code, found, body


class Ways:
    """Both ways; `asks` sends a request over each of them and compares."""

    def __init__(self, scene: Scene, short: Way, usual: Way) -> None:
        self.scene, self.short, self.usual = scene, short, usual
        self.key = {"Authorization": f"Bearer {scene.globex.key}"}

    async def ask(
        self, content: bytes = GOOD, headers: dict[str, str] | None = None, **request: str
    ) -> int:
        """The status, after the comparison of everything else and of what was stored."""
        sent = self.key | JSON | (headers or {})
        sent = {name: value for name, value in sent.items() if value}
        answers, stored, calls = [], [], []
        for way in (self.short, self.usual):
            before = await self.scene.count_rows()
            with _counted_sends(self.scene) as sends:
                answers.append(await way.ask(content, sent, **request))
            after = await self.scene.count_rows()
            stored.append(
                {name: after[name] - n for name, n in before.items() if name != "message_counts"}
            )
            calls.append(len(sends))
        assert answers[0] == answers[1]
        assert stored[0] == stored[1]
        assert calls[0] == calls[1] <= 1
        return answers[0][0]


@contextmanager
def _counted_sends(scene: Scene) -> Iterator[list[object]]:
    service = scene.services.messages
    sends: list[object] = []
    send = type(service).send

    async def counted(*arguments: object) -> object:
        sends.append(arguments)
        return await send(service, *arguments)  # type: ignore[arg-type]  # passed through

    service.send = counted  # type: ignore[method-assign,assignment]  # of this instance
    try:
        yield sends
    finally:
        del service.send


def _open(scene: Scene, name: str) -> Way:
    services = replace(scene.services, rates=RateLimiter(RequestCounts()))
    way = Way(name)
    app = admit_requests(create_operations(services), services, _fast_paths(services, way))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    way.client = httpx.AsyncClient(transport=transport, base_url="http://test")
    return way


def _fast_paths(services: Services, way: Way) -> dict[tuple[str, str], FastPath]:
    known = list_fast_paths(services)
    assert set(known) == {
        ("POST", BUTTONS),
        ("POST", MESSAGES.rstrip("/")),
        ("GET", MESSAGES),
        ("GET", CONVERSATIONS),
    }

    def noting(answer: FastPath) -> FastPath:
        async def noted(scope: Scope, admitted: Admitted) -> Response | None:
            response = await answer(scope, admitted)
            way.answered.append(response is not None)
            return response

        return noted

    if way.name != "way-1":
        return {}
    return {key: noting(answer) for key, answer in known.items()}


@pytest.fixture
async def ways(database_url: str, tmp_path: Path) -> AsyncIterator[Ways]:
    async with open_scene(database_url, tmp_path) as scene:
        short, usual = _open(scene, "way-1"), _open(scene, "way-2")
        async with short.client, usual.client:
            yield Ways(scene, short, usual)


async def test_good_requests(ways: Ways) -> None:
    account = str(ways.scene.globex.account.id)
    for body in (
        GOOD,
        b"\n" + GOOD + b" ",
        msgspec.json.encode(buttons(footer="é \U0001f4a3", chat_account_id=account)),
        msgspec.json.encode(buttons(footer=None, chat_account_id=None)),
    ):
        assert await ways.ask(body) == 200
    for name in ("{way}", '"{way} quoted"', "{way}" + "~" * 250):
        assert await ways.ask(headers={"Idempotency-Key": name}) == 200
    assert await ways.ask(path=BUTTONS + "?unknown=1") == 200
    assert ways.short.answered == [True] * 8
    assert not ways.usual.answered


async def test_good_requests_that_only_fastapi_reads(ways: Ways) -> None:
    for body in (
        msgspec.json.encode(buttons(unknown=[1, {"a": None}])),
        GOOD[:-1] + b',"body":"Twice"}',
    ):
        assert await ways.ask(body) == 200
    for content_type in (
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/a+json",
    ):
        assert await ways.ask(headers={"Content-Type": content_type}) == 200


async def test_bad_bodies(ways: Ways) -> None:
    account = str(ways.scene.globex.account.id)
    for body in (
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        GOOD.decode().encode("utf-16"),
        b"\xef\xbb\xbf" + GOOD,
        GOOD[:-1] + b',"x":NaN}',
        GOOD[:-1] + b',"x":1e999}',
        GOOD[:-1] + rb',"footer":"\u0000"}',
        GOOD[:-1] + rb',"footer":"\ud800"}',
        GOOD[:-1] + b',"footer":"\x00"}',
        GOOD[:-1] + b',"footer":"\xff"}',
        msgspec.json.encode(buttons(body="x" * 1025)),
        msgspec.json.encode(buttons(buttons=[])),
        msgspec.json.encode(buttons(buttons=[{"id": "a", "title": "A"}] * 2)),
        msgspec.json.encode(buttons(buttons=[{"id": " a", "title": "A"}])),
        msgspec.json.encode(buttons(footer=1)),
        msgspec.json.encode(buttons(phone_number="nobody")),
        msgspec.json.encode(buttons(chat_account_id=account + "0")),
    ):
        assert await ways.ask(body) == 422, body
    assert await ways.ask(b'"' + b"x" * 1024 * 1024 + b'"') == 413
    assert not any(ways.short.answered)


async def test_bad_headers_and_addresses(ways: Ways) -> None:
    for name in ('""', "x" * 256, "\x7f"):
        assert await ways.ask(headers={"Idempotency-Key": name}) == 422
    for content_type in ("", "text/plain", "application", "%%"):
        assert await ways.ask(headers={"Content-Type": content_type}) == 415
    for key in ("", "Basic x", "Bearer hg_x", "Bearer " + ways.scene.globex.key[:-1] + "!"):
        assert await ways.ask(headers={"Authorization": key}) == 401
    for method in ("GET", "PUT", "HEAD"):
        assert await ways.ask(method=method) == 405
    assert await ways.ask(path=BUTTONS + "/") == 404
    # what Starlette's router takes for this address
    assert await ways.ask(path=BUTTONS + "%0A") == 200
    assert not any(ways.short.answered)


async def test_keys_that_may_not(ways: Ways) -> None:
    reader = await ways.scene.mint(ways.scene.globex, scopes=["messages:read"])
    assert await ways.ask(headers={"Authorization": f"Bearer {reader}"}) == 403
    assert await ways.ask(b"{", headers={"Authorization": f"Bearer {reader}"}) == 403
    assert not any(ways.short.answered)


async def test_what_the_handler_raises_is_answered_by_fastapi_and_raised_once(ways: Ways) -> None:
    theirs = msgspec.json.encode(buttons(chat_account_id=ways.scene.acme.account.id))
    nobodys = msgspec.json.encode(buttons(chat_account_id=uuid4()))
    unfit = msgspec.json.encode(buttons(phone_number="somebody@example.org"))
    for status, body in ((403, theirs), (404, nobodys), (422, unfit)):
        name = {"Idempotency-Key": f"{{way}} {status}"}
        assert await ways.ask(body) == status
        assert await ways.ask(body, name) == status
        assert await ways.ask(body, name) == status
    assert ways.short.answered.count(True) == 2  # errors that were kept, told again


async def test_a_key_that_was_used_before(ways: Ways) -> None:
    name = {"Idempotency-Key": "{way}"}
    assert await ways.ask(headers=name) == 200
    assert await ways.ask(headers=name) == 200
    assert await ways.ask(msgspec.json.encode(buttons(body="Another")), name) == 422
    assert ways.short.answered == [True, True, False]


async def test_a_fault_of_our_own_is_met_once(ways: Ways) -> None:
    ways.scene.services.messages._accept = None  # type: ignore[assignment]  # it breaks inside
    assert await ways.ask() == 500
    assert await ways.ask(headers={"Idempotency-Key": "{way}"}) == 500


def test_a_handler_that_asks_for_more_has_no_fast_path() -> None:
    async def handler(body: SendButtons, verbose: bool = False) -> Response:
        raise NotImplementedError

    with pytest.raises(TypeError, match="takes"):
        FastPost("/", handler, methods=["POST"])
    with pytest.raises(TypeError, match="takes"):
        FastRead("/{message_id}", handler, methods=["GET"])


async def test_rates_are_counted_alike(ways: Ways) -> None:
    scene = ways.scene
    await PlanService(scene.database, scene.notifications).put(
        scene.acme.organization.plan, {"key_requests_per_minute": 2}
    )
    short, usual = (_open(scene, name) for name in ("way-1", "way-2"))
    async with short.client, usual.client:
        limited = Ways(ways.scene, short, usual)
        limited.key = {"Authorization": f"Bearer {ways.scene.acme.key}"}
        assert [await limited.ask() for _ in range(3)] == [200, 200, 429]
        assert await limited.ask(b"{") == 429
    assert short.answered == [True, True, False, False]


async def send(ways: Ways) -> str:
    """The id of a message of theirs, of which nothing is noted."""
    sent = await ways.short.client.post(BUTTONS, content=GOOD, headers=ways.key | JSON)
    ways.short.answered.clear()
    return str(sent.json()["message_id"])


async def test_reading_by_id(ways: Ways) -> None:
    message = await send(ways)
    headers = {"Content-Type": ""}
    for path in (message, message.upper(), f"{message}?unknown=1&unknown=2"):
        assert await ways.ask(b"", headers, method="GET", path=MESSAGES + path) == 200
    unread = b"a body that nobody reads"
    assert await ways.ask(unread, headers, method="GET", path=MESSAGES + message) == 200
    assert ways.short.answered == [True] * 4


async def test_reading_what_is_not_there_or_not_ours(ways: Ways) -> None:
    message = await send(ways)
    reader = await ways.scene.mint(ways.scene.globex, scopes=["contacts:read"])
    for status, path, key in (
        (404, MESSAGES + str(uuid4()), ways.scene.globex.key),
        (404, CONVERSATIONS + str(uuid4()), ways.scene.globex.key),
        (403, MESSAGES + message, ways.scene.acme.key),
        (403, MESSAGES + message, reader),
        (401, MESSAGES + message, "hg_x"),
    ):
        headers = {"Authorization": f"Bearer {key}", "Content-Type": ""}
        assert await ways.ask(b"", headers, method="GET", path=path) == status, path
    assert not any(ways.short.answered)


async def test_ids_that_only_fastapi_reads(ways: Ways) -> None:
    message = await send(ways)
    for status, path in (
        (200, "{" + message + "}"),
        (200, message.replace("-", "")),
        (200, f"urn:uuid:{message}"),
        (404, message + "/"),
        (404, message + "/x"),
        (422, message + "0"),
        (422, "\u0661" + message[1:]),
        (422, "nobody"),
    ):
        headers = {"Content-Type": ""}
        assert await ways.ask(b"", headers, method="GET", path=MESSAGES + path) == status, path
    for method in ("HEAD", "PUT", "POST"):
        headers = {"Content-Type": ""}
        assert await ways.ask(b"", headers, method=method, path=MESSAGES + message) == 405
    assert not any(ways.short.answered)


async def test_many_who_ask_at_once_get_their_own(ways: Ways) -> None:
    """What is read together: one message twice, another's, nobody's."""
    posts = [
        ways.short.client.post(
            BUTTONS, content=msgspec.json.encode(buttons(body=str(n))), headers=ways.key | JSON
        )
        for n in range(20)
    ]
    ids = [answer.json()["message_id"] for answer in await asyncio.gather(*posts)]
    acme = {"Authorization": f"Bearer {ways.scene.acme.key}"}
    asks = [ways.short.client.get(MESSAGES + id_, headers=ways.key) for id_ in ids * 2]
    asks += [ways.short.client.get(MESSAGES + id_, headers=acme) for id_ in ids]
    asks.append(ways.short.client.get(MESSAGES + str(uuid4()), headers=ways.key))
    answers = await asyncio.gather(*asks)
    assert [a.json()["content"] for a in answers[:40]] == [str(n) for n in range(20)] * 2
    assert [a.json()["id"] for a in answers[:40]] == ids * 2
    assert [a.status_code for a in answers[40:]] == [403] * 20 + [404]
