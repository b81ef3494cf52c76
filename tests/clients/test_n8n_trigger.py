"""The n8n trigger, in n8n's engine, with webhooks that a running gateway posts."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from acceptance.running_program import wait_for
from demo_phone import say
from heliograph.platform.crypto import generate_webhook_secret, sign_webhook
from live_gateway import LiveGateway
from n8n_engine import N8nEngine, n8n_engine

pytest_plugins = ("live_fixtures",)
pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(300),  # the packages may have to be installed first
]

RECEIVED = {"events": ["message.received"]}
BODY = json.dumps(
    {"type": "message.received", "timestamp": "2026-03-02T09:15:40Z", "data": {"content": "✓"}},
    ensure_ascii=False,
).encode()


@pytest.fixture
def n8n(package: Path, gateway: LiveGateway, tmp_path: Path) -> Iterator[N8nEngine]:
    with n8n_engine(package, gateway.base_url, gateway.demo.api_key, tmp_path) as engine:
        yield engine
        engine.ask("deactivate")


def call(gateway: LiveGateway, method: str, path: str, **body: Any) -> Any:
    url = f"{gateway.base_url}/api/v1/webhooks{path}"
    answer = httpx.request(
        method, url, headers=gateway.headers, json=body or None, timeout=60
    ).raise_for_status()
    return answer.json() if answer.content else None


def subscriptions(gateway: LiveGateway) -> list[dict[str, Any]]:
    return list(call(gateway, "GET", "/subscriptions")["subscriptions"])


def started(n8n: N8nEngine) -> list[list[dict[str, Any]]]:
    """The events of each execution that the trigger has started."""
    return [[item["json"] for item in items] for items in n8n.ask("hook")["started"]]


def knock(n8n: N8nEngine, headers: dict[str, str], body: bytes = BODY) -> int:
    """Post to the trigger as a stranger could; returns the answer's status."""
    named = {"content-type": "application/json", **headers}
    return httpx.post(n8n.ask("hook")["url"], content=body, headers=named, timeout=60).status_code


def sign(*secrets: str, at: float | None = None, body: bytes = BODY) -> dict[str, str]:
    return sign_webhook(secrets, "01995b10", int(at or time.time()), body)


# --- from activation to deactivation -------------------------------------------------------------


def test_what_arrives_starts_the_workflow_while_it_is_active(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    assert n8n.ask("activate", parameters=RECEIVED) == {"created": True}
    [subscription] = subscriptions(gateway)
    assert subscription["url"] == n8n.ask("hook")["url"]
    assert subscription["events"] == ["message.received"]

    say(gateway, "Is there a table?")
    [[event]] = wait_for(lambda: started(n8n))
    assert event["type"] == "message.received"
    assert event["data"]["content"] == "Is there a table?"
    [delivery] = wait_for(lambda: delivered(gateway, subscription["id"]))
    assert event["id"] == delivery["event_id"]

    n8n.ask("deactivate")
    assert subscriptions(gateway) == []
    assert n8n.ask("hook")["staticData"] == {}


def delivered(gateway: LiveGateway, subscription_id: str) -> list[dict[str, Any]]:
    listed = call(gateway, "GET", f"/subscriptions/{subscription_id}/deliveries")["deliveries"]
    return [delivery for delivery in listed if delivery["status"] == "delivered"]


def test_a_restart_keeps_the_subscription_and_brings_it_in_line(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    n8n.ask("activate", parameters=RECEIVED)
    [before] = subscriptions(gateway)
    call(gateway, "PATCH", f"/subscriptions/{before['id']}", enabled=False)
    changed = {"events": ["message.*"], "options": {"chatType": "individual"}}
    assert n8n.ask("activate", parameters=changed, keepStaticData=True) == {"created": False}
    [after] = subscriptions(gateway)
    assert after["id"] == before["id"]
    assert after["enabled"]
    assert after["events"] == ["message.*"]
    assert after["filter"]["chat_type"] == "individual"
    n8n.ask("activate", parameters=RECEIVED, keepStaticData=True)
    [again] = subscriptions(gateway)
    assert again["filter"] is None


def test_a_subscription_that_is_gone_is_made_again(n8n: N8nEngine, gateway: LiveGateway) -> None:
    n8n.ask("activate", parameters=RECEIVED)
    [before] = subscriptions(gateway)
    call(gateway, "DELETE", f"/subscriptions/{before['id']}")
    assert n8n.ask("activate", parameters=RECEIVED, keepStaticData=True) == {"created": True}
    [after] = subscriptions(gateway)
    assert after["id"] != before["id"]


def test_an_activation_that_was_cut_off_leaves_nothing_behind(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    kept = call(gateway, "POST", "/subscriptions", url="http://127.0.0.1:9/", events=["*"])
    n8n.ask("activate", parameters=RECEIVED)
    assert n8n.ask("activate", parameters=RECEIVED) == {"created": True}  # what it knew is lost
    mine, other = sorted(subscriptions(gateway), key=lambda found: found["id"] == kept["id"])
    assert mine["url"] == n8n.ask("hook")["url"]
    assert other["id"] == kept["id"]
    call(gateway, "DELETE", f"/subscriptions/{kept['id']}")


def test_it_takes_what_its_filter_lets_through(n8n: N8nEngine, gateway: LiveGateway) -> None:
    options = {"chatAccountIds": [gateway.demo.chat_account_id], "chatType": "group"}
    n8n.ask("activate", parameters={**RECEIVED, "options": options})
    [subscription] = subscriptions(gateway)
    assert subscription["filter"] == {
        "chat_account_ids": [gateway.demo.chat_account_id],
        "chat_type": "group",
    }


def test_the_events_of_a_batch_are_items_of_one_execution(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    options = {"batchSize": 3, "batchWait": 5000}
    n8n.ask("activate", parameters={**RECEIVED, "options": options})
    say(gateway, "One", "Two", "Three")
    [events] = wait_for(lambda: started(n8n))
    assert [event["data"]["content"] for event in events] == ["One", "Two", "Three"]
    assert len({event["id"] for event in events}) == 3


# --- pings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "starts"), [(["message.received"], False), (["webhook.ping"], True)]
)
def test_a_ping_is_answered_and_starts_only_who_has_chosen_it(
    n8n: N8nEngine, gateway: LiveGateway, events: list[str], starts: bool
) -> None:
    n8n.ask("activate", parameters={"events": events})
    [subscription] = subscriptions(gateway)
    call(gateway, "POST", f"/subscriptions/{subscription['id']}/ping")
    wait_for(lambda: delivered(gateway, subscription["id"]))
    assert [event["type"] for [event] in started(n8n)] == ["webhook.ping"] * starts


# --- forgeries -----------------------------------------------------------------------------------


@pytest.fixture
def secret(n8n: N8nEngine) -> str:
    """The secret of an active trigger."""
    n8n.ask("activate", parameters=RECEIVED)
    return str(n8n.ask("hook")["staticData"]["secret"])


def test_one_of_several_signatures_is_enough(n8n: N8nEngine, secret: str) -> None:
    assert knock(n8n, sign(generate_webhook_secret(), secret)) == 200
    assert started(n8n) == [[{"id": "01995b10", **json.loads(BODY)}]]


def test_what_the_gateway_has_not_signed_is_refused_and_starts_nothing(
    n8n: N8nEngine, secret: str
) -> None:
    now = time.time()
    good = sign(secret)
    forged = [
        {},
        {**good, "webhook-signature": ""},
        {**good, "webhook-signature": "v1,"},
        {**good, "webhook-signature": good["webhook-signature"].replace("v1,", "v1a,")},
        {**good, "webhook-id": "another"},
        {**good, "webhook-timestamp": str(int(now) + 1)},
        {**good, "webhook-timestamp": "soon"},
        {name: value for name, value in good.items() if name != "webhook-timestamp"},
        sign(generate_webhook_secret()),
        sign(secret, at=now - 400),
        sign(secret, at=now + 400),
    ]
    assert [knock(n8n, headers) for headers in forged] == [401] * len(forged)
    assert knock(n8n, good, BODY + b" ") == 401
    assert started(n8n) == []
    assert knock(n8n, good) == 200


def test_without_a_secret_nothing_is_taken(n8n: N8nEngine, secret: str) -> None:
    n8n.ask("deactivate")
    assert knock(n8n, sign(secret)) == 401
    assert started(n8n) == []
