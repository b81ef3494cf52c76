"""The table `account_totals`: how many messages each account has sent and received in all, and sent
on the last day with any.

Each batch of messages updates these counters, so they are kept apart from the accounts. Writers
hold a lock on the account, so they never wait for each other here: there are no stripes, but there
are rounds (`cluster.counter_rounds_sql`).
"""

from collections import Counter
from datetime import UTC, date, datetime
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.accounts.model import Account
from heliograph.core.cluster.counter_rounds_sql import ASK_ROUND
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import RowWrite
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns

WITH_TOTALS = """
CROSS JOIN LATERAL (
    SELECT coalesce(sum(t.sent), 0)::bigint AS total_messages_sent,
        coalesce(sum(t.received), 0)::bigint AS total_messages_received,
        max(t.sent_on) AS sent_on,
        coalesce(sum(t.sent_that_day) FILTER (WHERE t.sent_on = t.last_day), 0)::integer
            AS sent_that_day
    FROM (
        SELECT sent, received, sent_on, sent_that_day, max(sent_on) OVER () AS last_day
        FROM account_totals
        WHERE shard = {shard} AND organization_id = a.organization_id AND account_id = a.id
    ) AS t
) AS totals
"""
"""The SQL that joins the totals to a row `a` of `accounts`."""


class TotalChanges:
    """The numbers that a transaction adds to the totals of accounts, all at `now`."""

    def __init__(self, now: datetime) -> None:
        self._today = now.astimezone(UTC).date()
        self._sent: Counter[tuple[UUID, UUID]] = Counter()
        self._received: Counter[tuple[UUID, UUID]] = Counter()

    def add_sent(self, account: Account) -> None:
        self._sent[account.tenant.organization_id, account.id] += 1

    def add_received(self, account: Account) -> None:
        self._received[account.tenant.organization_id, account.id] += 1

    def added_to(self, account: Account) -> Account:
        """Return the account with its totals after these changes."""
        key = account.tenant.organization_id, account.id
        return replace(
            account,
            total_messages_sent=account.total_messages_sent + self._sent[key],
            total_messages_received=account.total_messages_received + self._received[key],
        )

    def rows(self) -> list[tuple[UUID, UUID, int, int, date | None, int]]:
        return [
            (*key, sent, self._received[key], self._today if sent else None, sent)
            for key in sorted({*self._sent, *self._received})
            for sent in [self._sent[key]]
        ]


SENT_THAT_DAY = """CASE
    WHEN t.sent_on = excluded.sent_on THEN t.sent_that_day + excluded.sent_that_day
    WHEN t.sent_on > excluded.sent_on OR excluded.sent_on IS NULL THEN t.sent_that_day
    ELSE excluded.sent_that_day END"""
"""The number sent on the later day of two rows that are merged."""

_CHANGES = Columns(
    "organization_id uuid, account_id uuid, sent bigint, received bigint, sent_on date,"
    " sent_that_day integer"
)
ADD = insertion(
    """
INSERT INTO account_totals AS t (shard, round, {names})
SELECT {shard}, {asked}, {values} FROM {rows}
ORDER BY k.organization_id, k.account_id
ON CONFLICT (shard, organization_id, account_id, round) DO UPDATE
SET sent = t.sent + excluded.sent, received = t.received + excluded.received,
    sent_on = greatest(t.sent_on, excluded.sent_on), sent_that_day = {sent_that_day}
""".replace("{sent_that_day}", SENT_THAT_DAY),
    _CHANGES,
    asked=ASK_ROUND,
)


def writes_of_totals(changes: TotalChanges) -> list[RowWrite]:
    """List the writes that add the changes to the totals of accounts that are locked."""
    rows = changes.rows()
    return [ADD.write_rows(rows)] if rows else []


DELETE = """
DELETE FROM account_totals WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""


async def delete_totals(connection: Connection, tenant: Tenant, account_id: UUID) -> None:
    """Delete the totals of an account that is deleted in the same transaction."""
    await connection.execute(DELETE, *tenant, account_id)


# What was sent on the latest day is in one row or in several; of earlier days none is kept.
FOLD_TOTALS_ROUNDS = """
WITH old AS MATERIALIZED (
    SELECT account_id, round, sent, received, sent_on, sent_that_day FROM account_totals
    WHERE shard = $1 AND organization_id = $2 AND round > 0
    ORDER BY account_id, round LIMIT $3 FOR UPDATE
), gone AS (
    DELETE FROM account_totals AS t USING old
    WHERE t.shard = $1 AND t.organization_id = $2 AND t.account_id = old.account_id
      AND t.round = old.round
), latest AS (
    SELECT *, max(sent_on) OVER (PARTITION BY account_id) AS last_day FROM old
), first AS (
    INSERT INTO account_totals AS t (
        shard, organization_id, account_id, round, sent, received, sent_on, sent_that_day
    )
    SELECT $1, $2, account_id, 0, sum(sent), sum(received), last_day,
        coalesce(sum(sent_that_day) FILTER (WHERE sent_on = last_day), 0)
    FROM latest GROUP BY account_id, last_day ORDER BY account_id
    ON CONFLICT (shard, organization_id, account_id, round) DO UPDATE
    SET sent = t.sent + excluded.sent, received = t.received + excluded.received,
        sent_on = greatest(t.sent_on, excluded.sent_on), sent_that_day = {sent_that_day}
)
SELECT count(*) FROM old
""".replace("{sent_that_day}", SENT_THAT_DAY)


async def fold_total_rounds(connection: Connection, tenant: Tenant, limit: int) -> int:
    """Add the totals of further rounds to those of the first; return how many rows that took."""
    return int(await connection.fetchval(FOLD_TOTALS_ROUNDS, *tenant, limit))
