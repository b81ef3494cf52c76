"""Statements on rows of several tenants: one form for one shard, one for many."""

from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import shards_of, statement
from heliograph.platform.database.rows import Columns

HERE, THERE = UUID(int=1), UUID(int=2)
COLUMNS = Columns("organization_id uuid, id uuid", first=3)
FIND = statement(
    "SELECT l.{names} FROM {rows} JOIN labels AS l ON l.shard = {shard} AND l.kind = $2", COLUMNS
)


def test_rows_of_one_shard_are_given_it_once() -> None:
    shards = shards_of([Tenant(7, HERE), Tenant(7, THERE)])

    assert FIND.transpose(shards, [(HERE, 1), (THERE, 2)], "kind") == (
        "SELECT l.organization_id, id FROM unnest($3::uuid[], $4::uuid[]) AS k (organization_id, "
        "id) JOIN labels AS l ON l.shard = $1 AND l.kind = $2",
        7,
        "kind",
        [HERE, THERE],
        [1, 2],
    )


def test_rows_of_many_shards_have_their_own() -> None:
    shards = shards_of([Tenant(7, HERE), Tenant(8, THERE)])

    assert FIND.transpose(shards, [(HERE, 1), (THERE, 2), (HERE, 3)], "kind") == (
        "SELECT l.organization_id, id FROM unnest($1::integer[], $3::uuid[], $4::uuid[]) AS k "
        "(shard, organization_id, id) JOIN labels AS l ON l.shard = k.shard AND l.kind = $2",
        [7, 8, 7],
        "kind",
        [HERE, THERE, HERE],
        [1, 2, 3],
    )
