"""Spreading an installation's tables over the workers of Citus."""

import asyncio

from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database import migrate
from heliograph.platform.database.distribution.distribute import Show, distribute
from heliograph.platform.database.distribution.refusals import DistributionError, check_server
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import reason_of
from heliograph.settings import Settings


def distribute_database(settings: Settings, show: Show) -> list[str]:
    """Bring the database to this release and distribute its tables; return those that were moved.

    `show` receives the tables done and the tables in all. Raises `ConfigurationError` if something
    prevents it.
    """
    if settings.is_embedded:
        raise DistributionError(
            "The private PostgreSQL is one server, and its tables stay where they are.",
            remedy="Name the coordinator of a Citus of your own.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    url, shards = settings.database_url, settings.server.shards
    try:
        asyncio.run(check_server(url, shards))
        migrate.upgrade(url, NetworkRegistry().list_migration_folders())
        return asyncio.run(distribute(url, shards, show))
    except CONNECT_FAILURES as error:
        raise DistributionError(
            f"The database did not finish this: {reason_of(error)}.",
            remedy="What was moved stays moved. Fix the cause and run this again: it "
            "continues where it stopped.",
        ) from error
