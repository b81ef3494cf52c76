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
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import asyncpg
import structlog
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from heliograph.errors import ConfigurationError
from heliograph.store.hosts import Hosts

CONNECT_TIMEOUT = 10.0
"""Seconds for each host; a start can wait longer than a request."""
LOCK_TIMEOUT = 0.5
"""Seconds that a statement waits for a lock: less than the server's `deadlock_timeout`, so that in
a deadlock with a node it is the migration that yields, and much less than a request waits."""
LOCK_PATIENCE = 300.0
"""Seconds after which a migration that never gets its locks is given up."""

log = structlog.get_logger()

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x48454C494F  # "HELIO": any number that nobody else locks
_LOCKED_OUT = ("40P01", "55P03")  # a deadlock; a lock that was not to be had in time
_PAUSE = 1.0
_NUMBERED = re.compile(r"(?P<branch>.*?)(?P<number>\d+)")


class MigrationError(ConfigurationError):
    """The database's schema can't be brought to what this release needs."""


class MigrationState(StrEnum):
    """How the database's schema compares with this release."""

    CURRENT = "current"
    BEHIND = "behind"
    NEWER = "newer"
    TOO_NEW = "too_new"


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """`current` are the revisions the database is at, `heads` those this release brings."""

    current: frozenset[str]
    heads: frozenset[str]
    state: MigrationState

    @property
    def is_usable(self) -> bool:
        """Whether this release works with the schema: its own, or that of the next release."""
        return self.state in (MigrationState.CURRENT, MigrationState.NEWER)


class Migrations:
    """All revisions of this installation: the core's, and those of `version_locations`.

    Reading them from disk takes some milliseconds; `compare` takes none.
    """

    def __init__(self, version_locations: Iterable[Path] = ()) -> None:
        self._config = _make_config(version_locations)
        script = ScriptDirectory.from_config(self._config)
        self._known = frozenset(revision.revision for revision in script.walk_revisions())
        self.heads = frozenset(script.get_heads())

    def compare(self, current: Iterable[str]) -> MigrationStatus:
        """The status of a database that is at the revisions `current`."""
        found = frozenset(current)
        ahead = [head for head in self.heads if _is_ahead(head, found - self._known)]
        next_ones = {_next(head) for head in ahead} & found
        if len(next_ones) < len(ahead):
            state = MigrationState.TOO_NEW
        elif self.heads - found - frozenset(ahead):
            state = MigrationState.BEHIND
        else:
            state = MigrationState.NEWER if ahead else MigrationState.CURRENT
        return MigrationStatus(found, self.heads, state)

    async def status(
        self, connection: "asyncpg.pool.PoolConnectionProxy[Any] | asyncpg.Connection[Any]"
    ) -> MigrationStatus:
        """The status of the database behind `connection`. Raises what asyncpg raises."""
        try:
            rows = await connection.fetch("SELECT version_num FROM alembic_version")
        except asyncpg.UndefinedTableError:
            rows = []
        return self.compare(row["version_num"] for row in rows)

    async def upgrade(self, url: str) -> MigrationStatus:
        """Bring the database to the heads. One at a time: others wait for the one that is first.

        Raises `MigrationError` when the database is of a later release than the next.
        """
        lock = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
        try:
            await lock.execute("SELECT pg_advisory_lock($1)", _LOCK)
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
                remedy="Install every network driver that the database has tables of.",
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
    locations = [_FOLDER / "versions", *version_locations]
    options = {
        "script_location": str(_FOLDER),
        "path_separator": "newline",
        "version_locations": "\n".join(str(location) for location in locations),
    }
    for name, value in options.items():
        config.set_main_option(name, value.replace("%", "%%"))
    return config


def _is_ahead(head: str, unknown: Iterable[str]) -> bool:
    """Whether a revision that we do not know belongs to the branch of `head`."""
    return any(_branch(revision) == _branch(head) for revision in unknown)


def _branch(revision: str) -> str:
    match = _NUMBERED.fullmatch(revision)
    return match["branch"] if match else revision


def _next(revision: str) -> str | None:
    match = _NUMBERED.fullmatch(revision)
    if match is None:
        return None
    return f"{match['branch']}{int(match['number']) + 1:0{len(match['number'])}d}"
