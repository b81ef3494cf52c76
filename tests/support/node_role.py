"""A database as nodes have it whose role owns nothing."""

from urllib.parse import urlsplit

from connections import connected
from heliograph.platform.database.roles import NODE, grant_to_nodes, make_roles

PASSWORD = "of-the-role-of-nodes"
MAKE = """
DO $$ BEGIN
    CREATE ROLE {role} LOGIN PASSWORD '{password}';
EXCEPTION WHEN duplicate_object THEN
    NULL;
END $$
"""


async def as_node(owner_url: str, role: str = NODE) -> str:
    """Give the role its rights on a database that is migrated; return the URL by which it comes.

    That is the role of the private PostgreSQL, or one that an operator has made.
    """
    async with connected(owner_url) as connection:
        if role == NODE:
            await make_roles(connection, owner_password=PASSWORD, node_password=PASSWORD)
        else:
            await connection.execute(MAKE.format(role=role, password=PASSWORD))
    await grant_to_nodes(owner_url, role)
    parts = urlsplit(owner_url)
    address = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{role}:{PASSWORD}@{address}").geturl()
