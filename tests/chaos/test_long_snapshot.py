"""A transaction that stays open after it has read something, as that of a dump does.

What has changed since can't be cleaned up: whoever looks for what is due walks over what was.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from chaos.conftest import Form
from chaos.ledger import Posted, Promise
from chaos.load import Load
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world
from connections import connected

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.one_server("reads what the server says that it looked at; workers did that"),
]

MOST = 1.3
"""Times that PostgreSQL may look at as much of what passes through, for a message in the last
window as in the first. It is 11 and more when each claim walks over all that has passed."""
PASSES_THROUGH = ("message_queue", "delivery_queue", "message_claims", "message_schedule")
SLACK = 30
"""Entries and blocks a message that make no difference: a look is made once a second, and once a
minute from the start, however few messages there are."""
MOST_OF_ALL = 8.0
"""The same of all tables: `conversations` and `accounts` keep each version of their rows."""

ENTRIES = """
SELECT indexrelname AS name, idx_tup_read AS number FROM pg_stat_user_indexes
WHERE schemaname = 'public'
"""
BLOCKS = """
SELECT relname AS name, heap_blks_hit + heap_blks_read
    + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0) AS number
FROM pg_statio_user_tables WHERE schemaname = 'public'
"""


class TimedLoad(Load):
    """Knows when each message was first asked for."""

    def __init__(self, world: World, *, clients: int, per_second: float) -> None:
        super().__init__(world, clients=clients, per_second=per_second)
        self.asked: dict[str, float] = {}

    async def send(self, client: httpx.AsyncClient, promise: Promise) -> None:
        self.asked[promise.tag] = time.monotonic()
        await super().send(client, promise)


@dataclass(frozen=True, slots=True)
class Window:
    """What PostgreSQL looked at for each message that was asked for meanwhile: entries of indexes,
    dead ones as well, and blocks of tables."""

    began: float
    ended: float
    entries: Counter[str]
    blocks: Counter[str]

    def p99(self, load: TimedLoad, posted: list[Posted]) -> float:
        """Milliseconds from the request to the first webhook."""
        waited = sorted(
            webhook.at - load.asked[webhook.tag]
            for webhook in posted
            if webhook.type == "message.sent" and self.began <= load.asked[webhook.tag] < self.ended
        )
        return 1000 * waited[len(waited) * 99 // 100]


@asynccontextmanager
async def snapshot(world: World) -> AsyncIterator[None]:
    async with (
        connected(world.database.url) as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        await connection.fetch("SELECT count(*) FROM messages")
        yield


async def count(world: World, statement: str) -> Counter[str]:
    rows = await world.database.fetch(statement)
    return Counter({row["name"]: row["number"] for row in rows})


async def major_version(world: World) -> int:
    [row] = await world.database.fetch("SHOW server_version_num")
    return int(row[0]) // 10_000


async def window(world: World, load: TimedLoad, seconds: float) -> Window:
    began, asked = time.monotonic(), len(load.asked)
    entries, blocks = await count(world, ENTRIES), await count(world, BLOCKS)
    await asyncio.sleep(seconds)
    entries, blocks = await count(world, ENTRIES) - entries, await count(world, BLOCKS) - blocks
    messages = len(load.asked) - asked
    for looked_at in (entries, blocks):
        for name in looked_at:
            looked_at[name] //= messages
    return Window(began, time.monotonic(), entries, blocks)


def passing(looked_at: Counter[str]) -> Counter[str]:
    return Counter({name: n for name, n in looked_at.items() if name.startswith(PASSES_THROUGH)})


def without(looked_at: Counter[str], table: str | None) -> Counter[str]:
    """Before version 17 a server that takes this table for small finds the deliveries that have
    ended among all of it."""
    return Counter({n: v for n, v in looked_at.items() if not (table and n.startswith(table))})


def most(looked_at: Counter[str]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in looked_at.most_common(3))


@pytest.mark.timeout(3600)
async def test_under_a_long_snapshot_all_goes_on(
    folder: Path, given: Queried | None, form: Form
) -> None:
    number, seconds = form.pick(4, 6), form.pick(15, 100)
    async with made_world(folder, database=given, nodes=2, tenants=3, accounts=1) as world:
        load = TimedLoad(world, clients=12, per_second=form.pick(30, 100))
        async with load.running(), snapshot(world):
            rounds = form.each("windows under a snapshot", range(number))
            windows = [await window(world, load, seconds) for _ in rounds]
        await world.settle()
        posted, first, last = world.ledger.posted, windows[0], windows[-1]
        await judge(
            form,
            world,
            "A long snapshot",
            load.outcomes,
            times=1,
            p99_ms_at_first=first.p99(load, posted),
            p99_ms_at_last=last.p99(load, posted),
            entries_a_message_at_first=first.entries.total(),
            entries_at_last=last.entries.total(),
            most_entries=most(last.entries),
            blocks_a_message_at_first=first.blocks.total(),
            blocks_at_last=last.blocks.total(),
            most_blocks=most(last.blocks),
        )

        reads_it_whole = "delivery_queue" if await major_version(world) < 17 else None
        for before, after in (
            (without(first.entries, reads_it_whole), without(last.entries, reads_it_whole)),
            (without(first.blocks, reads_it_whole), without(last.blocks, reads_it_whole)),
        ):
            through, at_first = passing(after), passing(before)
            assert through.total() <= MOST * at_first.total() + SLACK, (through, at_first)
            assert after.total() <= MOST_OF_ALL * before.total()
