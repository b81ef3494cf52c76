"""Claims cost the same however much their tenant has, also on the PostgreSQL servers that guess
whether a list of ids is looked up or filtered out of all rows."""

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest
import pytest_asyncio

from backlogs import let_wait
from core_scene import Scene, playing
from explained import ExplainingConnection, Plan, explaining
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import WEBHOOK_LEASES, claim_leases
from heliograph.core.messages.queue.sql import claim_queued
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.queue.batch_sql import commit_batch
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.floors import START

TENANTS = 64
"""Each on a shard of its own."""
MESSAGES = 300
TAKEN = 32
SPREAD = """
INSERT INTO messages (
    shard, organization_id, id, account_id, direction, status, message_type, chat_type, recipient,
    phone_number, content, chat_message_id, retry_count, connected_seconds, created_at, updated_at
)
SELECT n % $1, lpad(to_hex(n % $1), 32, '0')::uuid, gen_random_uuid(), gen_random_uuid(),
    'inbound', 'read', 'text', 'individual', 'x', '+1', '{"type": "text", "body": "x"}', n::text, 0,
    0, now(), now()
FROM generate_series(1, $2::int) AS n
"""

pytestmark = pytest.mark.one_server("explains plans, which are those of one server")


@pytest_asyncio.fixture
async def scene(own_database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    monkeypatch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
    async with playing(own_database_url) as scene:
        yield scene


@pytest_asyncio.fixture
async def lease(scene: Scene, own_database_url: str) -> Lease:
    """That of a webhook of a tenant like others; as many messages and deliveries of it wait."""
    tenant: Tenant = scene.principal.tenant
    webhook = (await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")).webhook
    await scene.database.transact(claim_leases, WEBHOOK_LEASES, tenant.shard, scene.node_id, [], 10)
    await scene.rows(SPREAD, TENANTS, TENANTS * MESSAGES)
    await let_wait(own_database_url, tenant, scene.account.id, webhook.id, MESSAGES)
    await scene.rows("ANALYZE messages")
    await scene.database.pool.expire_connections()
    return Lease(tenant, webhook.id, scene.node_id, epoch=1)


@pytest.fixture
def plans(lease: Lease) -> Iterator[list[Plan]]:
    """Of what runs from now on."""
    with explaining() as plans:
        yield plans


async def test_messages(scene: Scene, lease: Lease, plans: list[Plan]) -> None:
    ours = Lease(lease.tenant, scene.account.id, uuid4(), epoch=1)

    claim, _ = await scene.database.transact(claim_queued, ours, TAKEN, Clock().now(), START)

    assert claim is not None
    assert len(claim.messages) == TAKEN
    assert not [str(plan) for plan in plans if plan.most_read() > 2 * TAKEN]


async def test_a_batch_of_deliveries(scene: Scene, lease: Lease, plans: list[Plan]) -> None:
    ids = [row["id"] for row in await scene.rows("SELECT id FROM delivery_queue ORDER BY id")]
    untried = await scene.rows("SELECT id FROM delivery_queue WHERE attempt_count = 0 ORDER BY id")
    members = [row["id"] for row in untried][:TAKEN]

    await scene.database.transact(commit_batch, lease, members)

    among = ids.index(members[-1]) - ids.index(members[0]) + 1
    assert among < MESSAGES // 2
    assert not [str(plan) for plan in plans if plan.most_read() > among + TAKEN]
