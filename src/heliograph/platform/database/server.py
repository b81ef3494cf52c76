"""What is asked of the database's server rather than of our tables."""

from heliograph.platform.database.pool import Connection


async def get_synchronous_standbys(connection: Connection) -> str:
    """The setting `synchronous_standby_names`; empty when commits wait for no standby."""
    return str(await connection.fetchval("SHOW synchronous_standby_names"))
