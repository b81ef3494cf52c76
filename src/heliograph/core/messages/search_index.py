"""Reads the words of new messages, so that they can be found, and those of messages that are older
than the search.

Accepting a message does not wait for that, and is hardly slowed down: the work rests nineteen
times as long as it takes. One node at a time does it, whichever comes first.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from heliograph.core.messages import search_sql
from heliograph.core.messages.search_sql import Unread, Words
from heliograph.core.messages.words import vector_of
from heliograph.core.tenants.rows import shards_of
from heliograph.platform.aio.periodic import run_every
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection, Database

LOOK_EVERY = 1.0
LOOK_AGAIN_EVERY = 60.0
"""Seconds between two looks at what may have been stored late."""
BATCH = 100
"""To split so many into words blocks the event loop for 2 ms, and with it every request."""
REST = 19.0
"""Seconds to rest for each second of work."""
LAG = timedelta(seconds=1)
"""A message gets its id before it is stored. New ones are read after this time."""
SETTLED = timedelta(minutes=10)
"""By this time a message is stored, or it never is: then all are looked at once more."""


class _Pass(NamedTuple):
    mark: str
    lag: timedelta


NEW = _Pass("new", LAG)
ALL = _Pass("all", SETTLED)
"""Also reads what is older than the search, since it begins with the first message."""


class MessageIndexer:
    """Reads messages in the order of their ids, in two passes: soon after they were stored, and
    again when none can be stored late among them.

    `is_in_turn` says whether it is for this node to read: one is enough.
    """

    def __init__(
        self, database: Database, *, is_in_turn: Callable[[], bool] = lambda: True
    ) -> None:
        self._database = database
        self._is_in_turn = is_in_turn
        self._all_read_until = 0.0

    async def run(self) -> None:
        """Read what there is to read, until cancelled; looks once a second."""
        failure = "messages could not be read for the search"
        await run_every(LOOK_EVERY, self._read_and_rest, failure=failure)

    async def _read_and_rest(self) -> None:
        is_behind = self._is_in_turn()
        while is_behind:
            began = time.monotonic()
            is_behind = await self.read(NEW) == BATCH
            if began >= self._all_read_until:
                if await self.read(ALL) == BATCH:
                    is_behind = True
                else:
                    self._all_read_until = began + LOOK_AGAIN_EVERY
            await asyncio.sleep((time.monotonic() - began) * REST)

    async def read(self, passing: _Pass) -> int:
        """Read one batch, and return how many messages it had; none while another node does it.

        What a crash takes back with its mark is read again.
        """
        return await self._database.within(None).unflushed().transact(self._read, passing)

    async def _read(self, connection: Connection, passing: _Pass) -> int:
        mark = await search_sql.find_free_mark(connection, passing.mark)
        if mark is None:
            return 0
        now = self._database.clock.now()
        after = mark.read_up_to or first_id(now - SETTLED)
        messages = await search_sql.list_unread(connection, after, now - passing.lag, BATCH)
        for part in self._split(messages):
            await _write(connection, part)
        read_up_to = messages[-1].id if messages else after
        if read_up_to != mark.read_up_to:
            await search_sql.set_mark(connection, passing.mark, read_up_to)
        return len(messages)

    def _split(self, messages: Sequence[Unread]) -> Iterable[Sequence[Unread]]:
        """Split the messages by shard where the database is distributed."""
        parts: defaultdict[int, list[Unread]] = defaultdict(list)
        for message in messages:
            parts[message.shard if self._database.is_distributed else 0].append(message)
        return parts.values()


async def _write(connection: Connection, messages: Sequence[Unread]) -> None:
    shards = shards_of(message.tenant for message in messages)
    found: list[Words] = []
    unwanted: list[tuple[UUID, UUID]] = []
    for message in messages:
        if message.content is not None:
            vector = vector_of(message.organization_id, message.content)
            if vector is not None:
                found.append(Words(message.organization_id, message.id, message.account_id, vector))
        elif not message.keeps_content and message.is_known:
            unwanted.append((message.organization_id, message.id))
    if found:
        await search_sql.insert_words(connection, shards, found)
    if unwanted:
        await search_sql.delete_words(connection, shards, unwanted)
