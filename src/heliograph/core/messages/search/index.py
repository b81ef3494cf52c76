"""Indexes the words of new messages, so that they can be found.

Accepting a message does not wait for that, and is hardly slowed down: the indexer rests nineteen
times as long as it works. One node at a time does it, whichever comes first. Organizations take
turns, so that one with expensive texts does not delay the others.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from heliograph.core.cluster.chores import Chore
from heliograph.core.messages.search import sql as search_sql
from heliograph.core.messages.search.sql import ListedMessage, Unread, Words
from heliograph.core.messages.search.turns import LISTED, ReadingQueue
from heliograph.core.messages.search.words import vector_of
from heliograph.core.tenants.rows import Shards, shards_of
from heliograph.platform.aio.periodic import Attempt, attempt_and_log, run_chore_every
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection, Database

LOOK_INTERVAL = 1.0
LOOK_AGAIN_INTERVAL = 60.0
"""Seconds between two passes over messages that may have been stored late."""
REST = 19.0
"""Seconds to rest for each second of work."""
LAG = timedelta(seconds=1)
"""A message gets its id before it is stored. New messages are indexed this long after."""
SETTLED = timedelta(minutes=10)
"""After this time a message is stored or never will be: then all are checked once more."""
NEW, ALL = "new", "all"
"""The passes, by their marks. The second begins with the first message."""
_FIRST = UUID(int=0)


@dataclass
class _Pass:
    """The messages that a pass has listed and not yet indexed. Its mark stays before the oldest of
    them, so that a node that takes over lists the rest again."""

    mark: str
    lag: timedelta
    turns: ReadingQueue = field(default_factory=ReadingQueue)
    listed_up_to: UUID = _FIRST

    def find_end(self, chosen: Sequence[ListedMessage]) -> UUID:
        """Return the id up to which all messages are indexed once these are."""
        oldest = self.turns.find_oldest(besides=chosen)
        return self.listed_up_to if oldest is None else UUID(int=oldest.int - 1)


class MessageIndexer:
    """Indexes messages in two passes: soon after they were stored, and again when no late ones can
    follow.

    `is_in_turn` says whether this node should do the work: one node is enough. `lag` is how long
    after getting its id a message is indexed.
    """

    def __init__(
        self,
        database: Database,
        *,
        is_in_turn: Callable[[], bool] = lambda: True,
        attempt: Attempt = attempt_and_log,
        lag: timedelta = LAG,
        settled: timedelta = SETTLED,
    ) -> None:
        self._database = database.within(None)
        self._attempt = attempt
        self._is_in_turn = is_in_turn
        self._lags = {NEW: lag, ALL: settled}
        self._all_read_until = 0.0
        self._forget()

    def _forget(self) -> None:
        """Restart from the marks: another node may have moved them."""
        self._passes = {mark: _Pass(mark, lag) for mark, lag in self._lags.items()}

    async def run(self) -> None:
        """Index new messages until canceled, polling once a second."""
        await run_chore_every(LOOK_INTERVAL, Chore.READ_WORDS, self._read_and_rest, self._attempt)

    async def _read_and_rest(self) -> None:
        is_behind = self._is_in_turn()
        if not is_behind:
            self._forget()
        while is_behind:
            began = time.monotonic()
            await self.read(NEW)
            is_behind = bool(self._passes[NEW].turns)
            if began >= self._all_read_until:
                await self.read(ALL)
                if self._passes[ALL].turns:
                    is_behind = True
                else:
                    self._all_read_until = began + LOOK_AGAIN_INTERVAL
            await asyncio.sleep((time.monotonic() - began) * REST)

    async def read(self, mark: str) -> int:
        """Index one batch. Returns how many messages it had; 0 while another node does the work.

        What a crash takes back is indexed again, since the mark is taken back with it.
        """
        passing = self._passes[mark]
        if passing.turns.have_room():
            await self._list(passing)
        chosen = passing.turns.choose()
        if not chosen:
            return 0
        if not await self._database.unflushed().transact(self._read, passing, chosen):
            return 0
        passing.turns.remove(chosen)
        return len(chosen)

    async def _list(self, passing: _Pass) -> None:
        mark = await self._database.read(search_sql.find_mark, passing.mark)
        now = self._database.clock.now()
        read_up_to = mark.read_up_to or first_id(now - SETTLED)
        listed = await self._database.read(
            search_sql.list_next_to_read,
            max(read_up_to, passing.listed_up_to),
            now - passing.lag,
            LISTED,
        )
        if listed:
            passing.turns.add(listed)
            passing.listed_up_to = listed[-1].id

    async def _read(
        self, connection: Connection, passing: _Pass, chosen: Sequence[ListedMessage]
    ) -> bool:
        """Store the words of these messages. Returns False while another node does the work."""
        if await search_sql.find_free_mark(connection, passing.mark) is None:
            return False
        for part in self._split(chosen):
            shards = shards_of(message.tenant for message in part)
            keys = [(message.organization_id, message.id) for message in part]
            unread = await search_sql.find_unread(connection, shards, keys)
            await _write(connection, shards, unread)
        await search_sql.set_mark(connection, passing.mark, passing.find_end(chosen))
        return True

    def _split(self, messages: Sequence[ListedMessage]) -> Iterable[Sequence[ListedMessage]]:
        """Split the messages by shard if the database is distributed."""
        parts: defaultdict[int, list[ListedMessage]] = defaultdict(list)
        for message in messages:
            parts[message.shard if self._database.is_distributed else 0].append(message)
        return parts.values()


async def _write(connection: Connection, shards: Shards, messages: Sequence[Unread]) -> None:
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
