"""Runs a release's revisions on a database, by Alembic and SQLAlchemy."""

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

from heliograph.platform.database.earlier_nodes import keep_out_earlier_nodes
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT
from heliograph.platform.database.migration_progress import MigrationProgress
from heliograph.platform.database.revisions import (
    CORE,
    Contraction,
    MigrationError,
    RefusedRevisionError,
    Revisions,
)

log = structlog.get_logger()


class RevisionRunner:
    """Runs what a database lacks of `revisions`, whose drivers' are in `version_locations`. A
    statement waits for a lock for `lock_timeout` seconds."""

    def __init__(
        self, revisions: Revisions, version_locations: Sequence[Path], lock_timeout: float
    ) -> None:
        self._revisions = revisions
        self._config = make_config(version_locations)
        self._lock_timeout = lock_timeout

    async def run(self, url: str, progress: MigrationProgress) -> list[str]:
        """Run missing revisions. Return the nodes that must end before the next one may run.

        Raises `RefusedRevisionError`, and `MigrationError` if the database has revisions that no
        installed driver knows.
        """
        # asyncpg reads the URL itself: several hosts and Unix sockets mean the same as elsewhere.
        engine = create_async_engine(
            "postgresql+asyncpg://",
            async_creator=lambda: self._connect(url),
            poolclass=NullPool,
        )
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(self._run_alembic, progress)
        except DBAPIError as error:
            raise _explain(error) from error
        finally:
            await engine.dispose()

    async def _connect(self, url: str) -> "asyncpg.Connection[Any]":
        """Return a connection on which no statement waits for a lock for long."""
        connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
        await connection.execute(
            "SELECT set_config('lock_timeout', $1, false)", str(int(self._lock_timeout * 1000))
        )
        return connection

    def _run_alembic(self, connection: Connection, progress: MigrationProgress) -> list[str]:
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
            for expanded in (contraction.before, *self._revisions.heads_of_drivers):
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
        """List the titles of the missing revisions up to this one, in order."""
        current = MigrationContext.configure(connection).get_current_heads()
        connection.rollback()
        scripts = ScriptDirectory.from_config(self._config)
        known = tuple(head for head in current if head in self._revisions.known)
        missing = scripts.iterate_revisions(revision, known or "base", implicit_base=True)
        return [
            f"{script.revision} {script.doc}".splitlines()[0].strip()
            for script in reversed(list(missing))
        ]

    def _bring_to(self, connection: Connection, revision: str, progress: MigrationProgress) -> None:
        progress.begin(self._list_titles(connection, revision))
        command.upgrade(self._config, revision)
        connection.rollback()  # if there was nothing to run, Alembic leaves a transaction open

    def _list_missing(self, connection: Connection) -> list[Contraction]:
        """List the contracting revisions that have not been run, in order."""
        current = MigrationContext.configure(connection).get_current_heads()
        connection.rollback()
        reached = max((int(revision) for revision in current if revision.isdecimal()), default=0)
        return [each for each in self._revisions.contractions if each.number > reached]


def _explain(error: DBAPIError) -> RefusedRevisionError:
    """Return the error in PostgreSQL's words, without SQLAlchemy's."""
    said = error.orig.__cause__ or error.orig if error.orig else error
    return RefusedRevisionError(str(said), getattr(error.orig, "sqlstate", None))


def make_config(version_locations: Iterable[Path]) -> Config:
    """Return what Alembic has to know to find the revisions."""
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
