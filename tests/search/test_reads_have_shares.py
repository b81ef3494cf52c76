"""What one organization reads, however slowly, holds up nobody else's sends, reads and leases."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import datetime
from uuid import uuid4

import asyncpg
import httpx
import pytest

from api_scene import Customer, Scene, buttons
from api_scene import scene as scene
from connections import connected
from heliograph.core.cluster.heartbeat import Heartbeat
from heliograph.platform.database.shares import bounds_of_reads, bounds_of_searches
from waiting import until

BUTTONS = "/api/v1/messages/send/interactive/buttons"
AT_ONCE = 40
SENT_TO = ("contacts", "message_counts")
"""Tables that a send itself reads or writes."""
LOCKED = {
    "a list": ("labels", "/api/v1/labels"),
    "a search for words": ("message_words", "/api/v1/messages?search=hello"),
    "a search for people": ("contacts", "/api/v1/contacts?search=ana"),
    "an inbox": ("conversation_labels", "/api/v1/conversations?search=ana&label_id={id}"),
    "statistics": ("message_counts", "/api/v1/messages/stats/summary"),
}
COUNT_HELD_UP = """
SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database()
"""
WITHOUT_SHARE = {
    "/api/v1/messages/{message_id}",  # many requests, of any organization, are one statement
    "/api/v1/messages/{message_id}/history",  # asks for the message first
    "/api/v1/networks",  # reads nothing
}


async def ask(
    scene: Scene, customer: Customer, method: str, path: str, **more: object
) -> httpx.Response:
    return await scene.with_key(customer.key, method, path, **more)


def send(scene: Scene) -> "asyncio.Task[httpx.Response]":
    return asyncio.create_task(ask(scene, scene.acme, "POST", BUTTONS, json=buttons()))


@asynccontextmanager
async def locked(database_url: str, table: str) -> AsyncIterator[asyncpg.Connection]:
    """Hold up whoever reads the table."""
    async with connected(database_url) as connection, connection.transaction():
        await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield connection


@asynccontextmanager
async def beating(scene: Scene) -> AsyncIterator[Heartbeat]:
    heartbeat = Heartbeat(
        scene.database,
        name="here",
        roles=["api"],
        version="1",
        schema_revision=10_000,
        admin_port=1,
        lease_timeout=5,
        report_id=lambda _: None,
    )
    await heartbeat.start()
    try:
        yield heartbeat
    finally:
        await heartbeat.stop()


async def until_held_up(connection: asyncpg.Connection) -> None:
    await until(lambda: connection.fetchval(COUNT_HELD_UP))


async def lease_of(connection: asyncpg.Connection) -> datetime:
    found: datetime = await connection.fetchval("SELECT max(lease_expires_at) FROM nodes")
    return found


@pytest.mark.parametrize("kind", LOCKED)
@pytest.mark.usefixtures("hasty_requests")
async def test_slow_reads_of_one_hold_up_neither_sends_nor_leases_of_others(
    scene: Scene, database_url: str, kind: str
) -> None:
    table, path = LOCKED[kind]
    path = path.format(id=uuid4())
    assert (await send(scene)).status_code == 200
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(beating(scene))
        lock = await stack.enter_async_context(locked(database_url, table))
        slow = [asyncio.create_task(ask(scene, scene.globex, "GET", path)) for _ in range(AT_ONCE)]
        await until_held_up(lock)
        before = await lease_of(lock)
        read = asyncio.create_task(ask(scene, scene.acme, "GET", "/api/v1/devices"))
        sends = [] if table in SENT_TO else [send(scene) for _ in range(20)]
        most = 0
        while not any(task.done() for task in slow):  # until the first is given up
            most = max(most, await lock.fetchval(COUNT_HELD_UP))
            await asyncio.sleep(0.02)
        bounds = bounds_of_searches if "search=" in path else bounds_of_reads
        assert most <= bounds(scene.database.pool.get_max_size()).each
        assert (await read).status_code == 200
        assert {answer.status_code for answer in await asyncio.gather(*sends)} <= {200}
        async with asyncio.timeout(60):
            while await lease_of(lock) <= before:  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(0.05)
    answers = await asyncio.gather(*slow)
    assert {answer.status_code for answer in answers} <= {200, 404, 422, 429, 503}


async def test_each_get_waits_for_its_organizations_share(scene: Scene) -> None:
    """While the organization has all the places it may have, and others' reads go on."""
    paths = await _paths(scene)
    reads = vars(scene.database)["_shares"].reads
    async with AsyncExitStack() as stack:
        for _ in range(bounds_of_reads(scene.database.pool.get_max_size()).each):
            await stack.enter_async_context(reads.hold(scene.acme.organization.id))
        stack.enter_context(_waiting_briefly(scene))
        others = asyncio.create_task(_keep_asking(scene))
        stack.callback(others.cancel)
        answers = await asyncio.gather(*(ask(scene, scene.acme, "GET", path) for path in paths))
    asked = dict(zip(paths.values(), answers, strict=True))
    passed = {path for path, answer in asked.items() if answer.status_code != 429}
    assert passed == WITHOUT_SHARE
    refused = [answer for answer in answers if answer.status_code == 429]
    assert {answer.json()["code"] for answer in refused} == {"too_many_reads"}
    assert {answer.headers["retry-after"] for answer in refused} == {"2"}


async def _paths(scene: Scene) -> dict[str, str]:
    """The addresses of all that is read, with ids that nobody has, and their forms."""
    document = (await scene.client.get("/openapi.json")).json()
    forms = [form for form, methods in document["paths"].items() if "get" in methods]
    return {re.sub(r"{[^}]+}", lambda _: str(uuid4()), form): form for form in forms}


@contextmanager
def _waiting_briefly(scene: Scene) -> Iterator[None]:
    """Let each statement wait for a second, and not for five."""
    found = vars(scene.database)
    before, found["_timeout"] = found["_timeout"], 1.0
    try:
        yield
    finally:
        found["_timeout"] = before


async def _keep_asking(scene: Scene) -> None:
    while True:
        await ask(scene, scene.globex, "GET", "/api/v1/labels")
        await asyncio.sleep(0.01)
