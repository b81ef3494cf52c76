"""Events as they come in, for somebody who watches.

Read from the table, so it works wherever the database can be reached. A transaction may commit
after one that took a later `seq`; therefore what is newer than `SETTLED` seconds is read again, and
what was seen of it is passed over.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from heliograph.core.events.history import StoredEvent, get_last_seq, list_events_after
from heliograph.core.events.model import Event, matches
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Database

SETTLED = 10.0
PAGE = 500


@dataclass(frozen=True, slots=True)
class _Seen:
    at: float
    seq: int
    event_id: UUID


class EventFeed:
    """Begins with what happens after `start`. `types` may hold patterns."""

    def __init__(
        self,
        database: Database,
        tenant: Tenant,
        types: Sequence[str],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._types = tuple(types)
        self._now = now
        self._after = 0
        self._seen: deque[_Seen] = deque()

    async def start(self) -> None:
        self._after = await self._database.read(
            lambda connection: get_last_seq(connection, self._tenant)
        )

    async def read(self, *, deadline: float | None = None) -> list[Event]:
        """What is new since the last call, oldest first; at most some hundreds at once.

        Raises `UnavailableError` when the database could not be read within `deadline` seconds;
        nothing is missed by that. None waits for as long as it takes.
        """
        self._settle()
        known = [each.event_id for each in self._seen]
        found = await self._database.read(
            lambda connection: list_events_after(
                connection, self._tenant, self._after, known=known, limit=PAGE
            ),
            deadline=deadline,
        )
        self._remember(found)
        return [each.event for each in found if matches(self._types, each.event.type)]

    def _remember(self, found: Sequence[StoredEvent]) -> None:
        now = self._now()
        self._seen.extend(_Seen(now, each.seq, each.event.id) for each in found)

    def _settle(self) -> None:
        """Begin later from now on: no transaction is open for so long."""
        settled_before = self._now() - SETTLED
        while self._seen and self._seen[0].at < settled_before:
            self._after = max(self._after, self._seen.popleft().seq)
        self._seen = deque(each for each in self._seen if each.seq > self._after)
