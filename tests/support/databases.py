"""Databases on the server that all tests share."""

import asyncio
import secrets
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg

from citus import (
    close_database,
    distribute_all,
    fetch,
    join_workers,
    list_workers,
    make_coordinator,
)
from connections import connected
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revisions import Revisions
from heliograph.settings import DatabaseSettings

T = TypeVar("T")

_DROPPED_WITHIN = 60.0  # seconds
CONNECT_TIMEOUT, ANSWER_TIMEOUT = 30.0, 60.0
"""Seconds that a test lets a connection and an answer take: a machine busy with other tests has
been seen to need more than the gateway grants, and what the gateway does then is the subject of
tests of its own."""
PATIENT = DatabaseSettings(connect_timeout=CONNECT_TIMEOUT, statement_timeout=ANSWER_TIMEOUT)
PATIENTLY = {"HELIOGRAPH_DATABASE_CONNECT_TIMEOUT": str(CONNECT_TIMEOUT)}

SCHEMA_REVISION = Revisions().schema_revision
"""What a node of this release says that it knows."""


@contextmanager
def fresh_database(postgres_url: str, template: str = "template1") -> Iterator[str]:
    """The URL of a database that is made like this one, and dropped at the end."""
    url = create_database(postgres_url, template)
    try:
        yield url
    finally:
        drop_database(postgres_url, url)


def create_database(postgres_url: str, template: str) -> str:
    """Make one like `template`; on Citus, on each of its servers."""
    name = f"test_{secrets.token_hex(6)}"
    for server in list_servers(postgres_url):
        run(fetch(server, f"CREATE DATABASE {name} TEMPLATE {template}"))
    return name_database(postgres_url, name)


def drop_database(postgres_url: str, url: str) -> None:
    for server in reversed(list_servers(postgres_url)):
        _drop(server, url_name(url))


def _drop(server: str, name: str) -> None:
    """Drop a database. Citus's own daemon comes back whenever it is thrown out."""
    deadline = time.monotonic() + _DROPPED_WITHIN
    while True:
        try:
            run(fetch(server, f"DROP DATABASE {name} WITH (FORCE)"))
        except asyncpg.ObjectInUseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


async def spare_the_disk(postgres_url: str) -> None:
    """Let a server of the tests' own wait for no disk: whoever drops a database would wait for
    seconds, and nobody pulls its plug."""
    async with connected(postgres_url) as connection:
        for setting in ("fsync", "full_page_writes"):
            await connection.execute(f"ALTER SYSTEM SET {setting} = off")
        await connection.execute("SELECT pg_reload_conf()")


@contextmanager
def migrated_template(postgres_url: str, migration_folders: Sequence[Path]) -> Iterator[str]:
    """The name of a database that has every table and no row; on Citus, distributed."""
    with fresh_database(postgres_url) as url:
        workers = list_worker_databases(postgres_url, url)
        if workers:
            run(make_coordinator(url, workers))
            run(join_workers(postgres_url, url, workers))
        run(Migrations(migration_folders).upgrade(url))
        if workers:
            run(distribute_all(url))
        close_template(postgres_url, url)
        yield url_name(url)


def close_template(postgres_url: str, url: str) -> None:
    """Let nobody into a database that is to be copied: on Citus, its daemon would be in the way."""
    servers = list_servers(postgres_url)
    if len(servers) > 1:
        for server in servers:
            run(close_database(server, url_name(url)))


@cache
def list_servers(postgres_url: str) -> list[str]:
    """List the URLs of all servers on which a database lies, the one that clients call last."""
    return [*run(list_workers(postgres_url)), postgres_url]


def list_worker_databases(postgres_url: str, url: str) -> list[str]:
    """List the URLs of the databases that the workers have under the name of this one."""
    return [name_database(server, url_name(url)) for server in list_servers(postgres_url)[:-1]]


def name_database(postgres_url: str, name: str) -> str:
    return urlsplit(postgres_url)._replace(path=f"/{name}").geturl()


def url_name(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on a loop of its own, leaving the test's loop alone."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work)
