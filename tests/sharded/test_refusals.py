"""What is in the way of distributing tables is said in a sentence, and nothing is moved."""

import re
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from databases import SCHEMA_REVISION
from free_ports import free_port
from heliograph.platform.database.distribution.refusals import DistributionError
from sharded.conftest import Installation

REGISTER = """
INSERT INTO nodes (id, name, roles, version, started_at, lease_expires_at, schema_revision)
VALUES ($1, 'gateway-1:77', '{api}', '1', now(), now() + interval '15 s', $2)
"""
COUNT_DISTRIBUTED = "SELECT count(*) FROM pg_dist_partition"


def refused(installation: Installation, problem: str) -> str:
    """What to do about it."""
    with pytest.raises(DistributionError, match=re.escape(problem)) as raised:
        installation.distribute()
    return raised.value.remedy


def test_one_shard_for_all(installation: Installation) -> None:
    installation.environment["HELIOGRAPH_SHARDS"] = "1"
    assert "Set it to 64" in refused(installation, "HELIOGRAPH_SHARDS is 1")
    assert installation.value(COUNT_DISTRIBUTED) == 0


def test_no_worker(without_workers: Installation) -> None:
    assert "citus_add_node" in refused(without_workers, "no worker that may have shards")


def test_a_worker_that_can_not_be_reached(installation: Installation) -> None:
    with installation.losing_worker(free_port()) as name:
        assert "Start it" in refused(installation, f"can't reach {name}")


def test_a_worker_in_the_coordinators_place(installation: Installation) -> None:
    installation.environment["HELIOGRAPH_DATABASE_URL"] = installation.workers[0]
    assert "coordinator" in refused(installation, "This database is a worker of Citus")


def test_a_database_in_which_citus_was_not_created(without_workers: Installation) -> None:
    without_workers.rows("DROP EXTENSION citus CASCADE")
    assert "CREATE EXTENSION citus" in refused(without_workers, "but not in this database")


def test_a_node_that_is_alive(installation: Installation) -> None:
    installation.rows(REGISTER, uuid4(), SCHEMA_REVISION)
    assert "Stop the gateway" in refused(installation, "Nodes are running: gateway-1:77")
    assert installation.value(COUNT_DISTRIBUTED) == 0


def test_tables_that_were_distributed_by_another_column(installation: Installation) -> None:
    installation.rows("SELECT create_distributed_table('audit_entries', 'organization_id')")
    assert "undistribute_table" in refused(installation, "by another column")


def test_tables_that_were_distributed_apart_from_others(distributed: Installation) -> None:
    distributed.rows("SELECT undistribute_table('delivery_counts')")
    distributed.rows(
        "SELECT create_distributed_table('delivery_counts', 'shard', colocate_with => 'none')"
    )
    try:
        assert "undistribute_table" in refused(distributed, "more than one colocation group")
    finally:
        distributed.rows("SELECT undistribute_table('delivery_counts')")
        distributed.distribute()


def test_a_role_that_does_not_own_the_tables(installation: Installation) -> None:
    role = f"role_{uuid4().hex[:8]}"
    installation.rows(f"CREATE ROLE {role} LOGIN")
    parts = urlsplit(installation.url)
    installation.rows(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    own = parts._replace(netloc=f"{role}@{parts.hostname}:{parts.port}").geturl()
    installation.environment["HELIOGRAPH_DATABASE_URL"] = own
    try:
        assert "as their owner" in refused(installation, "Tables belong to another role")
    finally:
        installation.rows(f"DROP OWNED BY {role}")
        installation.rows(f"DROP ROLE {role}")
