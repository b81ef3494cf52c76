"""Floors: low-water marks from which scans of waiting rows begin, so that they skip dead rows.

Deleted rows can't be vacuumed while an open transaction holds a snapshot, as a dump does. A scan
for the first waiting row would read all rows deleted since. So a process knows a *floor* for each
owner of such rows, such as an account: none of its rows has a lower `seq`, and none ever will.

Below the horizon, no `seq` belongs to an open transaction: rows that a later statement does not
find there are gone. Rows that may return with an old `seq`, such as retries, are excluded: they are
scanned from the start. So a floor stays valid whatever this process or others do next, without any
coordination. It is valid on one server only: another one may still have rows that are gone here.
The same server may, too, after a crash, if commits did not wait for the disk: whoever uses such
commits drops the floors when a connection is lost. See docs/decisions/0058.
"""

import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from heliograph.platform.database.horizon import Horizon, Numbering

RESTART_INTERVAL = 60.0
"""Seconds after which a scan starts from the very beginning again, as a precaution."""
ALL_SELDOM = 1000.0
"""The pause before the next such scan, as a multiple of the last one's duration, but at most
`ALL_AT_LAST` seconds: it reads all dead rows, which may be millions."""
ALL_AT_LAST = 900.0

K = TypeVar("K", bound=Hashable)


class Floor(NamedTuple):
    """The `seq` from which to begin, and the start time of the server for which it is valid."""

    seq: int
    server: datetime | None


START = Floor(0, None)

Run = Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
"""Runs a function with a connection, as `Database.read` does."""
Find = Callable[[Any, Sequence[tuple[K, Floor]]], Awaitable[Mapping[K, int | None]]]
"""Finds, with a connection, the owners that have work; each with the lowest `seq` of its rows from
its floor on, whether due or not, if it has any."""


class _Known(NamedTuple):
    floor: Floor
    until: float

    def start(self, now: float) -> Floor:
        return self.floor if now < self.until else START


_NOTHING = _Known(START, 0.0)


LOOKS_AFTER_USE = 3
"""How many more times floors are raised after one was last asked for: open transactions may take
a while to end. After that no rows are deleted, so there is nothing to find out."""


class Floors(Generic[K]):
    """The floors of owners, `K`, as known to one process. Without `are_known`, all are 0."""

    def __init__(self, run: Run, numbering: Numbering, *, are_known: bool = True) -> None:
        self._run = run
        self._are_known = are_known
        self._horizon = Horizon(numbering)
        self._known: dict[K, _Known] = {}
        self._looks_left = LOOKS_AFTER_USE
        self._forgotten = 0

    def of(self, owner: K) -> Floor:
        """Return the owner's floor."""
        self._looks_left = LOOKS_AFTER_USE
        return self._known.get(owner, _NOTHING).floor

    def forget(self) -> None:
        """Drop all floors: rows may have come back."""
        self._known = {}
        self._forgotten += 1
        self._looks_left = LOOKS_AFTER_USE

    async def look(self, owners: Sequence[K], find: "Find[K]") -> Mapping[K, int | None]:
        """Return the result of `find`, and raise the floors accordingly. One call at a time.

        Owners that `find` leaves out have no row from their floor on. Raises what `run` raises.
        """
        forgotten = self._forgotten
        settled, now = await self._settled(), time.monotonic()
        known = {owner: self._known.get(owner, _NOTHING) for owner in owners}
        looked_for = [(owner, each.start(now)) for owner, each in known.items()]
        took = 0.0

        async def find_timed(connection: Any) -> Mapping[K, int | None]:
            nonlocal took
            began = time.monotonic()
            found = await find(connection, looked_for)
            took = time.monotonic() - began
            return found

        found: Mapping[K, int | None] = await self._run(find_timed)
        again = now + min(max(RESTART_INTERVAL, ALL_SELDOM * took), ALL_AT_LAST)
        if forgotten == self._forgotten:  # otherwise the floors from before this call are invalid
            self._known = {
                owner: _raised(each, found.get(owner), settled, now, again)
                for owner, each in known.items()
            }
        return found

    async def _settled(self) -> Floor:
        """Return the `seq` below which no row can still appear."""
        if not self._are_known:
            return START
        if self._looks_left:
            self._looks_left -= 1
            await self._run(self._horizon.update)
        return Floor(self._horizon.seq + 1, self._horizon.server)


def _raised(known: _Known, first: int | None, settled: Floor, now: float, again: float) -> _Known:
    floor = settled if first is None or first >= settled.seq else Floor(first, settled.server)
    is_new = known.start(now) is START or known.floor.server != settled.server
    return _Known(floor, again if is_new else known.until)
