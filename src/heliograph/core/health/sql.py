"""What the checks count in the database."""

from heliograph.platform.database.pool import Connection

COUNT_ACCOUNTS_BY_NETWORK = "SELECT network, count(*) AS count FROM accounts GROUP BY network"


async def count_accounts_by_network(connection: Connection) -> dict[str, int]:
    rows = await connection.fetch(COUNT_ACCOUNTS_BY_NETWORK)
    return {row["network"]: row["count"] for row in rows}


COUNT_ORGANIZATIONS_BY_SHARD = "SELECT shard, count(*) AS count FROM organizations GROUP BY shard"


async def count_organizations_by_shard(connection: Connection) -> dict[int, int]:
    rows = await connection.fetch(COUNT_ORGANIZATIONS_BY_SHARD)
    return {row["shard"]: row["count"] for row in rows}


LIST_ENABLED_URLS = "SELECT DISTINCT url FROM webhooks WHERE enabled"


async def list_enabled_urls(connection: Connection) -> list[str]:
    """List the URLs of all enabled webhooks."""
    return [row["url"] for row in await connection.fetch(LIST_ENABLED_URLS)]


FIND_ROLE = "SELECT current_user"


async def find_role(connection: Connection) -> str:
    """Return the name of the role that is connected."""
    role: str = await connection.fetchval(FIND_ROLE)
    return role
