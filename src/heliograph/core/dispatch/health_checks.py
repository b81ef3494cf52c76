"""When accounts last answered a ping: gathered, and written for all accounts of a node at once."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from heliograph.core.accounts.sql import set_health_checked
from heliograph.core.cluster.model import Lease
from heliograph.platform.aio.periodic import PeriodicWriter
from heliograph.platform.database.pool import Database

INTERVAL = 5.0

HealthChecks = PeriodicWriter[Lease, datetime]


def write_health_checks_to(database: Database) -> HealthChecks:
    """A writer with one statement for each shard.

    What is lost when a node dies is a time that the account's next owner writes within a minute.
    """

    async def write(answered: Mapping[Lease, datetime]) -> None:
        by_shard: defaultdict[int, list[tuple[UUID, UUID, datetime]]] = defaultdict(list)
        for lease, at in answered.items():
            tenant = lease.tenant
            by_shard[tenant.shard].append((tenant.organization_id, lease.resource_id, at))
        for shard, checks in by_shard.items():
            await database.transact(set_health_checked, shard=shard, checks=checks)

    return PeriodicWriter(
        write, interval=INTERVAL, failure="the times of health checks are not written"
    )
