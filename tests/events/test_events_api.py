"""`GET /events` over HTTP: pages, requests that wait, and streams that end when they should."""

import asyncio
import dataclasses
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
import pytest
from msgspec.structs import replace

from api_scene import Customer, Scene
from api_scene import scene as scene
from each_case import for_each
from event_writers import make_event, store
from heliograph.app.server import DrainingServer, configure_server, serving
from heliograph.core.accounts.model import Account
from heliograph.core.events.model import Event, EventType
from heliograph.core.events.service import require_events
from heliograph.core.tenants.old_rows import NIL
from heliograph.core.tenants.scopes import SCOPES
from heliograph.core.upkeep.events import delete_events
from heliograph.errors import MissingScopeError
from heliograph.faces.api.app import create_api
from heliograph.faces.api.routers import events as router
from waiting import until

EVENTS = "/api/v1/events"
PATIENCE = 20.0


class Running:
    """The API on a real port, whose node can be told to stop."""

    def __init__(self, scene: Scene) -> None:
        self.is_draining = False
        app = create_api(scene.services, is_draining=lambda: self.is_draining)
        self.server = DrainingServer(configure_server(app))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.listener.getsockname()[1]}",
            headers={"Authorization": f"Bearer {scene.acme.key}"},
            timeout=PATIENCE,
        )

    @asynccontextmanager
    async def stream(self, path: str = EVENTS, **headers: str) -> AsyncIterator["Stream"]:
        accept = {"Accept": "text/event-stream"} | headers
        async with self.client.stream("GET", path, headers=accept) as response:
            yield Stream(response)


class Stream:
    """A stream as a client reads it: events as (id, data), and the last id that it was given."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.last_id = ""
        self._lines = response.aiter_lines()

    async def read(self, count: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < count:
                name, _, value = (await anext(self._lines)).partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "data":
                    found.append(json.loads(value))
        return found

    async def rest(self) -> list[str]:
        """What comes until the stream ends."""
        async with asyncio.timeout(PATIENCE):
            return [line async for line in self._lines]


@pytest.fixture
async def running(scene: Scene) -> AsyncIterator[Running]:
    running = Running(scene)
    async with serving(running.server, running.listener), running.client:
        yield running


def make(customer: Customer, count: int, kind: EventType = EventType.MESSAGE_SENT) -> list[Event]:
    tenant, account = customer.organization.tenant, customer.account
    return [make_event(tenant, f"No. {n}", kind=kind, account_id=account.id) for n in range(count)]


def ids(events: list[Any]) -> list[str]:
    return [str(event["id"] if isinstance(event, dict) else event.id) for event in events]


async def page(scene: Scene, cursor: str | None = None, **query: Any) -> dict[str, Any]:
    given = query if cursor is None else query | {"after": cursor}
    answer = await scene.as_acme("GET", EVENTS, params=given)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_pages_follow_one_another(scene: Scene, database_url: str) -> None:
    events = make(scene.acme, 5)
    await store(database_url, *events, *make(scene.globex, 1))
    first = await page(scene, "oldest", types="message.*", limit=3)
    second = await page(scene, first["next_cursor"], limit=3)
    third = await page(scene, second["next_cursor"])
    assert ids(first["events"] + second["events"]) == ids(events)
    assert third == {"events": [], "next_cursor": second["next_cursor"]}
    assert first["events"][0]["data"] == {"content": "No. 0"}
    assert list(first["events"][0]) == ["id", "type", "timestamp", "data"]


async def test_without_a_cursor_it_begins_now(scene: Scene, database_url: str) -> None:
    await store(database_url, *make(scene.acme, 2))
    now = await page(scene)
    newer = make(scene.acme, 2)
    await store(database_url, *newer)
    assert now["events"] == []
    assert ids((await page(scene, now["next_cursor"]))["events"]) == ids(newer)


async def test_a_request_that_waits_is_answered_when_something_happens(
    scene: Scene, database_url: str
) -> None:
    cursor = (await page(scene))["next_cursor"]
    waiting = asyncio.create_task(page(scene, cursor, wait=30, types="device.*"))
    await asyncio.sleep(0.2)
    await store(database_url, *make(scene.acme, 3))
    [wanted] = make(scene.acme, 1, EventType.DEVICE_CONNECTED)
    await store(database_url, wanted)
    answered = await asyncio.wait_for(waiting, PATIENCE)
    assert ids(answered["events"]) == ids([wanted])
    assert (await page(scene, answered["next_cursor"]))["events"] == []


async def test_a_request_that_waited_in_vain_has_passed_over_what_it_did_not_want(
    scene: Scene, database_url: str
) -> None:
    cursor = (await page(scene))["next_cursor"]
    await store(database_url, *make(scene.acme, 3))
    answered = await page(scene, cursor, wait=1, types="device.*")
    assert answered["events"] == []
    assert answered["next_cursor"] != cursor


async def test_a_client_that_leaves_frees_its_place(scene: Scene, running: Running) -> None:
    for accept in ("application/json", "text/event-stream"):
        leaving = asyncio.create_task(
            running.client.get(EVENTS, params={"wait": 30}, headers={"Accept": accept})
        )
        await until_waiting(scene, 1)
        leaving.cancel()
        await until_waiting(scene, 0)


async def test_a_stream_brings_what_happens_and_goes_on_where_it_was_left(
    scene: Scene, running: Running, database_url: str
) -> None:
    events = make(scene.acme, 6)
    async with running.stream() as stream:
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        await store(database_url, *events[:2])
        found = await stream.read(2)
        await store(database_url, *events[2:4])
        found += await stream.read(1)
        last_id = stream.last_id
    await store(database_url, *events[4:])
    async with running.stream(f"{EVENTS}?after=oldest", **{"Last-Event-ID": last_id}) as stream:
        found += await stream.read(3)
    assert ids(found) == ids(events)


@pytest.mark.parametrize(
    "accept",
    [
        ["Text/Event-Stream"],
        ["application/json, text/event-stream; charset=utf-8; q=0.5"],
        ["application/json", "text/event-stream"],
    ],
)
async def test_a_stream_comes_however_it_is_asked_for(running: Running, accept: list[str]) -> None:
    headers = [("Accept", form) for form in accept]
    async with running.client.stream("GET", EVENTS, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize(
    "accept", ["*/*", "text/event-stream;q=0", "Text/Event-Stream ; Q = 0.000"]
)
async def test_a_page_comes_where_no_stream_is_wanted(scene: Scene, accept: str) -> None:
    answer = await scene.as_acme("GET", EVENTS, headers={"Accept": accept})
    assert answer.headers["content-type"] == "application/json"


async def test_a_silent_stream_tells_how_far_it_is(
    scene: Scene, running: Running, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router, "KEEP_ALIVE", 0.1)
    async with running.stream(f"{EVENTS}?types=device.*") as stream:
        await store(database_url, *make(scene.acme, 3))
        newest = (await page(scene))["next_cursor"]
        async with asyncio.timeout(PATIENCE):
            while stream.last_id != newest:
                name, _, value = (await anext(stream._lines)).partition(": ")
                stream.last_id = value if name == "id" else stream.last_id
                assert name != "data"


async def revoke(scene: Scene, key: str) -> None:
    principal = scene.acme.principal
    [record] = [each for each in await scene.services.keys.list(principal) if each.key_id in key]
    await scene.services.keys.revoke(principal, record.key_id)


async def test_a_stream_ends_with_its_key(scene: Scene, running: Running) -> None:
    key = await scene.mint(scene.acme, scopes=["webhooks:read"])
    async with running.stream(Authorization=f"Bearer {key}") as stream:
        await revoke(scene, key)
        began = time.monotonic()
        await stream.rest()
        assert time.monotonic() - began < PATIENCE / 2


async def test_a_request_that_waits_ends_with_its_key(scene: Scene, running: Running) -> None:
    key = await scene.mint(scene.acme, scopes=["webhooks:read"])
    headers = {"Authorization": f"Bearer {key}"}
    asked = running.client.get(EVENTS, params={"wait": 30}, headers=headers)
    waiting = asyncio.create_task(asked)
    await until_waiting(scene, 1)
    await revoke(scene, key)
    answer = await asyncio.wait_for(waiting, PATIENCE)
    assert (answer.status_code, answer.json()["code"]) == (401, "revoked_api_key")


async def test_a_node_that_stops_lets_nobody_wait(scene: Scene, running: Running) -> None:
    waiting = asyncio.create_task(running.client.get(EVENTS, params={"wait": 30}))
    async with running.stream() as stream:
        await until_waiting(scene, 2)
        running.is_draining = True
        await stream.rest()
    answer = await asyncio.wait_for(waiting, PATIENCE)
    assert (answer.status_code, answer.json()["events"]) == (200, [])


async def test_who_does_not_read_takes_no_memory_and_misses_nothing(
    scene: Scene, running: Running, database_url: str
) -> None:
    events = make(scene.acme, 3000)
    async with running.stream() as stream:
        for start in range(0, 3000, 500):
            await store(database_url, *events[start : start + 500])
        await asyncio.sleep(0.5)
        assert ids(await stream.read(3000)) == ids(events)


async def test_a_key_has_so_many_streams_and_no_more(scene: Scene, running: Running) -> None:
    waiting = [
        asyncio.create_task(running.client.get(EVENTS, params={"wait": 30})) for _ in range(10)
    ]
    await until_waiting(scene, 10)
    for headers in ({"Accept": "text/event-stream"}, {}):
        refused = await running.client.get(EVENTS, params={"wait": 1}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_readers")
        assert refused.headers["retry-after"] == "5"
    assert (await running.client.get(EVENTS)).status_code == 200  # which does not wait
    running.is_draining = True
    await asyncio.gather(*waiting)


async def lacks_scope(scene: Scene, key: str, types: str, scope: str) -> None:
    """The key is refused events of these types, for want of this scope."""
    refused = await scene.with_key(key, "GET", EVENTS, params={"types": types})
    assert (refused.status_code, refused.json()["required_scope"]) == (403, scope)


async def test_events_of_messages_take_a_scope_of_their_own(
    scene: Scene, database_url: str
) -> None:
    [device] = make(scene.acme, 1, EventType.DEVICE_CONNECTED)
    await store(database_url, *make(scene.acme, 2), device)
    key = await scene.mint(scene.acme, scopes=["webhooks:read"])
    answer = await scene.with_key(key, "GET", EVENTS, params={"after": "oldest"})
    assert all(event["type"].startswith("device.") for event in answer.json()["events"])
    assert ids(answer.json()["events"])[-1] == str(device.id)
    for types in ("message.sent", "message.*", "*", "device.*,message.read"):
        await lacks_scope(scene, key, types, "messages:read")


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        (EventType.CONVERSATION_UPDATED, "conversations:read"),
        (EventType.CONTACT_UPDATED, "contacts:read"),
        (EventType.CONTACTS_SYNCED, "contacts:read"),
    ],
)
async def test_events_take_the_scope_of_what_they_show(
    scene: Scene, database_url: str, kind: EventType, scope: str
) -> None:
    [shown], [message] = make(scene.acme, 1, kind), make(scene.acme, 1)
    await store(database_url, shown, message)
    others = [name for name in SCOPES if name.endswith(":read") and name != scope]
    key = await scene.mint(scene.acme, scopes=[name for name in others if "admin" not in name])
    for params in ({"after": "oldest"}, {"after": "oldest", "types": "message.*,device.*"}):
        answer = await scene.with_key(key, "GET", EVENTS, params=params)
        assert str(shown.id) not in ids(answer.json()["events"])
        assert str(message.id) in ids(answer.json()["events"])
    for types in (kind.value, "*"):
        await lacks_scope(scene, key, types, scope)
    key = await scene.mint(scene.acme, scopes=["webhooks:read", scope])
    answer = await scene.with_key(key, "GET", f"{EVENTS}?after=oldest&types={kind.value}")
    assert ids(answer.json()["events"]) == [str(shown.id)]


async def test_events_of_a_later_release_are_for_those_who_may_read_everything(
    scene: Scene, database_url: str
) -> None:
    later, device = make(scene.acme, 1)[0], make(scene.acme, 1, EventType.DEVICE_CONNECTED)[0]
    await store(database_url, replace(later, type="campaign.finished"), device)
    reads_all = [name for name in SCOPES if name.endswith(":read")]
    for scopes, sees_it in ((reads_all, True), (reads_all[:-1], False)):
        key = await scene.mint(scene.acme, scopes=scopes)
        answer = await scene.with_key(key, "GET", f"{EVENTS}?after=oldest")
        shown = ids(answer.json()["events"])
        assert (str(later.id) in shown, str(device.id) in shown) == (sees_it, True)
    limited = dataclasses.replace(scene.acme.principal, scopes=frozenset(reads_all[:-1]))
    with pytest.raises(MissingScopeError, match="admin:read"):
        require_events(limited, ["campaign.finished"])


async def another_account(scene: Scene) -> Account:
    principal = scene.acme.principal
    return await scene.services.accounts.create(principal, "sandbox", "Another", "another", {})


async def test_only_one_accounts_events_come_where_that_was_asked(
    scene: Scene, database_url: str
) -> None:
    other = await another_account(scene)
    start = (await page(scene))["next_cursor"]
    tenant = scene.acme.organization.tenant
    wanted = make_event(tenant, account_id=other.id)
    await store(database_url, *make(scene.acme, 2), wanted, make_event(tenant))
    found = await page(scene, start, chat_account_id=str(other.id))
    assert ids(found["events"]) == [str(wanted.id)]
    foreign = await scene.as_acme(
        "GET", EVENTS, params={"chat_account_id": str(scene.globex.account.id)}
    )
    assert (foreign.status_code, foreign.json()["code"]) == (403, "other_organization")


async def test_an_account_that_nobody_has_has_no_events(scene: Scene, database_url: str) -> None:
    start = (await page(scene))["next_cursor"]
    await store(database_url, *make(scene.acme, 2))
    found = await page(scene, start, chat_account_id=str(uuid4()))
    assert found["events"] == []
    assert found["next_cursor"] != start


async def test_a_removed_account_still_has_its_events(scene: Scene, database_url: str) -> None:
    other = await another_account(scene)
    start = (await page(scene))["next_cursor"]
    event = make_event(scene.acme.organization.tenant, account_id=other.id)
    await store(database_url, event)
    await scene.services.removals.remove(scene.acme.principal, other.id, other.name)
    assert ids((await page(scene, start, chat_account_id=str(other.id)))["events"]) == [
        str(event.id)
    ]


async def test_a_cursor_whose_events_are_gone_is_answered_410(
    scene: Scene, database_url: str
) -> None:
    cursor = (await page(scene))["next_cursor"]
    await store(database_url, *make(scene.acme, 2))
    later = datetime(2100, 1, 1, tzinfo=UTC)
    await scene.database.transact(delete_events, scene.acme.organization.tenant, NIL, later, 1000)
    for accept in ("application/json", "text/event-stream"):
        answer = await scene.as_acme(
            "GET", EVENTS, params={"after": cursor}, headers={"Accept": accept}
        )
        assert (answer.status_code, answer.json()["code"]) == (410, "cursor_expired")
    assert (await page(scene, "oldest"))["events"] == []


@for_each(
    ("query", "place"),
    [
        ({"after": "x"}, ["query", "after"]),
        ({"after": "WzEsMl0"}, ["query", "after"]),
        ({"after": "Wy0xLG51bGxd"}, ["query", "after"]),
        ({"types": "message.eaten"}, ["query", "types"]),
        ({"types": ""}, ["query", "types"]),
        ({"limit": 101}, ["query", "limit"]),
        ({"wait": 31}, ["query", "wait"]),
        ({"chat_account_id": "x"}, ["query", "chat_account_id"]),
    ],
)
async def test_what_is_wrong_with_a_request_is_named(
    scene: Scene, query: dict[str, object], place: list[str]
) -> None:
    for accept in ("application/json", "text/event-stream"):
        answer = await scene.as_acme("GET", EVENTS, params=query, headers={"Accept": accept})
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["loc"] == place


async def test_a_last_event_id_that_is_none_is_named(scene: Scene) -> None:
    answer = await scene.as_acme("GET", EVENTS, headers={"Last-Event-ID": "x"})
    assert answer.json()["detail"][0]["loc"] == ["header", "Last-Event-ID"]


async def until_waiting(scene: Scene, waiting: int) -> None:
    await until(lambda: scene.services.event_log.waiting == waiting)
