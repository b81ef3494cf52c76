"""Passes received events on to the gateway: in order, in batches, acknowledged once they are on
disk."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

import msgspec
import structlog
from msgspec.structs import replace

from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import Cursor, NetworkEvent
from heliograph.networks.reporting import Reporter

BATCH = 100
FULL = 1000
"""The number of waiting items at which reading from the server pauses, until half of them are
done."""

log = structlog.get_logger(__name__)


class Item(msgspec.Struct, frozen=True):
    """The events of one stanza. `mark_stored` is called once they are on disk.

    `finish` completes the events when it is their turn, by queries or downloads.
    """

    events: tuple[NetworkEvent, ...] = ()
    cursor: Cursor | None = None
    mark_stored: Callable[[], None] | None = None
    finish: Callable[[], Awaitable[tuple[NetworkEvent, ...]]] | None = None


class Publisher:
    """Passes on the events that one session has received.

    `stored` is called with the cursors that are on disk, `full` with whether to stop reading, and
    `lost` if this node no longer owns the account.
    """

    def __init__(
        self,
        reporter: Reporter,
        *,
        stored: Callable[[Sequence[Cursor]], None],
        full: Callable[[bool], None],
        lost: Callable[[], None],
    ) -> None:
        self._reporter = reporter
        self._stored = stored
        self._full = full
        self._lost = lost
        self._items: deque[Item] = deque()
        self._is_full = False
        self._has_items = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()

    def put(self, item: Item) -> None:
        self._items.append(item)
        self._drained.clear()
        self._has_items.set()
        self._report_pressure()

    async def drained(self) -> None:
        """Wait until everything that was put is on disk."""
        await self._drained.wait()

    async def run(self) -> None:
        """Pass everything on until canceled, or until another node owns the account."""
        try:
            while True:
                await self._has_items.wait()
                batch = await _finished(self._next())
                await self._pass_on(batch)
                for _ in batch:
                    self._items.popleft()
                if not self._items:
                    self._has_items.clear()
                    self._drained.set()
                self._report_pressure()
        except LeaseLostError:
            self._lost()

    def _next(self) -> list[Item]:
        """Return the items to pass on together: one that has to be finished goes alone, so that no
        other waits for it and at most one file is in memory."""
        batch: list[Item] = []
        for item in islice(self._items, BATCH):
            if item.finish is not None:
                return batch or [item]
            batch.append(item)
        return batch

    async def _pass_on(self, batch: Sequence[Item]) -> None:
        cursors = {item.cursor.chat_jid: item.cursor for item in batch if item.cursor is not None}
        events = [event for item in batch for event in item.events] + list(cursors.values())
        if events:
            await self._reporter.publish(events)
        for item in batch:
            if item.mark_stored is not None:
                item.mark_stored()
        self._stored(list(cursors.values()))

    def _report_pressure(self) -> None:
        """Report whether too many items wait, again with each item."""
        # a newer connection has not been told
        is_full = len(self._items) > (FULL // 2 if self._is_full else FULL)
        if is_full or self._is_full:
            self._is_full = is_full
            self._full(is_full)


async def _finished(batch: list[Item]) -> list[Item]:
    [*before, last] = batch
    if last.finish is None:
        return batch
    try:
        return [*before, replace(last, events=await last.finish())]
    except Exception:
        log.exception("xmpp_message_not_finished")
        return batch


class Feed:
    """One archive and its live messages.

    While the archive is being read, live messages wait; those that are in the archive are dropped.
    """

    def __init__(self, publisher: Publisher) -> None:
        self.moves_cursor = True
        self._publisher = publisher
        self._held: dict[object, Item] | None = None
        self._seen: set[str] = set()

    def hold(self) -> None:
        """Hold live messages from now on."""
        if self._held is None:
            self._held = {}
            self._seen.clear()

    def offer(self, archive_id: str | None, item: Item) -> None:
        """Add a live message."""
        if self._held is None:
            self._pass_on(item)
        elif archive_id in self._seen:
            self._pass_on(Item(mark_stored=item.mark_stored))
        else:
            is_first = archive_id is not None and archive_id not in self._held
            self._held[archive_id if is_first else object()] = item

    def read(self, archive_id: str, item: Item) -> None:
        """Add a message of the archive."""
        self._seen.add(archive_id)
        live = self._held.pop(archive_id, None) if self._held else None
        # otherwise a session that ends now would leave it unacknowledged, and it would come again
        self._publisher.put(replace(item, mark_stored=live.mark_stored) if live else item)

    def release(self, *, moves_cursor: bool) -> None:
        """Release the held messages. `moves_cursor` says whether the archive was read up to
        them."""
        # otherwise the cursor must not move, or the messages in between would never be requested
        self.moves_cursor = moves_cursor
        held, self._held = self._held or {}, None
        for archive_id, item in held.items():
            known = archive_id in self._seen
            self._pass_on(Item(mark_stored=item.mark_stored) if known else item)
        self._seen.clear()

    def _pass_on(self, item: Item) -> None:
        self._publisher.put(item if self.moves_cursor else replace(item, cursor=None))
