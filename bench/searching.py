"""Search beside another organization that has written as many words of one beginning as it may, and
send while that one searches for them without end."""

import asyncio
import contextlib
import string
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import asyncpg
import msgspec

from bench.client import Client, Connection, ask_all
from bench.figures import Figure, Finding, spread
from bench.gateway import Customer, private_gateway
from bench.stage import PATIENCE, Stage, buttons
from heliograph.core.messages.search.words import vector_of

_TEXTS, _WORDS = 15_000, 200
"""Made for the index: 30 % of what the largest plan may send a day, and the words of each."""
_SEARCHES, _SENDS, _AT_ONCE = 40, 200, 12
_LONGEST = 30.0
"""Seconds after which no more of a kind are begun."""
_INSERT = """
INSERT INTO message_words (shard, organization_id, message_id, account_id, words)
SELECT $1, $2, md5('crafted ' || n)::uuid, $3, words::tsvector
FROM unnest($4::text[]) WITH ORDINALITY AS k (words, position)
CROSS JOIN LATERAL (SELECT $5::bigint + position AS n) AS numbered
"""
_COUNT = "SELECT count(*) FROM message_words WHERE shard = $1 AND organization_id = $2"


async def searches(stage: Stage) -> list[Finding]:
    """The other tenant has fifty messages, of which few have what is searched for."""
    async with private_gateway(1) as gateway:
        await gateway.furnish(stage.receiver.url, 2)
        attacker, other = gateway.customers[:2]
        async with gateway.database() as connection:
            await _write(connection, other)
            alone = await _search(other.client, "a")
            move = stage.track("crafted texts", stage.count(_TEXTS))
            for begin in range(0, stage.count(_TEXTS), 500):
                await _craft(connection, attacker, begin)
                move(500)
            await connection.execute("VACUUM (ANALYZE) message_words")
        return [
            _figure("a search of one letter, alone", alone),
            *[
                _figure(f"… of {name}, beside crafted texts", await _search(other.client, text))
                for name, text in (("one letter", "a"), ("two letters", "ab"), ("a word", "abacus"))
            ],
            await _send_beside(attacker, other),
        ]


async def _write(connection: "asyncpg.Connection[Any]", customer: Customer) -> None:
    """Send some messages, and wait until the search knows them."""
    requests = buttons(customer.client, customer.account_id, 49)
    requests.append(customer.client.send_buttons("+15551000001", customer.account_id, "An abacus"))
    async with customer.client.connections(1) as connections:
        await ask_all(connections, requests)
    async with asyncio.timeout(PATIENCE):
        while await connection.fetchval(_COUNT, *customer.tenant) < len(requests):  # noqa: ASYNC110 - the table tells nobody
            await asyncio.sleep(0.1)


async def _craft(connection: "asyncpg.Connection[Any]", customer: Customer, begin: int) -> None:
    words = _make_words(Random(begin))  # noqa: S311 - no secrets
    vectors = [
        vector_of(
            customer.tenant.organization_id,
            msgspec.json.encode({"body": " ".join(next(words) for _ in range(_WORDS))}),
        )
        for _ in range(500)
    ]
    await connection.execute(_INSERT, *customer.tenant, customer.account_id, vectors, begin)


def _make_words(random: Random) -> Iterator[str]:
    while True:
        yield "ab" + "".join(random.choices(string.ascii_lowercase, k=7))


async def _search(client: Client, text: str) -> list[float]:
    requests = [client.get(f"/api/v1/messages?search={text}")] * _SEARCHES
    return (await _ask(client, requests))[0]


async def _ask(client: Client, requests: list[bytes]) -> tuple[list[float], Counter[int]]:
    """Ask one after the other; return the seconds of each, and how often each status came."""
    taken, statuses, until = [], Counter[int](), time.monotonic() + _LONGEST
    async with client.connections(1) as connections:
        for request in requests:
            answer = await connections[0].ask(request)
            taken.append(answer.seconds)
            statuses[answer.status] += 1
            if time.monotonic() > until:
                break
    return taken, statuses


async def _send_beside(attacker: Customer, other: Customer) -> Figure:
    async with _searching(attacker) as statuses:
        await asyncio.sleep(1)
        began = time.monotonic()
        sends = buttons(other.client, other.account_id, _SENDS)
        taken, answered = await _ask(other.client, sends)
    searched = ", ".join(f"{status} × {n}" for status, n in sorted(statuses.items()))
    sent = ", ".join(f"{status} × {n}" for status, n in sorted(answered.items()))
    note = f"sends were answered {sent}, the searches {searched or 'nothing'}"
    return _figure(f"sends beside {_AT_ONCE} searches at once", taken, note, began)


@asynccontextmanager
async def _searching(customer: Customer) -> AsyncIterator[Counter[int]]:
    statuses = Counter[int]()
    request = customer.client.get("/api/v1/messages?search=ab&until=2020-01-01T00:00:00Z")

    async def go_on(connection: Connection) -> None:
        while True:
            statuses[(await connection.ask(request)).status] += 1

    async with customer.client.connections(_AT_ONCE) as connections:
        tasks = [asyncio.create_task(go_on(connection)) for connection in connections]
        try:
            yield statuses
        finally:
            for task in tasks:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(tasks)


def _figure(
    name: str, taken: list[float], note: str | None = None, began: float | None = None
) -> Figure:
    found = spread(taken)
    return Figure(
        name=name,
        count=len(taken),
        seconds=round(time.monotonic() - began if began else sum(taken), 2),
        p50=found.p50,
        p95=found.p95,
        p99=found.p99,
        max=found.max,
        note=note,
    )
