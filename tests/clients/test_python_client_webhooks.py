"""What the running gateway posts to an endpoint, verified and read by the Python client."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from each_case import for_each
from heliograph.platform.crypto.webhook_signing import generate_webhook_secret, sign_webhook
from heliograph_client import Event, Heliograph, WebhookVerificationError, verify_webhook
from heliograph_client.models import (
    BatchOptions,
    CreatedSubscription,
    MessageReadEvent,
    MessageSentEvent,
    WebhookPingEvent,
)
from live_gateway import LiveGateway
from webhook_receiver import Received, Receiver, receiving

pytest_plugins = ("live_fixtures",)
SECRET = generate_webhook_secret()
NEW = {"type": "planet.discovered", "timestamp": "2026-03-02T09:15:40.033000Z", "data": {"at": 5}}
LATER = {"type": "message.read", "timestamp": "2026-03-02T09:15:40.033000Z", "data": {"form": 2}}


@pytest.fixture
def client(gateway: LiveGateway) -> Iterator[Heliograph]:
    with Heliograph(gateway.base_url, gateway.demo.api_key) as made:
        yield made


async def subscribe(
    client: Heliograph, receiver: Receiver, batch: BatchOptions | None = None
) -> CreatedSubscription:
    return await asyncio.to_thread(
        client.create_webhook_subscription, url=receiver.url(), events=["*"], batch=batch
    )


def read(secret: str, received: list[Received]) -> list[Event]:
    return [
        event
        for request in received
        for event in verify_webhook(secret, request.body, request.headers)
    ]


async def test_posted_webhooks_are_verified_and_read(
    client: Heliograph, gateway: LiveGateway
) -> None:
    async with receiving() as receiver:
        webhook = await subscribe(client, receiver)
        await asyncio.to_thread(client.ping_webhook_subscription, webhook.id)
        [ping] = read(webhook.secret, await receiver.wait_for(1))
        assert isinstance(ping.body, WebhookPingEvent)
        assert ping.id == receiver.received[0].webhook_id
        sent = await asyncio.to_thread(client.send_text, gateway.demo.contact_phone, "Hello")
        events = read(webhook.secret, await receiver.wait_for(4))[1:]
        await asyncio.to_thread(client.delete_webhook_subscription, webhook.id)
    first = events[0].body
    assert isinstance(first, MessageSentEvent)
    assert first.data.id == sent.message_id
    assert [event.type for event in events] == [
        "message.sent",
        "message.delivered",
        "message.read",
    ]


async def test_a_batch_is_several_events(client: Heliograph, gateway: LiveGateway) -> None:
    async with receiving() as receiver:
        options = BatchOptions(max_events=100, max_wait_ms=1500)
        webhook = await subscribe(client, receiver, options)
        for number in range(3):
            await asyncio.to_thread(client.send_text, gateway.demo.contact_phone, f"No. {number}")
        events: list[Event] = []
        for count in range(1, 20):
            events = read(webhook.secret, await receiver.wait_for(count))
            if len(events) == 9:
                break
        await asyncio.to_thread(client.delete_webhook_subscription, webhook.id)
    assert len(receiver.received) < 9, "some came together"
    assert {request.type for request in receiver.received} == {"batch"}
    assert len({event.id for event in events}) == 9
    assert sum(isinstance(event.body, MessageReadEvent) for event in events) == 3


async def test_both_secrets_verify_while_one_replaces_the_other(
    client: Heliograph, gateway: LiveGateway
) -> None:
    async with receiving() as receiver:
        webhook = await subscribe(client, receiver)
        rotated = await asyncio.to_thread(client.rotate_webhook_secret, webhook.id)
        await asyncio.to_thread(client.ping_webhook_subscription, webhook.id)
        received = await receiver.wait_for(1)
        await asyncio.to_thread(client.delete_webhook_subscription, webhook.id)
    assert webhook.secret != rotated.secret
    assert len(received[0].headers["webhook-signature"].split()) == 2
    assert read(webhook.secret, received) == read(rotated.secret, received)


def signed(body: Any, at: int = 0) -> tuple[bytes, dict[str, str]]:
    raw = json.dumps(body).encode()
    return raw, sign_webhook([SECRET], "01995b10", int(time.time()) + at, raw)


@pytest.mark.parametrize("body", [NEW, LATER], ids=["a new type", "a new form of a type"])
def test_an_event_that_nobody_knew_stays_usable(body: dict[str, Any]) -> None:
    [event] = verify_webhook(SECRET, *signed(body))
    assert event.body is None
    assert (event.id, event.type, event.data) == ("01995b10", body["type"], body["data"])
    assert event.timestamp == datetime.fromisoformat(body["timestamp"])


@for_each(
    "change",
    [
        {"webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
        {"webhook-signature": "v1"},
        {"webhook-signature": "v1,x"},
        {"webhook-signature": ""},
        {"webhook-id": "another"},
        {"webhook-timestamp": "now"},
        {"webhook-timestamp": "1772442940"},
    ],
)
def test_what_is_not_signed_is_refused(change: dict[str, str]) -> None:
    body, headers = signed(NEW)
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, body, headers | change)


@pytest.mark.parametrize("body", [b"{}", b"", b"\xff\xfe"])
def test_another_body_is_refused(body: bytes) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, body, signed(NEW)[1])


@pytest.mark.parametrize("seconds", [-400, 400])
def test_a_request_of_another_time_is_refused(seconds: int) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, *signed(NEW, at=seconds))
