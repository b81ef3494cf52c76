"""Migrates the database's schema to this release, and reports the progress.

Revisions are Alembic's, written as SQL, one command per call. The core's are in
`migrations/versions`; each network driver may bring a folder of its own as a branch of its own.

A revision's id ends in a number that increases by one: `0001`, `0002`; `sandbox_0001`. A release
adds at most two revisions to the core: one that expands the schema, which the previous release
still works with, and after it, if needed, one that contracts it (`contracts = True`), removing what
only nodes of the previous release need. To a driver's branch it adds at most one, which expands.

The core's first one is `0100`, for release 0.1.0: a database with a lower number was made before
that, and is refused. A database whose revision is this release's plus one was expanded by the next
release and works with this one too; one that is further ahead is refused. A contracting revision
is run once all living nodes know it, and from then on nodes that don't can't register
(`earlier_nodes`). Until then the schema stays as it is, and the release works with it; the next
migration tries again. Revisions after a contracting one have to wait as well. If it also adds what
this release needs (`adds = True`), the release can't be started alongside nodes of the previous
one: they have to stop first. Revisions of a branch that this installation does not have (a driver
that was removed) are left alone.

Nodes keep working meanwhile. A statement that waits for a table blocks all later ones, so it waits
half a second at most; then its revision releases its locks and starts again. A revision that locked
one table and waited for another would run into deadlock after deadlock with busy nodes, and
always yield: so it changes each table in a transaction of its own
(`op.get_context().autocommit_block()`), by statements that may run again (`IF NOT EXISTS`).
"""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

import asyncpg
import structlog

from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT, holding_migration_lock
from heliograph.platform.database.migration_progress import MigrationProgress, Show
from heliograph.platform.database.pooler import refuse_transaction_pooling
from heliograph.platform.database.revisions import (
    FROM_BEFORE,
    MigrationError,
    MigrationState,
    MigrationStatus,
    RefusedRevisionError,
    Revisions,
)

LOCK_TIMEOUT = 0.5
"""Seconds that a statement waits for a lock: less than the server's `deadlock_timeout`, so that in
a deadlock with a node it is the migration that yields, and much less than a request waits."""
MIGRATION_TIMEOUT = 300.0
"""Seconds of waiting after which a migration that can't get its locks gives up."""
CONTRACTION_TIMEOUT = 30.0
"""The same if only a contracting revision is left: starting need not wait for it."""

log = structlog.get_logger()

_LOCKED_OUT = ("40P01", "55P03")  # a deadlock; a lock time-out
_NO_RIGHTS = asyncpg.InsufficientPrivilegeError.sqlstate
_PAUSE = 1.0


def _explain(error: RefusedRevisionError) -> MigrationError:
    """Return the error for a revision that the database has refused."""
    if error.sqlstate == _NO_RIGHTS:
        return MigrationError(
            f"The schema is behind this release, and this role may not change it: {error}.",
            remedy="Run `heliograph migrate` as the role that owns the tables, with --grant-to and "
            "the name of this one.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    return MigrationError(
        f"The database can't be migrated: {error}.",
        remedy="Fix that and run `heliograph migrate`: it goes on where it stopped.",
    )


class Migrations(Revisions):
    """All revisions of this installation, and the way to them."""

    def __init__(self, version_locations: Iterable[Path] = ()) -> None:
        self._locations = list(version_locations)
        super().__init__(self._locations)

    async def upgrade(self, url: str, show: Show | None = None) -> MigrationStatus:
        """Migrate the database to the heads, or up to a contracting revision that is not possible
        yet. Only one process migrates at a time; others wait. Progress is reported to `show`, or
        to the log without it.

        Raises `MigrationError` if the database is from a release later than the next or from
        before the first release, or if living nodes are from before the previous release. Also
        raises `TransactionPoolingError`.
        """
        await refuse_transaction_pooling(Hosts(url).connect_plainly)
        progress = MigrationProgress(show)
        progress.say("waiting for whoever migrates, too")
        async with progress.told(), holding_migration_lock(url) as lock:
            before = status = await self.status(lock)
            if status.state is MigrationState.TOO_OLD:
                raise MigrationError(f"This database {FROM_BEFORE}: start with an empty one.")
            if status.state is MigrationState.TOO_NEW:
                raise MigrationError(
                    "The database was migrated by a later release.",
                    remedy="Update this installation to that release.",
                )
            if status.state in (MigrationState.BEHIND, MigrationState.EXPANDED):
                earlier = await self._run_patiently(url, lock, progress)
                status = await self.status(lock)
                _report(status, earlier)
        if progress.done and before.current:
            log.info("the database is migrated", revisions=progress.done, seconds=progress.seconds)
        return status

    async def _run_patiently(
        self,
        url: str,
        connection: "asyncpg.Connection[asyncpg.Record]",
        progress: MigrationProgress,
    ) -> list[str]:
        # it takes longer to load than all else that a start needs, and few starts have revisions
        from heliograph.platform.database.revision_runner import RevisionRunner

        runner, waited = RevisionRunner(self, self._locations, LOCK_TIMEOUT), 0.0
        while True:
            try:
                return await runner.run(url, progress)
            except RefusedRevisionError as error:
                status = await self.status(connection)
                if status.state is MigrationState.EXPANDED and error.sqlstate == _NO_RIGHTS:
                    log.warning(
                        "the schema keeps what only the previous release needed, and this role may "
                        "not change it; run `heliograph migrate` as the role that owns the tables"
                    )
                    return []
                if error.sqlstate not in _LOCKED_OUT:
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


def _report(status: MigrationStatus, earlier: Sequence[str]) -> None:
    """Report that the migration waits for these nodes of an earlier release to end. Raises
    `MigrationError` if this release can't work with the current schema until then."""
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
    """Migrate the database to the heads, from synchronous code."""
    return asyncio.run(Migrations(version_locations).upgrade(url, show))


def status(url: str, version_locations: Sequence[Path] = ()) -> MigrationStatus:
    """Return the status of the database, from synchronous code."""

    async def ask() -> MigrationStatus:
        connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
        try:
            return await Migrations(version_locations).status(connection)
        finally:
            await connection.close()

    return asyncio.run(ask())
