"""`message_counts`: how many messages of a day, direction and status there are.

Moved in the transaction that changes a message, by what that transaction changed and nothing else;
never lowered by a clean-up. A row is striped so that several writers seldom meet on one.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns

STRIPES = 16
PAST = date(1970, 1, 1)
"""The day that stands for all days of which nobody asks any more."""

_MOVES = Columns("organization_id uuid, day date, direction text, status text, n bigint", first=3)
MOVE = _MOVES.fill("""
INSERT INTO message_counts AS c (shard, stripe, {names}) SELECT $1, $2, {values} FROM {rows}
ORDER BY k.organization_id, k.day, k.direction, k.status
ON CONFLICT (shard, organization_id, day, direction, status, stripe)
DO UPDATE SET n = c.n + excluded.n
""")


class CountKey(NamedTuple):
    organization_id: UUID
    day: date
    direction: Direction
    status: MessageStatus


class CountMoves:
    """What one transaction changes in the counts."""

    def __init__(self) -> None:
        self._deltas: Counter[CountKey] = Counter()

    def add(
        self, organization_id: UUID, at: datetime, direction: Direction, status: MessageStatus
    ) -> None:
        self._deltas[CountKey(organization_id, _day(at), direction, status)] += 1

    def add_past(
        self, organization_id: UUID, direction: Direction, status: MessageStatus, n: int
    ) -> None:
        """Counts of days that are put together with those of the past."""
        self._deltas[CountKey(organization_id, PAST, direction, status)] += n

    def move(
        self,
        organization_id: UUID,
        at: datetime,
        direction: Direction,
        old: MessageStatus,
        new: MessageStatus,
    ) -> None:
        if old is not new:
            self._deltas[CountKey(organization_id, _day(at), direction, old)] -= 1
            self._deltas[CountKey(organization_id, _day(at), direction, new)] += 1

    def rows(self) -> Iterable[tuple[CountKey, int]]:
        return [(key, n) for key, n in self._deltas.items() if n]


async def move_message_counts(
    connection: Connection, shard: int, stripe: int, moves: CountMoves
) -> None:
    """Add the moves to this shard's counts."""
    rows = [(*key, n) for key, n in moves.rows()]
    if rows:
        await connection.execute(MOVE, shard, stripe, *_MOVES.transpose(rows))


def _day(at: datetime) -> date:
    return at.astimezone(UTC).date()
