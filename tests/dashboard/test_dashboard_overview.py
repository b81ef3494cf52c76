"""The overview: its figures are those that the API tells."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from dashboard_scene import DashboardScene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.webhooks.deliveries.report import DeliverySummary
from heliograph.core.webhooks.model import Webhook
from heliograph.networks.content import Text

INSERT_COUNT = """
INSERT INTO message_counts (shard, organization_id, day, direction, status, stripe, n)
VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
INSERT_DELIVERY = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), nextval('delivery_queue_seq_seq'), gen_random_uuid(), '',
    gen_random_uuid(), 'message.sent', $3, 0, 1, now(), now() FROM generate_series(1, $4)
"""

INSERT_WAITING = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, next_attempt_at, response_code, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), nextval('delivery_queue_seq_seq'), $3, '', gen_random_uuid(),
    'message.sent', 'pending', 0, n % 2, CASE n % 2 WHEN 1 THEN now() END,
    CASE n % 2 WHEN 1 THEN 503 END, now(), now() FROM generate_series(1, $4) AS n
RETURNING id
"""
RESTRICT = """
UPDATE accounts SET status = 'connected', restriction_kind = 'new_conversations',
    restriction_until = $1, restriction_reason = 'Too many people.'
"""
QUEUE = """
INSERT INTO delivery_queue (
    shard, organization_id, id, seq, webhook_id, event_id, event_type, order_key, created_at,
    attempt_count, next_attempt_at, recorded
)
OVERRIDING SYSTEM VALUE
SELECT shard, organization_id, id, seq, webhook_id, event_id, event_type, id, created_at,
    attempt_count, next_attempt_at, attempt_count > 0
FROM deliveries WHERE id = ANY($1)
"""


async def count(
    scene: DashboardScene, acme: Organization, ago: int, direction: str, status: str, n: int
) -> date:
    day = datetime.now(UTC).date() - timedelta(days=ago)
    await scene.rows(INSERT_COUNT, *acme.tenant, day, direction, status, n % 16, n)
    return day


@pytest.mark.usefixtures("today")
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
    drawing = page.partition("<figure")[2].partition("</figure>")[0]
    assert len(re.findall("<title>", drawing)) == 30
    assert f"<title>{day}: 1,234 messages – 1,234 failed</title>" in drawing
    assert drawing.count('<rect class="in-state of-failed" x="') == 1
    assert f'<th scope="row">{day}</th><td class="number">1,234</td>' in page


async def test_the_last_thousand_webhooks_are_judged(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    for status, n in (("failed", 500), ("delivered", 985), ("failed", 15), ("pending", 0)):
        await scene.rows(INSERT_DELIVERY, *acme.tenant, status, n)
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = (await ada.get(path_of(acme))).text
    assert "98.5 %" in page
    assert "of the last 1,000 deliveries arrived" in page


async def fail(scene: DashboardScene, webhook: Webhook, waiting: int) -> None:
    """The endpoint has only failed for an hour, and so much waits for it."""
    await scene.rows(
        "UPDATE webhooks SET failing_since = now() - interval '1 hour' WHERE id = $1", webhook.id
    )
    rows = await scene.rows(INSERT_WAITING, *webhook.tenant, webhook.id, waiting)
    await scene.rows(QUEUE, [row["id"] for row in rows])
    await scene.rows("DELETE FROM deliveries WHERE attempt_count = 0")


async def test_what_waits_for_an_endpoint_that_fails_is_seen_and_never_100_percent(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    principal, webhooks = operator(acme.tenant), scene.gateway.webhooks
    one, other = [
        (await webhooks.create(principal, f"https://example.com/{name}")).webhook
        for name in ("one", "other")
    ]
    await fail(scene, one, 70)
    await fail(scene, other, 4)
    await scene.rows(INSERT_DELIVERY, *acme.tenant, "delivered", 5)
    page = (await ada.get(path_of(acme))).text
    assert "6.3 %" in page
    assert "of the last 79 deliveries arrived, 74 wait to be tried again" in page
    assert "74 deliveries are waiting to be retried" in page
    assert ": It answered 503.</span>" in page
    assert f'href="{path_of(acme, "developers/deliveries")}?status=pending"' in page
    assert f'href="{path_of(acme, f"developers/webhooks/{other.id}")}"' in page
    # also where more has been delivered since than is looked at
    await scene.rows(INSERT_DELIVERY, *acme.tenant, "delivered", 1000)
    assert "93.1 %" in (await ada.get(path_of(acme))).text


async def test_what_waits_for_a_disabled_webhook_is_not_about_to_be_tried(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    principal, webhooks = operator(acme.tenant), scene.gateway.webhooks
    webhook = (await webhooks.create(principal, "https://example.com/off")).webhook
    await fail(scene, webhook, 3)
    await webhooks.disable(principal, webhook.id)
    page = (await ada.get(path_of(acme))).text
    assert "Disabled by hand. 3 deliveries wait until it is enabled." in page
    assert "since <time" in page
    assert "3 wait for a disabled webhook" in page
    assert "retried" not in page
    assert "tried again" not in page


async def test_100_percent_means_all(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    await scene.rows(INSERT_DELIVERY, *acme.tenant, "delivered", 999)
    await scene.rows(INSERT_DELIVERY, *acme.tenant, "pending", 1)
    page = (await ada.get(path_of(acme))).text
    assert "99.9 %" in page, "it was attempted, and waits"
    await scene.rows("UPDATE deliveries SET attempt_count = 0 WHERE status = 'pending'")
    assert "100.0 %" in (await ada.get(path_of(acme))).text, "it is on its first way"
    assert DeliverySummary(delivered=99_999, failed=1, waiting=0).percent == "99.9"


async def test_the_overview_leads_to_the_messages_that_failed(
    scene: DashboardScene, today: date
) -> None:
    acme, ada = await scene.acme(MemberRole.VIEWER)
    await count(scene, acme, 1, "outbound", "failed", 5)
    assert "Needs attention" not in (await ada.get(path_of(acme))).text, "that was yesterday"
    await count(scene, acme, 0, "outbound", "failed", 2)
    place = path_of(acme, f"messages?status=failed&amp;since={today}")
    page = (await ada.get(path_of(acme))).text
    assert f'<a href="{place}">2 messages failed today</a>' in page
    assert (await ada.get(place.replace("&amp;", "&"))).status_code == 200


async def test_what_is_wrong_with_devices_is_named_and_else_all_is_well(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    await scene.rows("UPDATE accounts SET status = 'connected'")
    page = (await ada.get(path_of(acme))).text
    assert "All is well: 1 device is connected, and nothing has failed today." in page
    await scene.rows(
        "UPDATE accounts SET status = 'logged_out', status_reason = 'Logged out on the <phone>.'"
    )
    page = (await ada.get(path_of(acme))).text
    troubles = page.partition('id="troubles"')[2].partition("</section>")[0]
    assert f'<a href="{path_of(acme, f"devices/{device.id}")}">Front desk</a>' in troubles
    assert "Logged out on the &lt;phone&gt;." in troubles
    assert "All is well" not in page


@pytest.mark.parametrize("status", ["connecting", "disconnected", "pairing"])
async def test_a_device_without_a_connection_for_a_minute_is_trouble_whatever_it_tries(
    scene: DashboardScene, status: str
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    since = "now() - interval '17 minutes'"
    await scene.rows(f"UPDATE accounts SET status = '{status}', disconnected_since = {since}")  # noqa: S608 - words of this file
    for text in ("Hello", "Are you there?"):
        await scene.send(device, Text(text))
    page = (await ada.get(path_of(acme))).text
    troubles = page.partition('id="troubles"')[2].partition("</section>")[0]
    assert f'<a href="{path_of(acme, f"devices/{device.id}")}">Front desk</a>' in troubles
    assert "since <time" in troubles
    assert "2 messages wait." in troubles
    assert "All is well" not in page


async def test_a_restricted_device_says_until_when_and_how_many_messages_wait(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    await scene.rows(RESTRICT, datetime.now(UTC) + timedelta(hours=2))
    for text in ("Hello", "Are you there?"):
        await scene.send(device, Text(text))
    page = (await ada.get(path_of(acme))).text
    troubles = page.partition('id="troubles"')[2].partition("</section>")[0]
    assert "until <time" in troubles
    assert "Too many people. 2 messages wait." in troubles
    await scene.rows(RESTRICT, datetime.now(UTC) - timedelta(hours=2))
    assert "Too many people" not in (await ada.get(path_of(acme))).text


async def test_a_device_that_has_just_lost_its_connection_is_neither_trouble_nor_well(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    await scene.device(acme)
    await scene.rows("UPDATE accounts SET status = 'disconnected', disconnected_since = now()")
    page = (await ada.get(path_of(acme))).text
    assert "0 of 1 device is connected." in page
    assert "All is well" not in page
    assert "Needs attention" not in page


async def test_an_empty_organization_says_what_to_do_next(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    page = (await ada.get(path_of(acme))).text
    assert "No messages yet" in page
    assert "No device is connected yet" in page
    assert "no deliveries yet" in page
