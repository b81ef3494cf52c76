"""What is over goes, and what is due begins, however much of it there is and on every shard."""

from datetime import timedelta
from uuid import uuid4

import pytest

from core_scene import ADA, Scene, playing
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.tenants.model import Tenant, operator
from heliograph.core.upkeep import janitor
from heliograph.networks.content import Text
from placing import place_organization

SHARDS = range(8)


async def insert_key(scene: Scene, tenant: Tenant, age: timedelta) -> None:
    await scene.rows(
        """
        INSERT INTO idempotency_keys (
            shard, organization_id, key, fingerprint, created_at, expires_at
        ) VALUES ($1, $2, $3, '', $4, $4)
        """,
        *tenant,
        str(uuid4()),
        scene.database.clock.now() - age,
    )


async def test_a_sweep_leaves_no_expired_key(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "BATCH", 5)
    async with playing(database_url) as scene:
        for age in [timedelta(hours=1)] * 23 + [-timedelta(hours=1)]:
            await insert_key(scene, scene.principal.tenant, age)
        await scene.janitor.forget_expired_keys()
        assert await scene.count("idempotency_keys") == 1


async def test_a_sweep_goes_through_every_shard(database_url: str) -> None:
    async with playing(database_url) as scene:
        for shard in SHARDS:
            organization = await place_organization(scene.database, f"{shard}", shard)
            for hours in (1, -1):
                await insert_key(scene, organization.tenant, timedelta(hours=hours))
        await scene.janitor.forget_expired_keys()
        left = await scene.rows("SELECT shard FROM idempotency_keys ORDER BY shard")
        assert [row["shard"] for row in left] == list(SHARDS)


async def test_scheduled_messages_of_every_shard_begin(database_url: str) -> None:
    async with playing(database_url) as scene:
        for shard in SHARDS:
            organization = await place_organization(scene.database, f"{shard}", shard)
            principal = operator(organization.tenant)
            await scene.accounts.create(principal, "sandbox", "Phone", "phone", {})
            await scene.messages.send(
                principal, SendMessage(SendTo(ADA), Text(f"{shard}"), "run_x"), None
            )
        await scene.schedule_all()
        await scene.janitor.start_scheduled()
        assert await scene.statuses() == {f"{shard}": "queued" for shard in SHARDS}
