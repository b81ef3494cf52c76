"""Organizations on a shard of a test's choosing.

The casts of the tests live on shards other than 0, so that a statement that takes 0 for granted, or
forgets the shard in what it writes, finds nothing.
"""

from heliograph.core.organizations.sql import insert_organization
from heliograph.core.tenants.model import Organization
from heliograph.core.tenants.plans import DEFAULT_PLAN
from heliograph.platform.database.pool import Database


async def place_organization(
    database: Database, name: str, shard: int, *, plan: str = DEFAULT_PLAN
) -> Organization:
    clock = database.clock
    organization = Organization(clock.new_id(), shard, name, plan, clock.now())
    await database.transact(insert_organization, organization)
    return organization
