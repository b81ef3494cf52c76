"""Folding the rounds of counters (`cluster.counter_rounds_sql`) once they are over.

The first round has the stripes below 16, as the indexes of the others know.
"""

from collections.abc import Awaitable, Callable

from heliograph.core.accounts.totals_sql import fold_total_rounds
from heliograph.core.messages.statistics.folds_sql import fold_account_rounds, fold_rounds
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.core.webhooks.queue.rounds_sql import fold_delivery_rounds
from heliograph.platform.database.pool import Connection

LIST_TENANTS_WITH_ROUNDS = """
SELECT shard, organization_id FROM message_counts WHERE stripe >= 16
UNION
SELECT shard, organization_id FROM account_message_counts WHERE stripe >= 16
UNION
SELECT shard, organization_id FROM delivery_counts WHERE stripe >= 16
UNION
SELECT shard, organization_id FROM account_totals WHERE round > 0
"""


async def list_tenants_with_rounds(connection: Connection) -> list[Tenant]:
    """List the tenants whose counters have rows of further rounds."""
    return [tenant_of(row) for row in await connection.fetch(LIST_TENANTS_WITH_ROUNDS)]


Fold = Callable[[Connection, Tenant, int], Awaitable[int]]
"""Adds the counts of further rounds to those of the first; returns how many rows that took."""
FOLDS: tuple[Fold, ...] = (
    fold_account_rounds,
    fold_rounds,
    fold_delivery_rounds,
    fold_total_rounds,
)
"""Each for a transaction of its own: writers take these tables in another order."""
