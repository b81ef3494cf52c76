"""The horizon: the `seq` up to which rows are settled, so that no open transaction will add one
there.

Rows get their `seq` from a sequence when they are inserted, and become visible when their
transaction commits: a row with a higher `seq` may become visible first. A reader that moved past
it, or took lower ones for deleted, would miss others. So nothing does that beyond the horizon.

It is computed without any help from the writers: first read the last assigned `seq`, then the
transactions that hold the lock that an INSERT takes on the table and keeps until it ends. Any
transaction with a lower `seq` is among them or has ended: once all of them have ended, everything
up to that `seq` is settled. See docs/decisions/0048.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from heliograph.platform.database.pool import Connection


class Numbering(NamedTuple):
    """The sequence that numbers rows, and all tables whose inserts take numbers from it."""

    sequence: str
    tables: tuple[str, ...]


class Assigned(NamedTuple):
    """The highest assigned `seq`, and the start time of this server."""

    server: datetime
    seq: int


class Asked(Protocol):
    """A connection, or a pool of them."""

    async def fetch(self, query: str, *args: object) -> list[Any]: ...


# Reads the sequence's current value, whatever this statement's snapshot. A standby has no writers,
# and its sequence is ahead of its rows: nothing is settled there.
GET_ASSIGNED = """
SELECT pg_postmaster_start_time() AS server, CASE
    WHEN pg_is_in_recovery() THEN 0
    ELSE coalesce(pg_sequence_last_value($1::text::regclass), 0)
END AS seq
"""


async def get_assigned(connection: Asked, numbering: Numbering) -> Assigned:
    [row] = await connection.fetch(GET_ASSIGNED, numbering.sequence)
    return Assigned(*row)


# A separate statement: Citus would have a worker answer one that reads a distributed table.
GET_SERVER = "SELECT pg_postmaster_start_time()"


async def get_server(connection: Connection) -> datetime:
    """Return when this connection's server (on Citus, the coordinator) was started. It stays the
    same for as long as the connection lasts."""
    server: datetime = await connection.fetchval(GET_SERVER)
    return server


# A transaction locks the table before its first row gets a `seq`, and keeps the lock to its end.
LIST_WRITERS = """
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND relation IN (SELECT name::regclass FROM unnest($1::text[]) AS name)
"""


async def list_writers(connection: Asked, numbering: Numbering) -> set[str]:
    """Return the open transactions that have written to the tables, or are about to."""
    rows = await connection.fetch(LIST_WRITERS, numbering.tables)
    return {row["virtualtransaction"] for row in rows}


def is_prepared(writer: str) -> bool:
    """Return whether it is prepared for a two-phase commit, and so belongs to no connection."""
    return writer.startswith("-1/")


@dataclass(slots=True)
class _Unsettled:
    """The `seq` up to which rows are settled once these transactions have ended."""

    seq: int
    writers: set[str]


class Horizon:
    """How far rows are settled, as known to one process.

    `server` is the start time of the database server that this applies to. After a failover, the
    new one may reuse a `seq` that the lost one had assigned, so it is not valid there.
    """

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self._unsettled: _Unsettled | None = None
        self.server: datetime | None = None
        self.seq = 0

    @property
    def is_settled(self) -> bool:
        """Whether no transaction was open at the last update."""
        return self._unsettled is None

    async def update(self, connection: Asked) -> Assigned:
        """Advance the horizon as far as no transaction is open. Returns the last assigned `seq`.

        One update at a time, outside of a transaction.
        """
        assigned = await get_assigned(connection, self._numbering)
        if assigned == (self.server, self.seq):
            return assigned  # nothing new
        writers = await list_writers(connection, self._numbering)  # in this order: see above
        if assigned.server != self.server or assigned.seq < self.seq:
            self.server, self.seq, self._unsettled = assigned.server, 0, None
        self._apply(assigned.seq, writers)
        return assigned

    def _apply(self, seq: int, writers: set[str]) -> None:
        if self._unsettled is not None:
            self._unsettled.writers &= writers
            # one that was prepared meanwhile is listed under another name
            if self._unsettled.writers or any(map(is_prepared, writers)):
                return
            self.seq = self._unsettled.seq
            self._unsettled = None
        if writers:
            self._unsettled = _Unsettled(seq, writers)
        else:
            self.seq = seq
