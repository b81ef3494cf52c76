"""Writers of events, each with a transaction of its own that stays open as long as is wanted."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg

from api_scene import Customer
from heliograph.core.events.log import EventLogService, EventReader
from heliograph.core.events.model import Event, EventType, LoggedEvent
from heliograph.core.events.service import encode_payload
from heliograph.core.events.sql import insert_events
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.clock import Clock

_clock = Clock()


def make_event(
    tenant: Tenant,
    text: str = "Hello",
    *,
    kind: EventType = EventType.MESSAGE_RECEIVED,
    account_id: UUID | None = None,
) -> Event:
    now = _clock.now()
    payload = encode_payload(kind, now, {"content": text})
    return Event(tenant, _clock.new_id(), kind, payload, now, account_id)


class Writer:
    """One connection to the database, beside the gateway's own."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self.connection = connection
        self._transaction = connection.transaction()
        self.has_begun = False

    async def insert(self, *events: Event) -> None:
        if not self.has_begun:
            self._transaction = self.connection.transaction()
            await self._transaction.start()
            self.has_begun = True
        await insert_events(self.connection, events[0].tenant.shard, events)

    async def end(self, *, commits: bool = True) -> None:
        self.has_begun = False
        await (self._transaction.commit() if commits else self._transaction.rollback())


@asynccontextmanager
async def open_writers(url: str, count: int) -> AsyncIterator[list[Writer]]:
    connections = [await asyncpg.connect(url) for _ in range(count)]
    try:
        yield [Writer(connection) for connection in connections]
    finally:
        for connection in connections:
            await connection.close()


async def store(url: str, *events: Event) -> None:
    async with open_writers(url, 1) as [writer]:
        await writer.insert(*events)
        await writer.end()


def ids_of(events: Iterable[Event | LoggedEvent]) -> list[UUID]:
    return [event.id for event in events]


async def read_all(reader: EventReader, limit: int = 7) -> list[UUID]:
    found: list[UUID] = []
    while (events := await reader.read(limit)) or reader.is_behind:
        found += ids_of(events)
    return found


async def read_until(reader: EventReader, wanted: int, seconds: float = 60.0) -> list[UUID]:
    """What comes to one who stays, until it is so much."""
    found: list[UUID] = []
    async with asyncio.timeout(seconds):
        while len(found) < wanted:
            await reader.wait(1.0)
            found += ids_of(await reader.read(7))
    return found


async def read_from(log: EventLogService, customer: Customer, reader: EventReader) -> list[UUID]:
    """What somebody reads who has kept the reader's position, and begins anew with it."""
    async with log.open(customer.principal, reader.position) as anew:
        return await read_all(anew)
