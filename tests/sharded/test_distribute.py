"""`heliograph database distribute` on Citus: tables go where they belong, with all their rows."""

import os
import signal
import subprocess
import sys
import time
from uuid import uuid4

import pytest

from citus import SHARDS
from databases import run
from heliograph.core.health.layout import read_layout
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.distribution.moves import BEGIN_GROUP
from heliograph.platform.database.distribution.placements import COLUMN, DISTRIBUTED
from heliograph.platform.database.revisions import Revisions
from sharded.conftest import Installation

COUNT_DISTRIBUTED = "SELECT count(*) FROM pg_dist_partition WHERE partmethod = 'h'"
LIST_LEFT_BEHIND = """
SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE pg_relation_size(logicalrelid) > 0
"""
INSERT_CONTACTS = """
INSERT INTO contacts (shard, organization_id, id, name, attributes, created_at, updated_at)
SELECT n % 8, $1::uuid, gen_random_uuid(), 'Ann ' || n, '{}', now(), now()
FROM generate_series(1, $2::integer) AS n
"""
INSERT_ADDRESSES = """
INSERT INTO contact_addresses (shard, organization_id, network, remote_jid, contact_id, created_at)
SELECT shard, organization_id, 'sandbox', id::text, id, now() FROM contacts
"""

INSERT_COUNTS = """
INSERT INTO delivery_counts (shard, organization_id, stripe, n)
SELECT n % 8, $1, 0, n FROM generate_series(1, 8) AS n
"""


def misplaced(installation: Installation) -> list[str]:
    revisions = Revisions(NetworkRegistry().list_migration_folders())
    layout = run(read_layout(installation.url, revisions, SHARDS))
    assert layout.is_distributed
    return [table.name for table in layout.misplaced]


def fill(installation: Installation, contacts: int) -> None:
    """Rows in two tables, of which one refers to the other."""
    installation.rows(INSERT_CONTACTS, uuid4(), contacts)
    installation.rows(INSERT_ADDRESSES)


def count(installation: Installation) -> tuple[object, object]:
    return (
        installation.value("SELECT count(*) FROM contacts"),
        installation.value("SELECT count(*) FROM contact_addresses"),
    )


def test_every_table_goes_where_it_belongs(installation: Installation) -> None:
    moved = installation.distribute()
    assert set(DISTRIBUTED) <= set(moved)
    assert misplaced(installation) == []
    assert installation.distribute() == [], "the second time nothing is left to do"


def test_each_shard_can_be_moved_by_itself_and_workers_have_equally_many(
    distributed: Installation,
) -> None:
    of_shards = distributed.rows(
        "SELECT count(DISTINCT get_shard_id_for_distribution_column('messages', n)) "
        "FROM generate_series(0, 7) AS n"
    )
    on_workers = distributed.rows(
        "SELECT count(*) AS shards FROM citus_shards WHERE table_name = 'messages'::regclass "
        "GROUP BY nodename, nodeport"
    )
    assert of_shards[0][0] == SHARDS
    shares = [row["shards"] for row in on_workers]
    assert sum(shares) == SHARDS
    assert max(shares) - min(shares) <= 1


def test_rows_from_before_are_moved_and_none_are_left_behind(installation: Installation) -> None:
    fill(installation, 1000)

    installation.distribute()

    assert count(installation) == (1000, 1000)
    assert installation.rows(LIST_LEFT_BEHIND) == []


@pytest.mark.parametrize("killed_at", [2, 20, 38])
def test_killed_half_way_it_goes_on_where_it_was(
    installation: Installation, killed_at: int
) -> None:
    fill(installation, 1000)
    command = [sys.executable, "-m", "heliograph", "database", "distribute"]
    with subprocess.Popen(command, env={**os.environ, **installation.environment}) as process:
        while installation.value(COUNT_DISTRIBUTED) < killed_at:  # type: ignore[operator]
            assert process.poll() is None, "it has ended before it was killed"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert installation.value(COUNT_DISTRIBUTED) != len(DISTRIBUTED)

    installation.distribute()

    assert misplaced(installation) == []
    assert count(installation) == (1000, 1000)
    assert installation.rows(LIST_LEFT_BEHIND) == []


def test_killed_before_the_shards_were_divided_it_divides_them(installation: Installation) -> None:
    installation.rows(BEGIN_GROUP, DISTRIBUTED[0], COLUMN)
    installation.migrate()  # a start meanwhile goes on with nothing
    assert installation.value(COUNT_DISTRIBUTED) == 1

    installation.distribute()

    shards = installation.value(
        "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'messages'::regclass"
    )
    assert shards == SHARDS


def test_a_table_that_a_migration_has_made_is_distributed_with_its_rows(
    distributed: Installation,
) -> None:
    distributed.rows("SELECT undistribute_table('delivery_counts')")
    distributed.rows(INSERT_COUNTS, uuid4())
    assert misplaced(distributed) == ["delivery_counts"]

    distributed.migrate()

    assert misplaced(distributed) == []
    assert distributed.value("SELECT sum(n) FROM delivery_counts") == 36
    assert distributed.rows(LIST_LEFT_BEHIND) == []


def test_a_table_that_was_copied_to_all_by_hand_comes_back(distributed: Installation) -> None:
    distributed.rows("SELECT create_reference_table('nodes')")
    assert misplaced(distributed) == ["nodes"]
    assert distributed.distribute() == ["nodes"]
    assert misplaced(distributed) == []
