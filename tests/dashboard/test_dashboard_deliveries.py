"""Deliveries in the dashboard: found, looked into, sent again."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from dashboard_scene import DashboardScene, path_of
from heliograph.core.events.model import Event
from heliograph.core.events.service import encode_payload
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.webhooks.deliveries import service as delivery_service
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.model import Delivery, DeliveryFilter, Webhook
from heliograph.faces.dashboard.developers import deliveries as redelivery
from heliograph.platform.database.clock import first_id

URL = "http://127.0.0.1:9/hook"
LINK = re.compile(r'developers/deliveries/([0-9a-f-]{36})"')


async def add_webhook(
    scene: DashboardScene, organization: Organization, url: str = URL, *events: str
) -> Webhook:
    principal = operator(organization.tenant)
    return (await scene.gateway.webhooks.create(principal, url, events or ("*",))).webhook


async def emit(
    scene: DashboardScene, organization: Organization, *types: str, **data: Any
) -> list[Event]:
    """Events of the organization, with their deliveries, as the gateway stores them."""
    clock, tenant = scene.gateway.database.clock, organization.tenant
    now = clock.now()
    events = [
        Event(tenant, clock.new_id(), kind, encode_payload(kind, now, data), now) for kind in types
    ]
    await scene.gateway.database.transact(fan_out, tenant.shard, events, clock)
    return events


async def list_deliveries(scene: DashboardScene, organization: Organization) -> list[Delivery]:
    """Newest first."""
    return await scene.gateway.deliveries.list(operator(organization.tenant), limit=200)


def ids(deliveries: list[Delivery], holds: Callable[[Delivery], bool]) -> list[str]:
    return [str(delivery.id) for delivery in deliveries if holds(delivery)]


def ever(webhook: Webhook) -> dict[str, str]:
    """The form that sends all events again."""
    return {"webhook": str(webhook.id), "since": "2025-01-01T00:00", "until": "2100-01-01T00:00"}


async def test_deliveries_are_filtered_by_webhook_type_and_status(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.VIEWER)
    one = await add_webhook(scene, acme)
    await add_webhook(scene, acme, f"{URL}/2", "device.*")
    await emit(scene, acme, "message.sent", "device.connected", "message.read")
    await scene.rows("UPDATE deliveries SET status = 'failed' WHERE event_type = 'message.read'")
    found = await list_deliveries(scene, acme)
    path = path_of(acme, "developers/deliveries")
    for query, holds in (
        ("", lambda each: True),
        ("?webhook=&type=&status=", lambda each: True),
        (f"?webhook={one.id}", lambda delivery: delivery.webhook_id == one.id),
        ("?type=device.connected", lambda delivery: delivery.event_type == "device.connected"),
        ("?status=failed", lambda delivery: delivery.status == "failed"),
        (f"?webhook={one.id}&type=message.sent&status=pending", lambda each: each is found[-1]),
    ):
        assert LINK.findall((await ada.get(path + query)).text) == ids(found, holds), query
    assert "No delivery matches" in (await ada.get(f"{path}?status=canceled")).text
    assert "a deleted webhook" in (await ada.get(f"{path}?webhook={uuid4()}")).text


async def test_rows_tell_whom_they_are_about_and_what_comes_next(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.VIEWER)
    webhook = await add_webhook(scene, acme)
    long = "Is my  <b>parcel</b>\nhere? " + "x" * 400
    await emit(scene, acme, "message.received", contact_name="Ana <Silva>", content=long)
    await emit(scene, acme, "device.connected", name="Front desk")
    await emit(scene, acme, "message.read", contact_name=["of another shape"])
    path = path_of(acme, "developers/deliveries")
    page = (await ada.get(path)).text
    shown = re.findall(r'<span class="about quiet">(.*?)</span>', page)
    assert shown[0] == "Front desk"
    assert shown[1].startswith("Ana &lt;Silva&gt;: Is my &lt;b&gt;parcel&lt;/b&gt; here? xxx")
    assert len(shown[1]) < 200
    assert len(shown) == 2

    await scene.rows(
        "UPDATE deliveries SET next_attempt_at = now() WHERE event_type = 'device.connected'"
    )
    await scene.gateway.webhooks.disable(operator(acme.tenant), webhook.id)
    for place in (path, path_of(acme, f"developers/webhooks/{webhook.id}")):
        assert (await ada.get(place)).text.count("waits until the webhook is enabled") == 3
    device, *_ = await list_deliveries(scene, acme)
    assert "waits until the webhook is enabled" in (await ada.get(f"{path}/{device.id}")).text


async def test_who_may_not_read_messages_sees_nobody_in_the_rows(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    await add_webhook(scene, acme)
    await emit(scene, acme, "message.received", contact_name="Ana", content="Hello")
    await emit(scene, acme, "device.connected", name="Front desk")
    deliveries = await list_deliveries(scene, acme)
    only = replace(operator(acme.tenant), scopes=frozenset({"webhooks:read"}))
    found = await scene.gateway.deliveries.list_subjects(only, deliveries)
    assert [subject.who for subject in found.values()] == ["Front desk"]
    stranger = operator((await scene.organization("Globex")).tenant)
    assert await scene.gateway.deliveries.list_subjects(stranger, deliveries) == {}


async def test_deliveries_come_in_pages(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.VIEWER)
    await add_webhook(scene, acme)
    await emit(scene, acme, *(["message.sent"] * 60), *(["message.read"] * 55))
    wanted = ids(
        await list_deliveries(scene, acme), lambda delivery: delivery.event_type == "message.read"
    )
    path, query = path_of(acme, "developers/deliveries"), "?type=message.read"
    seen: list[str] = []
    for count in (50, 5):
        page = (await ada.get(path + query)).text
        assert len(LINK.findall(page)) == count
        seen += LINK.findall(page)
        older = re.search(r'href="([^"]+)" rel="next"', page)
        query = older[1].replace("&amp;", "&") if older else ""
    assert seen == wanted
    assert query == "", "nothing is older"


async def test_a_search_looks_at_so_many_and_says_where_to_go_on(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_service, "SEARCHED", 3)
    acme = await scene.organization("Acme")
    await add_webhook(scene, acme)
    await emit(scene, acme, "message.sent", "message.read", "message.read", "message.read")
    principal, wanted = operator(acme.tenant), DeliveryFilter(event_type="message.sent")
    first = await scene.gateway.deliveries.search(principal, wanted)
    assert (first.deliveries, first.more is None) == ([], False)
    second = await scene.gateway.deliveries.search(principal, wanted, before=first.more)
    assert [delivery.event_type for delivery in second.deliveries] == ["message.sent"]
    assert second.more is None
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    page = (await ada.get(path_of(acme, "developers/deliveries?type=message.sent"))).text
    assert "Search older ones" in page


async def test_deliveries_of_some_days(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_service, "SEARCHED", 3)
    acme, ada = await scene.acme(MemberRole.VIEWER)
    webhook = await add_webhook(scene, acme)
    await emit(scene, acme, *(["message.sent"] * 10))
    deliveries = (await list_deliveries(scene, acme))[::-1]
    days = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in range(1, 11)]
    for delivery, day in zip(deliveries, days, strict=True):
        await scene.rows(
            "UPDATE delivery_queue SET id = $2, created_at = $3 WHERE id = $1",
            *(delivery.id, UUID(int=first_id(day).int + 1), day),
        )
    path = path_of(acme, "developers/deliveries")

    async def days_of(query: str) -> list[datetime]:
        found = LINK.findall((await ada.get(path + query)).text)
        return [days[ids_of_days.index(UUID(each))] for each in found]

    ids_of_days = [UUID(int=first_id(day).int + 1) for day in days]
    assert await days_of("?since=2026-03-09") == days[:7:-1]
    assert await days_of("?until=2026-03-02") == days[1::-1], "without looking at what is newer"
    query = f"?webhook={webhook.id}&since=2026-03-03&until=2026-03-04"
    assert await days_of(query) == days[3:1:-1]
    page = (await ada.get(path + query)).text
    assert 'name="since" value="2026-03-03"' in page
    assert 'name="until" value="2026-03-04"' in page
    assert "Search older ones" not in page
    assert "No delivery matches" in (await ada.get(f"{path}?until=2026-02-28")).text


@pytest.mark.parametrize(
    "query", ["webhook=1", "type=message", "status=done", "since=today", "until=9999-01-01"]
)
async def test_a_filter_that_there_is_not_is_said_to_be_none(
    scene: DashboardScene, query: str
) -> None:
    acme, ada = await scene.acme(MemberRole.VIEWER)
    answer = await ada.get(path_of(acme, f"developers/deliveries?{query}"))
    assert answer.status_code == 422
    assert re.search("There is no such|Choose a day", answer.text)
    for odd in ("before=x", "before=-1", f"before={'9' * 30}", "sent=x", "before=٣"):
        path = path_of(acme, f"developers/deliveries?{odd}")
        assert (await ada.get(path)).status_code == 200, odd


async def test_a_delivery_shows_its_attempts_and_its_request_as_text(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.VIEWER)
    await add_webhook(scene, acme)
    [event] = await emit(scene, acme, "message.received", body="<script>alert(1)</script>")
    [delivery] = await list_deliveries(scene, acme)
    await scene.rows(
        """
        INSERT INTO delivery_attempts (shard, organization_id, delivery_id, number, started_at,
            duration_ms, response_code, response_body, error_message, address)
        VALUES ($1, $2, $3, 1, '2026-01-02 03:04:05Z', 1234, 500, '<img src=x onerror=alert(2)>',
            'The endpoint <b>answered</b> 500.', '127.0.0.1'),
            ($1, $2, $3, 2, '2026-01-02 03:05:05Z', 15000, NULL, NULL, 'It took too long.', NULL)
        """,
        *acme.tenant,
        delivery.id,
    )
    page = (await ada.get(path_of(acme, f"developers/deliveries/{delivery.id}"))).text
    for shown in (
        *("2026-01-02 03:04:05 UTC", "1,234 ms", "500", "127.0.0.1", "No answer", "15,000 ms"),
        *("&lt;img src=x onerror=alert(2)&gt;", "&lt;b&gt;answered", "It took too long."),
        *("&lt;script&gt;alert(1)", "&#34;data&#34;: {\n", str(event.id)),
    ):
        assert shown in page, shown
    assert not re.search(r"<(img src=x|b>|script>)", page)


async def test_a_body_that_is_not_kept_is_not_sent_again(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    await add_webhook(scene, acme)
    await emit(scene, acme, "message.sent", "message.read")
    await scene.rows("UPDATE events SET payload = '' WHERE type = 'message.sent'")
    await scene.rows("DELETE FROM events WHERE type = 'message.read'")
    for delivery in await list_deliveries(scene, acme):
        path = path_of(acme, f"developers/deliveries/{delivery.id}")
        page = (await ada.get(path)).text
        assert "The body is no longer kept" in page
        assert "Send again" not in page
        assert (await ada.post(f"{path}/again")).status_code == 404
    assert len(await list_deliveries(scene, acme)) == 2


async def test_a_delivery_is_sent_again(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    webhook = await add_webhook(scene, acme)
    await emit(scene, acme, "message.sent")
    [old] = await list_deliveries(scene, acme)
    path = path_of(acme, f"developers/deliveries/{old.id}")
    assert "Send again" in (await ada.get(path)).text

    answer = await ada.post(f"{path}/again")

    new, still = await list_deliveries(scene, acme)
    assert still == old
    assert new.event_id == old.event_id
    assert answer.headers["location"] == path_of(acme, f"developers/deliveries/{new.id}")
    assert "hx-get" in (await ada.get(answer.headers["location"])).text, "it waits for the outcome"
    await scene.gateway.webhooks.disable(operator(acme.tenant), webhook.id)
    assert "Enable it" in (await ada.get(path)).text
    assert (await ada.post(f"{path}/again")).status_code == 409


async def test_a_time_is_sent_again_and_the_page_says_how_much(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redelivery, "COUNT_TIMEOUT", 60.0)
    acme, ada = await scene.acme(MemberRole.ADMIN)
    await emit(scene, acme, "message.sent", "device.connected", "message.read")
    webhook = await add_webhook(scene, acme, URL, "message.*")
    path = path_of(acme, "developers/deliveries")

    answer = await ada.post(f"{path}/again", **ever(webhook))

    assert answer.status_code == 303
    page = (await ada.get(answer.headers["location"])).text
    assert "2 events are being sent again" in page
    assert len(LINK.findall(page)) == 2
    past = {"since": "2020-01-01T00:00", "until": "2020-01-02T00:00"}
    answer = await ada.post(f"{path}/again", **(ever(webhook) | past))
    assert "nothing was sent" in (await ada.get(answer.headers["location"])).text
    assert len(await list_deliveries(scene, acme)) == 2


async def test_of_a_long_time_the_page_shows_how_far_it_has_come(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redelivery, "COUNT_TIMEOUT", 0)
    monkeypatch.setattr(delivery_service, "PAGE", 2)
    acme, ada = await scene.acme(MemberRole.ADMIN)
    await emit(scene, acme, *["message.sent"] * 5)
    webhook = await add_webhook(scene, acme, URL, "message.*")
    answer = await ada.post(path_of(acme, "developers/deliveries/again"), **ever(webhook))
    assert answer.status_code == 200
    assert "default-src" in answer.headers["content-security-policy"]
    assert re.findall(r'max="(\d+)" value="(\d+)"', answer.text) == [
        ("5", "2"),
        ("5", "4"),
        ("5", "5"),
    ]
    assert "5 events are being sent again." in answer.text
    assert answer.text.rstrip().endswith("</html>")
    assert len(await list_deliveries(scene, acme)) == 5


@pytest.mark.parametrize(
    "form",
    [
        {"webhook": ""},
        {"webhook": "x"},
        {"since": ""},
        {"since": "yesterday"},
        {"since": "0001-01-01T00:00"},
        {"until": "9999-12-31T23:59"},
        {"until": "2020-01-01T00:00"},
    ],
    ids=str,
)
async def test_a_time_that_is_none_sends_nothing(
    scene: DashboardScene, form: dict[str, str]
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    webhook = await add_webhook(scene, acme)
    await emit(scene, acme, "message.sent")
    given = ever(webhook) | form
    answer = await ada.post(path_of(acme, "developers/deliveries/again"), **given)
    assert answer.status_code == 422
    assert len(await list_deliveries(scene, acme)) == 1


async def test_more_than_can_be_waited_for_is_not_begun(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redelivery, "MAX_AT_ONCE", 1)
    acme, ada = await scene.acme(MemberRole.ADMIN)
    webhook = await add_webhook(scene, acme)
    await emit(scene, acme, "message.sent", "message.read")
    answer = await ada.post(path_of(acme, "developers/deliveries/again"), **ever(webhook))
    assert answer.status_code == 422
    assert "Choose a shorter range" in answer.text
    assert len(await list_deliveries(scene, acme)) == 2


async def test_an_empty_list_says_what_to_do_next(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    path = path_of(acme, "developers/deliveries")
    assert "Add a webhook</a> first" in (await ada.get(path)).text
    await add_webhook(scene, acme)
    assert "send it a ping" in (await ada.get(path)).text
