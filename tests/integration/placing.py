"""Organizations on a shard of a test's choosing.

The casts of the tests live on shards other than 0, so that a statement that takes 0 for granted, or
forgets the shard in what it writes, finds nothing.
"""

from heliograph.model.organizations import Organization
from heliograph.model.plans import DEFAULT
from heliograph.store.database import Database
from heliograph.store.organizations import insert_organization


async def place_organization(
    database: Database, name: str, shard: int, *, plan: str = DEFAULT
) -> Organization:
    clock = database.clock
    organization = Organization(clock.new_id(), shard, name, plan, clock.now())
    await database.transact(lambda connection: insert_organization(connection, organization))
    return organization
