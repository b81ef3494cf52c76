"""Every check of an installation, whether it runs or not."""

import asyncpg

from heliograph.core.health.configuration import check_configuration
from heliograph.core.health.database import (
    LEAD_TO_THE_PRIMARY,
    check_accounts,
    check_connected,
    check_secret_keys,
)
from heliograph.core.health.layout import read_layout
from heliograph.core.health.machine import check_machine, is_running
from heliograph.core.health.model import Check, failed, ok
from heliograph.core.health.workers import check_distribution
from heliograph.errors import ConfigurationError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts, list_hosts
from heliograph.platform.database.pooler import PROBLEM, REMEDY, Pooling, find_pooling
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.embedded.server import find_home, resolve_settings
from heliograph.settings import Settings


async def examine(settings: Settings) -> list[Check]:
    """Make every check that applies to an installation with these settings."""
    networks = NetworkRegistry()
    return [
        *check_machine(settings),
        *await check_configuration(settings, networks),
        *await _check_database(settings, networks),
    ]


async def _check_database(settings: Settings, networks: NetworkRegistry) -> list[Check]:
    if settings.is_embedded and not is_running(settings):
        return [ok("database", "It is private, and started together with the gateway.")]
    try:
        resolved = resolve_settings(settings)
        hosts = Hosts(resolved.database_url)
        pooling = await find_pooling(hosts.connect_plainly)
        if pooling is Pooling.TRANSACTION:
            return [failed("pooler", PROBLEM, REMEDY)]
        connection = await hosts.connect(timeout=resolved.database.connect_timeout)
    except ConfigurationError as error:
        return [failed("database", error.problem, error.remedy)]
    except CONNECT_FAILURES as error:
        detail = f"The database can't be reached: {error or 'it does not answer'}."
        return [failed("database", detail, _advise_on_connecting(settings, error))]
    try:
        revisions = Revisions(networks.list_migration_folders())
        several_hosts = len(list_hosts(resolved.database_url)) > 1
        checks = [
            _check_pooler(pooling),
            *await check_connected(connection, revisions, several_hosts),
            await check_secret_keys(connection, resolved),
        ]
        layout = await read_layout(
            resolved.database_url, revisions, resolved.server.shards, measure=False
        )
        checks += check_distribution(layout, is_running=False)
        if all(worker.problem is None for worker in layout.workers):  # else they can't be counted
            checks.append(await check_accounts(connection, networks))
        return checks
    finally:
        await connection.close()


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
