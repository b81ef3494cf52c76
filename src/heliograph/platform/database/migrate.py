"""Bringing the database's schema to what this release needs, and telling how far it is.

Revisions are Alembic's, written as SQL, one command per call. The core's are in
`migrations/versions`; each network driver may bring a folder of its own as a branch of its own.

A revision's id ends in a number that grows by one: `0001`, `0002`; `sandbox_0001`. A release adds
at most one revision to each branch. So a database whose revision is this release's plus one was
migrated by the next release, whose schema works under this one too (expand, then contract); a
database further ahead is refused. Revisions of a branch that this installation does not have (a
driver that was removed) are left alone.

Nodes go on working meanwhile. A statement that waits for a table holds up all who come after it, so
it waits half a second at most; then its revision gives back what it holds and begins anew. A
revision that keeps writers from one table and waits for a second meets busy nodes in one deadlock
after another, and always yields: it changes each table in a transaction of its own
(`op.get_context().autocommit_block()`), by statements that may run again (`IF NOT EXISTS`).
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import structlog
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from heliograph.errors import ConfigurationError
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.revisions import CORE, MigrationState, MigrationStatus, Revisions

CONNECT_TIMEOUT = 10.0
"""Seconds for each host; a start can wait longer than a request."""
LOCK_TIMEOUT = 0.5
"""Seconds that a statement waits for a lock: less than the server's `deadlock_timeout`, so that in
a deadlock with a node it is the migration that yields, and much less than a request waits."""
LOCK_PATIENCE = 300.0
"""Seconds after which a migration that never gets its locks is given up."""

log = structlog.get_logger()

_LOCK = 0x48454C494F  # "HELIO": any number that nobody else locks
_LOCKED_OUT = ("40P01", "55P03")  # a deadlock; a lock that was not to be had in time
_PAUSE = 1.0
_TRY_EVERY = 0.2


class MigrationError(ConfigurationError):
    """The database's schema can't be brought to what this release needs."""


class Migrations(Revisions):
    """All revisions of this installation, and the way to them."""

    def __init__(self, version_locations: Iterable[Path] = ()) -> None:
        locations = list(version_locations)
        super().__init__(locations)
        self._config = _make_config(locations)

    async def upgrade(self, url: str) -> MigrationStatus:
        """Bring the database to the heads. One at a time: others wait for the one that is first.

        Raises `MigrationError` when the database is of a later release than the next.
        """
        lock = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
        try:
            await _take(lock)
            status = await self.status(lock)
            if status.state is MigrationState.TOO_NEW:
                raise MigrationError(
                    "The database was migrated by a later release.",
                    remedy="Update this installation to that release.",
                )
            if status.state is MigrationState.BEHIND:
                await self._run_patiently(url)
                status = await self.status(lock)
            return status
        finally:
            await lock.close()  # which releases the lock

    async def _run_patiently(self, url: str) -> None:
        deadline = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                return await self._run(url)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in _LOCKED_OUT:
                    raise
                if time.monotonic() > deadline:
                    raise MigrationError(
                        "The database can't be migrated: others hold locks on its tables.",
                        remedy="pg_stat_activity shows transactions that stay open; end them.",
                    ) from error
            log.info("the migration waits for locks that others hold, and begins anew")
            await asyncio.sleep(_PAUSE)

    async def _run(self, url: str) -> None:
        # asyncpg reads the URL itself: several hosts and Unix sockets mean the same as elsewhere.
        engine = create_async_engine(
            "postgresql+asyncpg://",
            async_creator=lambda: Hosts(url).connect(
                timeout=CONNECT_TIMEOUT,
                server_settings={"lock_timeout": str(int(LOCK_TIMEOUT * 1000))},
            ),
            poolclass=NullPool,
        )
        try:
            async with engine.connect() as connection:
                await connection.run_sync(self._run_alembic)
        finally:
            await engine.dispose()

    def _run_alembic(self, connection: Connection) -> None:
        self._config.attributes["connection"] = connection
        try:
            command.upgrade(self._config, "heads")
        except CommandError as error:
            raise MigrationError(
                f"The database can't be migrated: {error}.",
                remedy="Install every network driver for which the database has tables.",
            ) from error


def upgrade(url: str, version_locations: Sequence[Path] = ()) -> MigrationStatus:
    """Bring the database to the heads, from code that is not asynchronous."""
    return asyncio.run(Migrations(version_locations).upgrade(url))


def status(url: str, version_locations: Sequence[Path] = ()) -> MigrationStatus:
    """How far the database is, from code that is not asynchronous."""

    async def ask() -> MigrationStatus:
        connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
        try:
            return await Migrations(version_locations).status(connection)
        finally:
            await connection.close()

    return asyncio.run(ask())


def _make_config(version_locations: Iterable[Path]) -> Config:
    config = Config()
    locations = [CORE, *version_locations]
    options = {
        "script_location": str(CORE.parent),
        "path_separator": "newline",
        "version_locations": "\n".join(str(location) for location in locations),
    }
    for name, value in options.items():
        config.set_main_option(name, value.replace("%", "%%"))
    return config


async def _take(connection: "asyncpg.Connection[Any]") -> None:
    # whoever waits in a statement holds up indexes that are built concurrently
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):  # noqa: ASYNC110 - a database has no event to wait for
        await asyncio.sleep(_TRY_EVERY)
