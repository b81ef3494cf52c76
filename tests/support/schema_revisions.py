"""A database at a revision of one's choice, as an earlier release has left it."""

import asyncpg
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database import migrate

BEFORE, EXPANDED, CONTRACTED = "0020", "0021", "0022"
"""The queues become tables of their own, and the indexes that were needed before go."""
DRIVERS = NetworkRegistry().list_migration_folders()


async def migrate_to(url: str, revision: str) -> None:
    """Run the core's revisions up to this one, whatever nodes there are."""
    config = migrate._make_config(DRIVERS)

    def run(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)

    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(url), poolclass=NullPool
    )
    async with engine.connect() as connection:
        await connection.run_sync(run)
    await engine.dispose()
