"""A database at a revision of one's choice, as an earlier release has left it."""

from functools import partial

import asyncpg
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database import migrate

BEFORE, EXPANDED, CONTRACTED = "0020", "0021", "0034"
"""The queues become tables of their own, and the indexes that were needed before go."""
DRIVERS = NetworkRegistry().list_migration_folders()


async def migrate_to(url: str, revision: str) -> None:
    """Run the core's revisions up to this one, whatever nodes there are. Like the real thing, it
    yields to those that hold what it wants, and begins anew."""
    while not await _migrate_once(url, revision):
        pass


async def _migrate_once(url: str, revision: str) -> bool:
    config = migrate._make_config(DRIVERS)

    def run(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)

    patience = {"lock_timeout": str(int(migrate.LOCK_TIMEOUT * 1000))}
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=partial(asyncpg.connect, url, server_settings=patience),
        poolclass=NullPool,
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(run)
    except DBAPIError as error:
        if not migrate.is_locked_out(error):
            raise
        return False
    else:
        return True
    finally:
        await engine.dispose()
