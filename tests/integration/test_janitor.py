"""What is over goes, however much of it there is."""

from datetime import timedelta
from uuid import uuid4

import pytest
from core_scene import playing

from heliograph.workers import janitor
from heliograph.workers.janitor import Janitor


async def test_a_sweep_leaves_no_expired_key(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "BATCH", 5)
    async with playing(database_url) as scene:
        now = scene.database.clock.now()
        for age in [timedelta(hours=1)] * 23 + [-timedelta(hours=1)]:
            await scene.rows(
                """
                INSERT INTO idempotency_keys (
                    shard, organization_id, key, fingerprint, created_at, expires_at
                ) VALUES (0, $1, $2, '', $3, $3)
                """,
                scene.principal.organization_id,
                str(uuid4()),
                now - age,
            )
        await Janitor(scene.database, scene.notifications, stripe=0).forget_expired_keys()
        assert await scene.count("idempotency_keys") == 1
