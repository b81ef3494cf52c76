"""Stores events that one connection of an account could not pass on, and handles them before the
next one.

If another node stores events while a connection is open already, they are handled at once, after
the events received since.

A message that could not be decrypted waits here, too: the library requests it from its sender
again, and usually it comes in a moment. If it does not, it is reported without its content. Changes
of the message wait behind it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeGuard
from uuid import UUID

import structlog
from cachetools import TTLCache
from neonize.events import INT_TO_EVENT

from heliograph.networks.errors import LeaseLostError, NetworkError
from heliograph.networks.port import NetworkContext
from heliograph.networks.whatsapp import sql
from heliograph.networks.whatsapp.client_run import Arrived, Item
from heliograph.networks.whatsapp.conversion.arrivals import changed_id, is_awaited
from heliograph.networks.whatsapp.conversion.readable import readable
from heliograph.networks.whatsapp.event_converter import one_file_at_most
from heliograph.networks.whatsapp.sql import UnprocessedEvent, database_errors
from heliograph.platform.aio.periodic import wait_until_set

LOOK_INTERVAL = 60.0
"""Seconds between polls for events that another session has stored without a notification."""
RESEND_TIMEOUT = 10.0
"""How long a message that could not be decrypted may take to come again before it is reported."""
MESSAGE, UNDECRYPTABLE = 17, 44
MAX_AWAITED = 1000
_KEPT_CODES = frozenset({MESSAGE, 18, 21, 22, UNDECRYPTABLE})
"""Codes of the events that are stored: messages, receipts, groups, and messages that could not be
decrypted."""

Handle = Callable[[Sequence[Any]], Awaitable[None]]
"""Passes events on. Raises `LeaseLostError` if they are for another node's session."""

log = structlog.get_logger(__name__)


class UnprocessedEvents:
    """The unprocessed events of one account, as one session sees them."""

    def __init__(self, account_id: UUID, context: NetworkContext, handle: Handle) -> None:
        self._account_id = account_id
        self._context = context
        self._handle = handle
        self._handling = asyncio.Lock()
        self._woken = asyncio.Event()
        self._awaits_until = datetime.min.replace(tzinfo=UTC)
        # a change must not overtake an earlier one that waits
        self._awaited: TTLCache[str, bool] = TTLCache(MAX_AWAITED, 3 * RESEND_TIMEOUT)
        self._topic = f"whatsapp:{account_id}"
        self._unsubscribe = context.subscribe(self._topic, self._woken.set)

    def close(self) -> None:
        self._unsubscribe()

    async def attend(self) -> None:
        """Handle stored events, now and whenever more are stored. Raises `LeaseLostError`."""
        while True:
            self._woken.clear()
            try:
                await self.handle_kept()
            except LeaseLostError:
                raise
            except Exception:
                log.exception("whatsapp_leftovers_not_handled", account_id=str(self._account_id))
            is_awaiting = self._context.now() < self._awaits_until
            await wait_until_set(self._woken, RESEND_TIMEOUT if is_awaiting else LOOK_INTERVAL)

    async def keep(self, items: Sequence[Item]) -> bool:
        """Store the relevant items, in order. Returns False if the database fails."""
        events = [
            (item.code, item.event.SerializePartialToString(), self._due(item.event))
            for item in items
            if is_worth_keeping(item)
        ]
        if not events:
            return True
        try:
            with database_errors():
                await sql.insert_unprocessed(self._context.pool, self._account_id, events)
        except NetworkError:
            return False
        self._context.notify(self._topic)
        return True

    async def hold(self, events: Sequence[Any]) -> bool:
        """Store awaited messages until they have come or their time is over. Returns False if the
        database fails."""
        return await self.keep([Arrived(_code_of(event), event) for event in events])

    def awaits(self, event: Any) -> bool:
        """Return whether this is a message that may come again, or a change of one."""
        if is_awaited(event):
            self._awaited[event.Info.ID] = True
            return True
        changed = changed_id(event)
        if changed not in self._awaited:
            return False
        self._awaited[changed] = True
        return True

    def _due(self, event: Any) -> datetime | None:
        if not self.awaits(event):
            return None
        due = self._context.now() + timedelta(seconds=RESEND_TIMEOUT)
        self._awaits_until = due + timedelta(seconds=RESEND_TIMEOUT)
        return due

    async def handle_kept(self) -> None:
        """Handle all stored events, in order. Raises `LeaseLostError` and `NetworkError`."""
        async with self._handling:
            await self._handle([])
            while kept := await self._list():
                await self._handle_some(kept)

    async def _handle_some(self, kept: Sequence[UnprocessedEvent]) -> None:
        """Handle some stored events."""
        # unreadable events are dropped: they would block all later ones
        pairs = [(row.id, self._event_of(row)) for row in kept]
        await self._delete([row for row, event in pairs if event is None])
        left = [(row, event) for row, event in pairs if event is not None]
        while left:
            batch = one_file_at_most(event for _, event in left)
            await self._handle(batch)
            await self._delete([row for row, _ in left[: len(batch)]])
            left = left[len(batch) :]

    async def _list(self) -> list[UnprocessedEvent]:
        with database_errors():
            now = self._context.now()
            return await sql.list_unprocessed(self._context.pool, self._account_id, now)

    def _event_of(self, kept: UnprocessedEvent) -> Any:
        try:
            return readable(INT_TO_EVENT[kept.code].FromString(kept.event))
        except Exception:
            log.exception(
                "whatsapp_leftover_not_understood",
                account_id=str(self._account_id),
                row=kept.id,
                code=kept.code,
                size=len(kept.event),
            )
            return None

    async def _delete(self, ids: Sequence[int]) -> None:
        if ids:
            with database_errors():
                await sql.delete_unprocessed(self._context.pool, self._account_id, ids)


def _code_of(event: Any) -> int:
    return UNDECRYPTABLE if is_awaited(event) else MESSAGE


def is_worth_keeping(item: Item) -> TypeGuard[Arrived]:
    return isinstance(item, Arrived) and item.code in _KEPT_CODES
