"""Every check of an installation, whether it runs or not."""

import asyncpg

from heliograph.core.cluster.model import Node
from heliograph.core.cluster.sql import list_alive_nodes
from heliograph.core.health.configuration import check_configuration
from heliograph.core.health.database import (
    LEAD_TO_THE_PRIMARY,
    check_accounts,
    check_connected,
    check_endpoints,
    check_secret_keys,
)
from heliograph.core.health.layout import read_layout
from heliograph.core.health.machine import check_machine, is_running
from heliograph.core.health.model import Check, failed, ok
from heliograph.core.health.nodes import check_nodes
from heliograph.core.health.workers import check_distribution
from heliograph.errors import ConfigurationError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts, list_hosts, reason_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.pooler import PROBLEM, REMEDY, Pooling, find_pooling
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.embedded.server import check_stopped, find_home, resolve_settings
from heliograph.platform.files.unfinished_restore import check_restored
from heliograph.settings import Settings


async def examine(settings: Settings) -> list[Check]:
    """Make every check that applies to an installation with these settings."""
    networks = NetworkRegistry()
    database, nodes = await _examine_database(settings, networks)
    return [
        *check_machine(settings),
        *await check_configuration(settings, networks, nodes),
        *database,
    ]


async def _examine_database(
    settings: Settings, networks: NetworkRegistry
) -> tuple[list[Check], list[Node]]:
    """Make the checks of the database, and list the nodes that are alive by it."""
    try:
        if settings.is_embedded:
            check_restored(settings.data_dir)
            if not is_running(settings):
                check_stopped(settings.data_dir)
                said = "It is private, and started together with the gateway."
                return [ok("database", said)], []
        resolved = resolve_settings(settings)
        hosts = Hosts(resolved.database_url)
        pooling = await find_pooling(hosts.connect_plainly)
        if pooling is Pooling.TRANSACTION:
            return [failed("pooler", PROBLEM, REMEDY)], []
        connection = await hosts.connect(timeout=resolved.database.connect_timeout)
    except ConfigurationError as error:
        return [failed("database", error.problem, error.remedy)], []
    except CONNECT_FAILURES as error:
        detail = f"The database can't be reached: {reason_of(error)}."
        return [failed("database", detail, _advise_on_connecting(settings, error))], []
    try:
        nodes = await _list_nodes(connection)
        checks = await _examine_connected(connection, resolved, networks)
        return [_check_pooler(pooling), *checks, check_nodes(nodes)], nodes
    finally:
        await connection.close()


async def _examine_connected(
    connection: Connection, settings: Settings, networks: NetworkRegistry
) -> list[Check]:
    revisions = Revisions(networks.list_migration_folders())
    several_hosts = len(list_hosts(settings.database_url)) > 1
    checks = [
        *await check_connected(connection, revisions, several_hosts),
        await check_secret_keys(connection, settings),
    ]
    layout = await read_layout(
        settings.database_url, revisions, settings.server.shards, measure=False
    )
    checks += check_distribution(layout, is_running=False)
    if all(worker.problem is None for worker in layout.workers):  # else they can't be counted
        checks.append(await check_accounts(connection, networks))
        checks.append(await check_endpoints(connection, settings))
    return checks


async def _list_nodes(connection: Connection) -> list[Node]:
    """List the nodes that are alive: none where the schema is not that of this release."""
    try:
        return await list_alive_nodes(connection)
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
        return []


def _check_pooler(pooling: Pooling) -> Check:
    if pooling is Pooling.SESSION:
        return ok("pooler", "A pooler in session mode is in between: each connection is a session.")
    return ok("pooler", "PostgreSQL itself answers.")


def _advise_on_connecting(settings: Settings, error: Exception) -> str:
    if isinstance(error, asyncpg.TargetServerAttributeNotMatched):
        return LEAD_TO_THE_PRIMARY
    if not settings.is_embedded:
        return "Check HELIOGRAPH_DATABASE_URL, and that the database is running."
    log = (find_home(settings.data_dir) or settings.data_dir) / "postgres.log"
    return f"The gateway starts it again by itself. If it stays down, {log} says why."
