"""Migrates the database's schema to this release, and reports the progress.

Revisions are Alembic's, written as SQL, one command per call. The core's are in
`migrations/versions`; each network driver may bring a folder of its own as a branch of its own.

A revision's id ends in a number that grows by one: `0001`, `0002`; `sandbox_0001`. A release adds
at most two revisions to the core: one that expands the schema, with which the previous release
works, too, and after it, if need be, one that contracts it (`contracts = True`), taking away what
only nodes of the previous release need. To a driver's branch it adds at most one, which expands.

The core's first one is `0100`, for release 0.1.0: a database with a lower number was made before
it, and is refused. A database whose revision is this release's plus one was expanded by the next
release and works under this one too; one that is further ahead is refused. A contracting revision
is run when no node is alive that does not know it, and from then on none of these can register
(`earlier_nodes`). Until then the schema stays as it is, and the release works with it; whoever
migrates next tries again. What comes after a contracting revision has to wait as well. If it brings
what this release needs (`adds = True`), the release can't be started beside nodes of the one
before: they have to end. Revisions of a branch that this installation does not have (a driver that
was removed) are left alone.

Nodes keep working meanwhile. A statement that waits for a table blocks all later ones, so it waits
half a second at most; then its revision releases its locks and starts again. A revision that locks
one table and waits for a second would run into one deadlock with busy nodes after another, and
always yield: so it changes each table in a transaction of its own
(`op.get_context().autocommit_block()`), by statements that may run again (`IF NOT EXISTS`).
"""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from heliograph.errors import ConfigurationError
from heliograph.platform.database.earlier_nodes import keep_out_earlier_nodes
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT, holding_migration_lock
from heliograph.platform.database.migration_progress import MigrationProgress, Show
from heliograph.platform.database.pooler import refuse_transaction_pooling
from heliograph.platform.database.revisions import (
    CORE,
    FROM_BEFORE,
    Contraction,
    MigrationState,
    MigrationStatus,
    Revisions,
)

LOCK_TIMEOUT = 0.5
"""Seconds that a statement waits for a lock: less than the server's `deadlock_timeout`, so that in
a deadlock with a node it is the migration that yields, and much less than a request waits."""
MIGRATION_TIMEOUT = 300.0
"""Seconds of waiting after which a migration that doesn't get its locks is given up."""
CONTRACTION_TIMEOUT = 30.0
"""The same if only a contracting revision is left: a start need not wait for it."""

log = structlog.get_logger()

_LOCKED_OUT = ("40P01", "55P03")  # a deadlock; a lock time-out
_PAUSE = 1.0


def is_locked_out(error: DBAPIError) -> bool:
    """Whether the error means that others held a lock for longer than a migration waits."""
    return getattr(error.orig, "sqlstate", None) in _LOCKED_OUT


class MigrationError(ConfigurationError):
    """The database's schema can't be brought to what this release needs."""


def _lacks_rights(error: DBAPIError) -> bool:
    """Whether the error means that the role may not change the schema."""
    return getattr(error.orig, "sqlstate", None) == asyncpg.InsufficientPrivilegeError.sqlstate


def _explain(error: DBAPIError) -> MigrationError:
    """Return the error for a revision that the database has refused."""
    said = error.orig.__cause__ or error.orig if error.orig else error  # without SQLAlchemy's words
    if _lacks_rights(error):
        return MigrationError(
            f"The schema is behind this release, and this role may not change it: {said}.",
            remedy="Run `heliograph migrate` as the role that owns the tables, with --grant-to and "
            "the name of this one.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    return MigrationError(
        f"The database can't be migrated: {said}.",
        remedy="Fix that and run `heliograph migrate`: it goes on where it stopped.",
    )


class Migrations(Revisions):
    """All revisions of this installation, and the way to them."""

    def __init__(self, version_locations: Iterable[Path] = ()) -> None:
        locations = list(version_locations)
        super().__init__(locations)
        self._config = _make_config(locations)

    async def upgrade(self, url: str, show: Show | None = None) -> MigrationStatus:
        """Bring the database to the heads, or up to a contracting revision for which it is too
        early. One at a time: others wait for the one that is first. `show` is told how far it is;
        without it, the log is.

        Raises `MigrationError` when the database is of a later release than the next or of a
        version before the first, and when nodes are alive that are of an earlier release than the
        one before, and `TransactionPoolingError`.
        """
        await refuse_transaction_pooling(Hosts(url).connect_plainly)
        progress = MigrationProgress(show)
        progress.say("waiting for whoever migrates, too")
        async with progress.told(), holding_migration_lock(url) as lock:
            status = await self.status(lock)
            if status.state is MigrationState.TOO_OLD:
                raise MigrationError(f"This database {FROM_BEFORE}: start with an empty one.")
            if status.state is MigrationState.TOO_NEW:
                raise MigrationError(
                    "The database was migrated by a later release.",
                    remedy="Update this installation to that release.",
                )
            if status.state in (MigrationState.BEHIND, MigrationState.EXPANDED):
                before = status
                earlier = await self._run_patiently(url, lock, progress)
                status = await self.status(lock)
                _report(status, earlier)
                if progress.done and before.current:
                    log.info(
                        "the database is migrated",
                        revisions=progress.done,
                        seconds=progress.seconds,
                    )
            return status

    async def _run_patiently(
        self,
        url: str,
        connection: "asyncpg.Connection[asyncpg.Record]",
        progress: MigrationProgress,
    ) -> list[str]:
        waited = 0.0
        while True:
            try:
                return await self._run(url, progress)
            except DBAPIError as error:
                status = await self.status(connection)
                if status.state is MigrationState.EXPANDED and _lacks_rights(error):
                    log.warning(
                        "the schema keeps what only the previous release needed, and this role may "
                        "not change it; run `heliograph migrate` as the role that owns the tables"
                    )
                    return []
                if not is_locked_out(error):
                    raise _explain(error) from error
                waited += LOCK_TIMEOUT + _PAUSE
                if status.state is MigrationState.EXPANDED and waited > CONTRACTION_TIMEOUT:
                    log.warning(
                        "others hold locks on tables, so the schema keeps what only the previous "
                        "release needed; run `heliograph migrate` once more"
                    )
                    return []
                if waited > MIGRATION_TIMEOUT:
                    raise MigrationError(
                        "The database can't be migrated: others hold locks on its tables.",
                        remedy="pg_stat_activity shows transactions that stay open; end them.",
                    ) from error
            log.info("the migration waits for locks that others hold, and begins anew")
            progress.say("waiting for locks that others hold")
            await asyncio.sleep(_PAUSE)

    async def _run(self, url: str, progress: MigrationProgress) -> list[str]:
        # asyncpg reads the URL itself: several hosts and Unix sockets mean the same as elsewhere.
        engine = create_async_engine(
            "postgresql+asyncpg://",
            async_creator=lambda: _connect_impatiently(url),
            poolclass=NullPool,
        )
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(self._run_alembic, progress)
        finally:
            await engine.dispose()

    def _run_alembic(self, connection: Connection, progress: MigrationProgress) -> list[str]:
        """Run what is missing. Returns the nodes for whose end the next revision has to wait."""
        self._config.attributes["connection"] = connection
        self._config.attributes["on_version_apply"] = lambda **_: progress.finish_one()
        try:
            return self._run_revisions(connection, progress)
        except CommandError as error:
            raise MigrationError(
                f"The database can't be migrated: {error}.",
                remedy="Install every network driver for which the database has tables.",
            ) from error

    def _run_revisions(self, connection: Connection, progress: MigrationProgress) -> list[str]:
        progress.total = progress.done + len(self._list_titles(connection, "heads"))
        is_new = not MigrationContext.configure(connection).get_current_heads()
        connection.rollback()
        for contraction in self._list_missing(connection):
            for expanded in (contraction.before, *self.heads_of_drivers):
                self._bring_to(connection, expanded, progress)
            earlier = keep_out_earlier_nodes(connection, contraction.number)
            if earlier:
                return earlier
            self._bring_to(connection, contraction.revision, progress)
            if not is_new:
                log.info(
                    "the schema no longer has what only the previous release needed, so that one "
                    "can't be started any more",
                    revision=contraction.revision,
                )
        self._bring_to(connection, "heads", progress)
        return []

    def _list_titles(self, connection: Connection, revision: str) -> list[str]:
        """List what the revisions are called that are missing up to this one, in their order."""
        current = MigrationContext.configure(connection).get_current_heads()
        connection.rollback()
        scripts = ScriptDirectory.from_config(self._config)
        known = tuple(head for head in current if head in self._known)
        missing = scripts.iterate_revisions(revision, known or "base", implicit_base=True)
        return [
            f"{script.revision} {script.doc}".splitlines()[0].strip()
            for script in reversed(list(missing))
        ]

    def _bring_to(self, connection: Connection, revision: str, progress: MigrationProgress) -> None:
        progress.begin(self._list_titles(connection, revision))
        command.upgrade(self._config, revision)
        connection.rollback()  # where there was nothing to run, Alembic leaves a transaction open

    def _list_missing(self, connection: Connection) -> list[Contraction]:
        """List the contracting revisions that have not been run, in their order."""
        current = MigrationContext.configure(connection).get_current_heads()
        connection.rollback()
        reached = max((int(revision) for revision in current if revision.isdecimal()), default=0)
        return [each for each in self.contractions if each.number > reached]


def _report(status: MigrationStatus, earlier: Sequence[str]) -> None:
    """Say that nodes of an earlier release, given by name, are waited for. Raises `MigrationError`
    when this release can't work with the schema as it is until then."""
    if status.state is MigrationState.BEHIND:
        revisions = ", ".join(sorted(status.current))
        raise MigrationError(
            f"The database stays at {revisions} while nodes of an earlier release are alive, which "
            f"can't work with what this one needs: {', '.join(earlier)}.",
            remedy="Stop these nodes, wait for 20 seconds, and run this again. If you have skipped "
            "a release, you can update one release at a time instead, without an interruption.",
        )
    if earlier:
        log.warning(
            "nodes of the previous release are alive, so the schema keeps what only they need; "
            "run `heliograph migrate` once more when they are gone",
            nodes=list(earlier),
        )


def upgrade(
    url: str, version_locations: Sequence[Path] = (), show: Show | None = None
) -> MigrationStatus:
    """Bring the database to the heads, from code that is not asynchronous."""
    return asyncio.run(Migrations(version_locations).upgrade(url, show))


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


async def _connect_impatiently(url: str) -> "asyncpg.Connection[Any]":
    """Return a connection on which no statement waits for a lock for long."""
    connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
    await connection.execute(
        "SELECT set_config('lock_timeout', $1, false)", str(int(LOCK_TIMEOUT * 1000))
    )
    return connection
