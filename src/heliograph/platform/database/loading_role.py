"""The role that loads a dump: one made only for that, if there is a superuser to make it.

A dump is a program for the server. As a superuser, it could start other programs there
(`COPY … TO PROGRAM`), read the server's files, and make superusers. As any other role, it could
change that role's own password and settings.
"""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote, urlsplit

from heliograph.platform.database.pool import Connection

IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"

_NAME = """
SELECT 'heliograph_restore_' || oid FROM pg_database WHERE datname = current_database()
"""
"""The same for each attempt, so that a killed one leaves nothing behind permanently."""

_EXISTS = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)"
_SET = "SELECT format('ALTER ROLE %I LOGIN NOSUPERUSER PASSWORD %L', $1::text, $2::text)"
_FIND_OWNER = """
SELECT quote_ident(pg_get_userbyid(datdba)) FROM pg_database WHERE datname = current_database()
"""
_GRANT = """
SELECT format('GRANT CREATE ON DATABASE %I TO %I', current_database(), $1::text)
"""


async def is_superuser(connection: Connection) -> bool:
    """Return whether the connected role is a superuser."""
    return bool(await connection.fetchval(IS_SUPERUSER))


@asynccontextmanager
async def loading_role(connection: Connection, url: str) -> AsyncIterator[str]:
    """Yield the URL for loading a dump: `url` itself or, if `connection` is a superuser's, that of
    a role that exists while the block runs. Afterward, what that role made belongs to the owner
    of the database.

    Raises what asyncpg raises.
    """
    if not await is_superuser(connection):
        yield url
        return
    role = str(await connection.fetchval(_NAME))
    password = secrets.token_urlsafe(32)
    try:
        await _make(connection, role, password)
        yield _as_role(url, role, password)
    finally:
        await _drop(connection, role)


async def _make(connection: Connection, role: str, password: str) -> None:
    if not await connection.fetchval(_EXISTS, role):
        await connection.execute(f"CREATE ROLE {role}")
    await connection.execute(await connection.fetchval(_SET, role, password))
    await connection.execute(await connection.fetchval(_GRANT, role))
    await connection.execute(f"GRANT USAGE, CREATE ON SCHEMA public TO {role}")


async def _drop(connection: Connection, role: str) -> None:
    owner = await connection.fetchval(_FIND_OWNER)
    async with connection.transaction():
        await connection.execute(f"REASSIGN OWNED BY {role} TO {owner}")
        await connection.execute(f"DROP OWNED BY {role}")
        await connection.execute(f"DROP ROLE {role}")


def _as_role(url: str, role: str, password: str) -> str:
    parts = urlsplit(url)
    hosts = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{role}:{quote(password, safe='')}@{hosts}").geturl()
