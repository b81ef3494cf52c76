"""Every check of an installation, whether it runs or not."""

from contextlib import suppress

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
from heliograph.core.health.disk import read_free
from heliograph.core.health.guard import guard_refused, say_why_not
from heliograph.core.health.layout import read_layout
from heliograph.core.health.machine import check_machine, is_running
from heliograph.core.health.model import Check, failed, ok
from heliograph.core.health.nodes import check_nodes
from heliograph.core.health.sql import find_role
from heliograph.core.health.workers import check_distribution
from heliograph.errors import ConfigurationError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts, list_hosts
from heliograph.platform.database.failures import FREE_SOME, explain_failure, is_disk_full
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.pooler import PROBLEM, REMEDY, Pooling, find_pooling
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.embedded.server import check_stopped, find_home, resolve_settings
from heliograph.platform.files.unfinished_restore import check_restored
from heliograph.settings import Settings

_ROOM_TO_START = 64 * 1024 * 1024
"""Free bytes that the private PostgreSQL may need to start: some files of 16 MiB."""


async def examine(settings: Settings) -> list[Check]:
    """Make every check that applies to an installation with these settings."""
    networks = NetworkRegistry()
    try:
        database, nodes = await _examine_database(settings, networks)
    except Exception as error:
        database, nodes = [say_why_not("database", error)], []
    return [
        *check_machine(settings),
        *await check_configuration(settings, networks, nodes),
        *database,
    ]


async def _examine_database(
    settings: Settings, networks: NetworkRegistry
) -> tuple[list[Check], list[Node]]:
    """Make the checks of the database, and list the live nodes."""
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
        problem = explain_failure(error).problem
        return [failed("database", problem, _advise_on_connecting(settings, error))], []
    try:
        return await _examine_connected(connection, resolved, networks, pooling)
    except CONNECT_FAILURES as error:
        failure = explain_failure(error, failed="The database has failed")
        return [failed("database", failure.problem, failure.remedy)], []
    finally:
        with suppress(*CONNECT_FAILURES):  # it may be lost
            await connection.close()


async def _examine_connected(
    connection: Connection, settings: Settings, networks: NetworkRegistry, pooling: Pooling
) -> tuple[list[Check], list[Node]]:
    revisions = Revisions(networks.list_migration_folders())
    several_hosts = len(list_hosts(settings.database_url)) > 1
    role = await find_role(connection)
    nodes, node_check = await _check_nodes(connection, role)
    tables, are_counted = await _check_tables(settings, revisions, role)
    checks = [
        _check_pooler(pooling),
        *await check_connected(connection, revisions, several_hosts),
        await guard_refused("secret keys", check_secret_keys(connection, settings), role),
        *tables,
    ]
    if are_counted:
        accounts = check_accounts(connection, networks)
        endpoints = check_endpoints(connection, settings)
        checks.append(await guard_refused("accounts", accounts, role))
        checks.append(await guard_refused("endpoints", endpoints, role))
    return [*checks, node_check], nodes


async def _check_nodes(connection: Connection, role: str) -> tuple[list[Node], Check]:
    """List the nodes that are alive, none where the schema is not that of this release, and check
    what they do."""
    nodes: list[Node] = []

    async def ask() -> Check:
        with suppress(asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
            nodes.extend(await list_alive_nodes(connection))
        return check_nodes(nodes)

    check = await guard_refused("nodes", ask(), role)
    return nodes, check


async def _check_tables(
    settings: Settings, revisions: Revisions, role: str
) -> tuple[list[Check], bool]:
    """Check where tables are on Citus; return also whether their rows can be counted."""
    try:
        layout = await read_layout(
            settings.database_url, revisions, settings.server.shards, measure=False
        )
    except asyncpg.SyntaxOrAccessError as error:
        return [say_why_not("tables", error, role)], True
    is_whole = all(worker.problem is None for worker in layout.workers)
    return check_distribution(layout, is_running=False), is_whole


def _check_pooler(pooling: Pooling) -> Check:
    if pooling is Pooling.SESSION:
        return ok("pooler", "A pooler in session mode is in between: each connection is a session.")
    return ok("pooler", "PostgreSQL itself answers.")


def _advise_on_connecting(settings: Settings, error: Exception) -> str:
    if isinstance(error, asyncpg.TargetServerAttributeNotMatched):
        return LEAD_TO_THE_PRIMARY
    if not settings.is_embedded:
        return "Check HELIOGRAPH_DATABASE_URL, and that the database is running."
    home = find_home(settings.data_dir) or settings.data_dir
    if is_disk_full(error) or read_free(home) < _ROOM_TO_START:
        return f"{FREE_SOME} The gateway then starts it again by itself."
    log = home / "postgres.log"
    return f"The gateway starts it again by itself. If it stays down, {log} says why."
