"""Reads the words of new messages, so that they can be found, and those of messages that are older
than the search.

Accepting a message does not wait for that, and is hardly slowed down: the work rests nineteen
times as long as it takes. One node at a time does it, whichever comes first.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from heliograph.core.messages import search_sql
from heliograph.core.messages.search_sql import Unread, Words
from heliograph.core.messages.words import vector_of
from heliograph.platform.aio.periodic import run_every
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection, Database

LOOK_EVERY = 1.0
LOOK_AGAIN_EVERY = 60.0
"""Seconds between two looks at what may have been stored late."""
BATCH = 1_000
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
        """Read one batch, and return how many messages it had; none while another node does it."""
        return await self._database.within(None).transact(self._read, passing)

    async def _read(self, connection: Connection, passing: _Pass) -> int:
        mark = await search_sql.find_free_mark(connection, passing.mark)
        if mark is None:
            return 0
        now = self._database.clock.now()
        after = mark.read_up_to or first_id(now - SETTLED)
        messages = await search_sql.list_unread(connection, after, now - passing.lag, BATCH)
        await _write(connection, messages)
        read_up_to = messages[-1].id if messages else after
        if read_up_to != mark.read_up_to:
            await search_sql.set_mark(connection, passing.mark, read_up_to)
        return len(messages)


async def _write(connection: Connection, messages: Sequence[Unread]) -> None:
    found: list[tuple[int, Words]] = []
    unwanted: defaultdict[int, list[tuple[UUID, UUID]]] = defaultdict(list)
    for message in messages:
        if message.content is not None:
            vector = vector_of(message.organization_id, message.content)
            if vector is not None:
                words = Words(message.organization_id, message.id, message.account_id, vector)
                found.append((message.shard, words))
        elif not message.keeps_content and message.is_known:
            unwanted[message.shard].append((message.organization_id, message.id))
    await search_sql.write_words(connection, found)
    for shard, keys in sorted(unwanted.items()):
        await search_sql.delete_words(connection, shard, keys)
