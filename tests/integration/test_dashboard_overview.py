"""The overview: its figures are those that the API tells."""

import html
import re
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from dashboard_scene import DashboardScene, open_scene, path_of

from heliograph.model.members import MemberRole
from heliograph.model.organizations import Organization
from heliograph.services.principals import operator

CHART = re.compile(r'data-chart="([^"]*)"')
INSERT_COUNT = """
INSERT INTO message_counts (shard, organization_id, day, direction, status, stripe, n)
VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
INSERT_DELIVERY = """
INSERT INTO deliveries (
    shard, organization_id, id, webhook_id, webhook_url, event_id, event_type, order_key, status,
    retry_count, attempt_count, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), '', gen_random_uuid(), 'message.sent',
    gen_random_uuid(), $3, 0, 1, now(), now() FROM generate_series(1, $4)
"""


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def count(
    scene: DashboardScene, acme: Organization, ago: int, direction: str, status: str, n: int
) -> date:
    day = datetime.now(UTC).date() - timedelta(days=ago)
    await scene.rows(INSERT_COUNT, *acme.tenant, day, direction, status, n % 16, n)
    return day


async def test_what_days_add_up_to_is_what_the_summary_says(scene: DashboardScene) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    for ago, direction, status, n in (
        (0, "outbound", "delivered", 7),
        (0, "outbound", "delivered", 8),
        (0, "inbound", "read", 3),
        (29, "inbound", "received", 2),
        (30, "outbound", "read", 100),
    ):
        await count(scene, acme, ago, direction, status, n)
    await count(scene, globex, 0, "outbound", "failed", 50)
    statistics, principal = scene.gateway.statistics, operator(acme.tenant)
    days = await statistics.by_day(principal)
    assert len(days) == 30
    assert days[-1].counts == {"delivered": 15, "received": 3}
    assert days[0].counts == {"received": 2}
    total = sum(n for day in days for n in day.counts.values())
    assert total == (await statistics.summary(principal))["last_30_days"] == 20


async def test_the_chart_and_the_table_have_the_same_figures(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    day = await count(scene, acme, 1, "outbound", "failed", 1234)
    viewer = await scene.member("vera", acme, MemberRole.VIEWER)
    page = (await viewer.get(path_of(acme))).text
    found = CHART.search(page)
    assert found is not None
    chart = msgspec.json.decode(html.unescape(found[1]))
    assert chart["series"] == {"failed": [0] * 28 + [1234, 0]}
    assert datetime.fromtimestamp(chart["days"][-2], UTC).date() == day
    assert f'<th scope="row">{day}</th><td class="number">1,234</td>' in page


async def test_the_last_thousand_webhooks_are_judged(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    for status, n in (("failed", 500), ("delivered", 985), ("failed", 15), ("pending", 0)):
        await scene.rows(INSERT_DELIVERY, *acme.tenant, status, n)
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = (await ada.get(path_of(acme))).text
    assert "98.5 %" in page
    assert "of the last 1,000 webhooks delivered" in page


async def test_an_empty_organization_says_what_to_do_next(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = (await ada.get(path_of(acme))).text
    assert "No message yet" in page
    assert "No device is connected yet" in page
    assert "no webhook was posted yet" in page
