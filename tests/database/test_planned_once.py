"""Statements are planned once on each connection, not for each batch of values."""

from uuid import uuid4

import pytest

from databases import CONNECT_TIMEOUT
from heliograph.platform.database.pool import Connection, Database

NAMED = """
SELECT k.id, m.status FROM unnest($2::uuid[]) AS k (id)
JOIN messages AS m ON m.shard = $1 AND m.organization_id = k.id AND m.id = k.id
"""
# a planner that thinks in values would plan these anew each time: they are far apart in cost
SIZES = (1, 1000, 1, 1, 1000, 1, 1, 1, 1000, 1)


async def plans_of(connection: Connection) -> tuple[int, int]:
    for size in SIZES:
        await connection.fetch(NAMED, 0, [uuid4() for _ in range(size)])
    row = await connection.fetchrow(
        "SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE statement = $1", NAMED
    )
    assert row is not None
    return row["custom_plans"], row["generic_plans"]


@pytest.mark.one_server("finds the server by the values, each time")
@pytest.mark.parametrize("apart", [False, True])
async def test_a_statement_is_planned_once_for_any_values(
    database_url: str, *, apart: bool
) -> None:
    database = await Database.open(database_url, pool_size=1, connect_timeout=CONNECT_TIMEOUT)
    asked = await database.open_apart() if apart else database
    try:
        assert await asked.read(plans_of) == (0, len(SIZES))
    finally:
        for opened in {id(asked): asked, id(database): database}.values():
            await opened.close()
