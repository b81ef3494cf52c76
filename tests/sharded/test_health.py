"""`doctor`, `/readyz` and `status` on Citus: a lost worker is named, and tables that lie wrong."""

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from citus import SHARDS
from databases import run
from free_ports import free_port
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.doctor import examine
from heliograph.core.health.model import Check, CheckStatus
from heliograph.core.health.workers import TABLES, WORKERS, WorkersService
from heliograph.faces.cli import app
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Database
from heliograph.platform.database.revisions import Revisions
from sharded.conftest import Installation

INSERT_ORGANIZATIONS = """
INSERT INTO organizations (id, shard, name, plan, created_at, updated_at)
SELECT gen_random_uuid(), n % 8, 'Tenant ' || n, 'pro', now(), now()
FROM generate_series(1, $1::integer) AS n
"""


@pytest.fixture
def tenants(distributed: Installation) -> Iterator[Installation]:
    """Sixteen organizations, two on each shard."""
    distributed.rows(INSERT_ORGANIZATIONS, 2 * SHARDS)
    yield distributed
    distributed.rows("DELETE FROM organizations")


def read_status(installation: Installation) -> Any:
    result = CliRunner().invoke(app, ("database", "status", "--json"), env=installation.environment)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def diagnose(installation: Installation) -> dict[str, Check]:
    checks = asyncio.run(examine(installation.settings))
    return {check.name: check for check in checks}


def ask_node(installation: Installation) -> dict[str, Check]:
    """The checks of the database that a running node makes, once it knows of the workers."""

    async def ask() -> list[Check]:
        revisions = Revisions(NetworkRegistry().list_migration_folders())
        database = await Database.open(installation.url)
        workers = WorkersService(installation.url, revisions, SHARDS)
        try:
            service = ReadinessService(database, revisions, workers=workers)
            async with asyncio.timeout(30):  # the first answer may take longer than a probe waits
                while (checks := await service.check())[-1].name != TABLES:
                    pass
                return checks
        finally:
            await database.close()

    return {check.name: check for check in run(ask())}


def test_a_database_that_is_spread_is_well(distributed: Installation) -> None:
    for checks in (diagnose(distributed), ask_node(distributed)):
        assert checks[WORKERS].status is CheckStatus.OK
        assert "Citus 1" in checks[WORKERS].detail
        assert checks[TABLES].status is CheckStatus.OK


def test_tables_on_the_coordinator_are_a_warning(installation: Installation) -> None:
    for checks in (diagnose(installation), ask_node(installation)):
        assert checks[TABLES].status is CheckStatus.WARNING
        assert "`heliograph database distribute`" in checks[TABLES].remedy


def test_a_table_that_is_not_where_it_belongs_is_named(distributed: Installation) -> None:
    distributed.rows("SELECT undistribute_table('delivery_counts')")
    for checks in (diagnose(distributed), ask_node(distributed)):
        assert checks[TABLES].status is CheckStatus.WARNING
        assert "delivery_counts" in checks[TABLES].detail
    distributed.migrate()


def test_a_lost_worker_is_named_with_those_that_lie_there(tenants: Installation) -> None:
    with tenants.losing_worker(free_port()) as name:
        diagnosed, asked, workers = (
            diagnose(tenants),
            ask_node(tenants),
            read_status(tenants)["workers"],
        )

    [last] = [worker for worker in workers if worker["problem"]]
    assert 1 <= len(last["shards"]) < SHARDS
    assert diagnosed[WORKERS].status is CheckStatus.FAILED
    assert asked[WORKERS].status is CheckStatus.WARNING, "the node serves the others"
    lost = f"{len(last['shards'])} shards with {last['organizations']} organizations"
    for checks in (diagnosed, asked):
        assert f"can't reach {name}, where {lost}" in checks[WORKERS].detail


def test_a_worker_that_hangs_is_named_too(distributed: Installation) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        distributed.losing_worker(silent.getsockname()[1]) as name,
    ):
        assert name in diagnose(distributed)[WORKERS].detail


def test_status_shows_what_lies_where(tenants: Installation) -> None:
    layout = read_status(tenants)
    shards = [worker["shards"] for worker in layout["workers"]]
    assert len(shards) == len(tenants.workers)
    assert sorted(shard for each in shards for shard in each) == list(range(SHARDS))
    organizations = [worker["organizations"] for worker in layout["workers"]]
    assert organizations == [2 * len(each) for each in shards]
    tables = {table["name"]: table["placement"] for table in layout["tables"]}
    assert tables["messages"] == "distributed"
    assert tables["counter_rounds"] == "reference"
    assert tables["sandbox.messages"] == "local"


def test_status_shows_a_lost_worker(distributed: Installation) -> None:
    with distributed.losing_worker(free_port()) as name:
        result = CliRunner().invoke(app, ("database", "status"), env=distributed.environment)
    assert result.exit_code == 0, result.output
    [line] = [line for line in result.stdout.splitlines() if name in line and "—" in line]
    assert "failed to connect" in line
