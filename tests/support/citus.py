"""Databases on Citus: each lies on the coordinator and on every worker, under one name.

What Citus knows of a database lies in that database's own tables, which don't name it. So one that
is distributed is copied as any other is, on each server.
"""

from urllib.parse import urlsplit

import asyncpg

from connections import connected
from heliograph.platform.database.distribution.distribute import distribute

SHARDS = 8
"""As many as any test uses."""

HAS_CITUS = "SELECT count(*) > 0 FROM pg_extension WHERE extname = 'citus'"
LIST_WORKERS = "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0"
HANG_UP = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = $1 AND pid <> pg_backend_pid()
"""


async def list_workers(url: str) -> list[str]:
    """List the URLs of the workers of the coordinator behind `url`; none on plain PostgreSQL."""
    [row] = await fetch(url, HAS_CITUS)
    if not row[0]:
        return []
    parts = urlsplit(url)
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return [
        parts._replace(netloc=f"{user}{worker['host']}:{worker['port']}").geturl()
        for worker in await fetch(url, LIST_WORKERS)
    ]


async def make_coordinator(url: str, workers: list[str]) -> None:
    """Make a database that all these servers have one of Citus, with `url` as its coordinator,
    which knows none of the workers yet."""
    for server in [*workers, url]:
        await fetch(server, "CREATE EXTENSION IF NOT EXISTS citus")
    await fetch(url, "SELECT citus_set_coordinator_host($1, $2)", *_address(url))


async def join_workers(server_url: str, url: str, workers: list[str]) -> None:
    """Add workers to the coordinator's database `url`.

    One process at a time: a worker that is added has its roles altered, which two can't do at once.
    """
    async with connected(server_url) as shared:
        await shared.fetch("SELECT pg_advisory_lock(hashtext('heliograph tests'))")
        for worker in workers:
            await fetch(url, "SELECT citus_add_node($1, $2)", *_address(worker))


async def distribute_all(url: str) -> None:
    """Distribute the tables of a migrated database."""
    await distribute(url, SHARDS, lambda _done, _total: None)


async def close_database(server_url: str, name: str) -> None:
    """Let nobody into a database, Citus's own daemon included: only so can it be copied."""
    await fetch(server_url, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    await fetch(server_url, HANG_UP, name)


async def fetch(url: str, query: str, *values: object) -> list[asyncpg.Record]:
    """Run a statement over a connection of its own."""
    async with connected(url) as connection:
        rows: list[asyncpg.Record] = await connection.fetch(query, *values)
        return rows


def _address(url: str) -> tuple[str | None, int | None]:
    parts = urlsplit(url)
    return parts.hostname, parts.port
