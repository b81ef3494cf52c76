"""A search asks the index, also where the server takes the table for small: long rows of others lie
apart from it, and to read them takes longer than the server expects."""

from uuid import UUID

import pytest

from core_scene import Scene
from core_scene import scene as scene
from heliograph.core.messages.lists.filters import EVERYTHING
from heliograph.core.messages.lists.service import MAX_CANDIDATES, _conditions
from heliograph.core.messages.lists.sql import LOOK_UP_WORDS
from heliograph.core.messages.search.words import query_of
from heliograph.platform.database.pool import Connection

OTHERS = 2_000
INSERT_WORDS = """
INSERT INTO message_words (shard, organization_id, message_id, account_id, words)
SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), (
    SELECT string_agg('0badf00dab' || md5(n::text || m), ' ') FROM generate_series(1, 200) AS m
)::tsvector
FROM generate_series(1, $2::int) AS n
"""
FIRST, LAST = UUID(int=0), UUID(int=2**128 - 1)

pytestmark = pytest.mark.one_server("explains plans, which are those of one server")


async def explain(connection: Connection, scene: Scene) -> str:
    tenant = scene.principal.tenant
    fits = _conditions(EVERYTHING, None, None)
    query = query_of(tenant.organization_id, "ab")
    values = (*tenant, *fits, FIRST, LAST, MAX_CANDIDATES, 51, query)
    rows = await connection.fetch(f"EXPLAIN {LOOK_UP_WORDS}", *values)
    return "\n".join(row[0] for row in rows)


@pytest.mark.parametrize("analyzed", [False, True])
async def test_words_are_looked_up_by_the_index(scene: Scene, analyzed: bool) -> None:
    pool = scene.database.pool
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL statement_timeout TO 0")  # 400,000 words
        shard = scene.principal.tenant.shard
        await connection.execute(INSERT_WORDS, shard, OTHERS, timeout=120)
    if analyzed:
        await pool.execute("ANALYZE message_words")
        await pool.expire_connections()
    tenant = scene.principal.tenant
    plan = await scene.database.search(tenant.organization_id, explain, scene)
    assert "message_words_words" in plan, plan
    assert "Seq Scan on message_words" not in plan
