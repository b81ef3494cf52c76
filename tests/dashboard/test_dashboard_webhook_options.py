"""What a webhook is told besides its events, and what it has failed to take."""

import pytest

from dashboard_scene import DashboardScene, Person, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.webhooks.model import Batching, DeliveryFilter, DeliveryStatus, Webhook

URL = "http://127.0.0.1:9/hook"
TRIED = "SELECT id FROM deliveries WHERE organization_id = $1 AND attempt_count > 0"
GIVE_UP = """
WITH given_up AS (DELETE FROM delivery_queue WHERE organization_id = $1)
UPDATE deliveries SET status = 'failed', next_attempt_at = NULL WHERE organization_id = $1
RETURNING id
"""


async def only_webhook(scene: DashboardScene, organization: Organization) -> Webhook:
    [webhook] = await scene.gateway.webhooks.list(operator(organization.tenant))
    return webhook


async def add(person: Person, organization: Organization, **form: str) -> int:
    given = {"url": URL, "event": "message.*", **form}
    path = path_of(organization, "developers/webhooks")
    return (await person.post(path, **given)).status_code


async def test_a_filter_a_batch_and_headers_are_set_and_shown(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    device = await scene.device(acme)
    options = {
        "device": str(device.id),
        "chat_type": "group",
        "batch_events": "50",
        "headers": "Authorization: Bearer secret-of-mine\r\nX-Shop: 7",
    }
    assert await add(ada, acme, **options) == 303
    webhook = await only_webhook(scene, acme)
    assert webhook.filter.chat_account_ids == (device.id,)
    assert (webhook.filter.chat_type, webhook.batch) == ("group", Batching(50, 1000))
    assert set(webhook.header_names) == {"Authorization", "X-Shop"}
    page = (await ada.get(path_of(acme, f"developers/webhooks/{webhook.id}"))).text
    for shown in ("Front desk", "in groups", "X-Shop", "Up to 50 events"):
        assert shown in page
    assert "secret-of-mine" not in page


async def test_headers_stay_until_they_are_replaced_or_taken_away(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    assert await add(ada, acme, headers="X-Shop: 7", batch_events="5", batch_wait="20") == 303
    webhook = await only_webhook(scene, acme)
    change = path_of(acme, f"developers/webhooks/{webhook.id}/change")
    given = {"url": URL, "event": "message.*", "description": ""}
    assert (await ada.post(change, **given)).status_code == 303
    changed = await only_webhook(scene, acme)
    assert (changed.header_names, changed.batch) == (("X-Shop",), None)
    assert (await ada.post(change, **given, headers="X-Other: 8")).status_code == 303
    assert (await only_webhook(scene, acme)).header_names == ("X-Other",)
    assert (await ada.post(change, **given, no_headers="yes")).status_code == 303
    assert (await only_webhook(scene, acme)).header_names == ()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"headers": "no colon"}, "A header is written as Name: value."),
        ({"headers": "Host: example.com"}, "The gateway sets this header itself"),
        ({"batch_events": "many"}, "Batch values are whole numbers."),
        ({"batch_events": "0"}, "A batch holds 1 to"),
        ({"chat_type": "crowd"}, "A chat is"),
        ({"device": "x"}, "There is no such device."),
    ],
    ids=["colon", "reserved", "number", "bounds", "chat", "device"],
)
async def test_options_that_cannot_be_are_shown_again_and_change_nothing(
    scene: DashboardScene, wrong: dict[str, str], sentence: str
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    path = path_of(acme, "developers/webhooks")
    answer = await ada.post(path, url=URL, event="*", **wrong)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert URL in answer.text
    assert await scene.gateway.webhooks.list(operator(acme.tenant)) == []


async def test_all_that_failed_goes_out_again(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    await add(ada, acme)
    webhook = await only_webhook(scene, acme)
    await scene.gateway.webhooks.ping(operator(acme.tenant), webhook.id)
    async with scene.at_work():
        await scene.until(lambda: scene.rows(TRIED, acme.id), lambda rows: rows)
    await scene.rows(GIVE_UP, acme.id)
    failed = f"developers/deliveries?webhook={webhook.id}&status=failed"
    assert "Send all failed again" in (await ada.get(path_of(acme, failed))).text

    only_messages = await ada.get(path_of(acme, f"{failed}&type=message.sent"))
    assert "Send all failed again" not in only_messages.text, "it sends events of all types"

    path = path_of(acme, "developers/deliveries/failed")
    answer = await ada.post(path, webhook=str(webhook.id), until="2026-01-01")
    assert answer.headers["location"].endswith("&sent=0"), "on the days that were chosen alone"
    assert (await ada.post(path, webhook="x")).status_code == 422
    answer = await ada.post(path, webhook=str(webhook.id))

    assert answer.headers["location"].endswith("&sent=1")
    waiting = DeliveryFilter(webhook_id=webhook.id, status=DeliveryStatus.PENDING)
    found = await scene.gateway.deliveries.search(operator(acme.tenant), waiting)
    assert len(found.deliveries) == 1
    [entry] = await scene.gateway.audit.list(operator(acme.tenant), limit=1)
    assert (entry.action, entry.details["status"]) == ("deliveries_redelivered", "failed")
