"""A page of the log costs the same wherever it lies: of 50,000 events, with statistics and without.

Each statement is explained as it is planned for its values, and as it is planned for any.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

import asyncpg
import pytest

from explained import ExplainingConnection, complaints
from heliograph.core.events.horizon import EVENTS
from heliograph.core.events.log_sql import Head, get_last_position, list_new_events, read_log
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.horizon import get_assigned
from large_tables import analyze

TENANT, OTHER = Tenant(1, UUID(int=1)), Tenant(1, UUID(int=2))
ROWS = 50_000
PAGE = 100
INSERT = """
INSERT INTO events (shard, organization_id, id, type, payload, created_at)
SELECT 1, $1, gen_random_uuid(), 'message.sent', '{}', now() FROM generate_series(1, $2::int)
"""

pytestmark = pytest.mark.one_server("explains plans, which are those of one server")


@pytest.fixture(params=["analyzed", "never analyzed", "analyzed when it was small"])
async def connection(
    own_database_url: str, request: pytest.FixtureRequest
) -> AsyncIterator[ExplainingConnection]:
    connection = await asyncpg.connect(own_database_url, connection_class=ExplainingConnection)
    await connection.execute("ALTER TABLE events SET (autovacuum_enabled = off)")
    if request.param == "analyzed when it was small":
        await connection.execute(INSERT, UUID(int=3), 30)
        await analyze(own_database_url)
    for tenant in (TENANT, OTHER):
        await connection.execute(INSERT, tenant.organization_id, ROWS)
    if request.param == "analyzed":
        await analyze(own_database_url)
    ExplainingConnection.plans = []
    yield connection
    ExplainingConnection.plans = None
    await connection.close()


async def test_no_page_reads_more_than_it_must(connection: ExplainingConnection) -> None:
    server, last = await get_assigned(connection, EVENTS)
    newest = (await get_last_position(connection, TENANT, last)).seq
    for start in (0, newest - ROWS // 2, newest - 50):
        page = await read_log(connection, TENANT, start, last, PAGE)
        assert len(page.events) in (PAGE, 51)
    await read_new(connection, server, last)
    assert not complaints(ExplainingConnection.plans or [], ["events"], 3 * PAGE)


async def read_new(connection: ExplainingConnection, server: datetime, last: int) -> None:
    heads = [Head(TENANT, 1000), Head(OTHER, last - 10)]
    found = await list_new_events(connection, 1, heads, up_to=last, limit=PAGE, server=server)
    assert len(found) == PAGE + 10
