"""The client for TypeScript and webhooks, as the gateway posts them."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from free_ports import free_port
from live_gateway import LiveGateway
from typescript_client import Project, find_examples
from webhook_receiver import Received, receiving

pytest_plugins = ("live_fixtures", "typescript_fixtures")
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first

SUBSCRIPTIONS = "/api/v1/webhooks/subscriptions"
VERIFY = """
function verify(secret, body, headers) {
  try {
    return verifyWebhook(secret, body, headers);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.message;
  }
}
for (const { secret, headers, body } of given) {
  const bytes = Buffer.from(body, "base64");
  const found = JSON.stringify(verify(secret, bytes, headers));
  const inFetch = JSON.stringify(verify(secret, bytes.toString(), new Headers(headers)));
  if (found !== inFetch) throw new Error(`${found}, but ${inFetch}`);
  print(JSON.parse(found));
}
"""


def client(gateway: LiveGateway) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=gateway.base_url, headers=gateway.headers, timeout=60)


@asynccontextmanager
async def subscribed(
    gateway: LiveGateway, url: str, **options: Any
) -> AsyncIterator[dict[str, str]]:
    """A webhook with its secret, for as long as this lasts."""
    async with client(gateway) as api:
        made = await api.post(SUBSCRIPTIONS, json={"url": url, "events": ["*"], **options})
        assert made.status_code == 201, made.text
        try:
            yield made.json()
        finally:
            await api.delete(f"{SUBSCRIPTIONS}/{made.json()['id']}")


async def ping(gateway: LiveGateway, webhook: dict[str, str]) -> None:
    async with client(gateway) as api:
        assert (await api.post(f"{SUBSCRIPTIONS}/{webhook['id']}/ping")).status_code == 202


def posted(secret: str, request: Received, body: bytes | None = None) -> dict[str, object]:
    raw = request.body if body is None else body
    return {
        "secret": secret,
        "headers": request.headers,
        "body": base64.b64encode(raw).decode(),
    }


async def test_a_webhook_that_the_gateway_posts_verifies(
    project: Project, gateway: LiveGateway
) -> None:
    async with receiving() as receiver, subscribed(gateway, receiver.url()) as webhook:
        await ping(gateway, webhook)
        [request] = await receiver.wait_for(1)
    secret = webhook["secret"]
    altered = request.body.replace(b"webhook.ping", b"webhook.pong")
    assert altered != request.body
    other = "whsec_" + base64.b64encode(bytes(24)).decode()
    printed = await project.run(
        VERIFY,
        [
            posted(secret, request),
            posted(other, request),
            posted(secret, request, altered),
            posted(secret, request, b"\xef\xbb\xbf" + request.body),
            {**posted(secret, request), "headers": {}},
        ],
    )
    assert printed == [
        [{"id": request.webhook_id, **request.json}],
        *["No matching signature found"] * 3,
        "Missing required headers",
    ]


@pytest.mark.parametrize("rotations", [1, 2])
async def test_the_old_secret_verifies_as_well_while_it_is_rotated(
    project: Project, gateway: LiveGateway, rotations: int
) -> None:
    async with receiving() as receiver, subscribed(gateway, receiver.url()) as webhook:
        secrets = [webhook["secret"]]
        async with client(gateway) as api:
            for _ in range(rotations):
                rotated = await api.post(f"{SUBSCRIPTIONS}/{webhook['id']}/rotate-secret", json={})
                secrets.append(rotated.json()["secret"])
        await ping(gateway, webhook)
        [request] = await receiver.wait_for(1)
    assert len(request.headers["webhook-signature"].split(" ")) == rotations + 1
    printed = await project.run(VERIFY, [posted(secret, request) for secret in secrets])
    assert [[event["id"] for event in events] for events in printed] == [
        [request.webhook_id]
    ] * len(secrets)


async def test_a_batch_that_the_gateway_posts_is_several_events(
    project: Project, gateway: LiveGateway
) -> None:
    together = {"batch": {"max_events": 3, "max_wait_ms": 5000}}
    async with receiving() as receiver, subscribed(gateway, receiver.url(), **together) as webhook:
        for _ in range(3):
            await ping(gateway, webhook)
        [request] = await receiver.wait_for(1)
    assert request.type == "batch"
    [events] = await project.run(VERIFY, [posted(webhook["secret"], request)])
    assert events == request.json["data"]["events"]
    assert [event["type"] for event in events] == ["webhook.ping"] * 3
    assert len({event["id"] for event in events} | {request.webhook_id}) == 4


@pytest.mark.parametrize(
    ("age", "outcome"),
    [
        (timedelta(minutes=4), None),
        (timedelta(minutes=6), "Message timestamp too old"),
        (timedelta(minutes=-6), "Message timestamp too new"),
    ],
    ids=["recent", "old", "of tomorrow"],
)
async def test_what_was_signed_long_ago_is_refused(
    project: Project, age: timedelta, outcome: str | None
) -> None:
    body = '{"type":"campaign.finished","timestamp":"2026-03-02T09:15:40Z","data":{"sent":7}}'
    [found] = await project.run(VERIFY, [signed(body, datetime.now(UTC) - age)])
    assert found == (outcome or [{"id": "1", **json.loads(body)}])


def signed(body: str, at: datetime) -> dict[str, object]:
    """A request as the specification has it. Its type is one that no client knows yet."""
    secret = "whsec_" + base64.b64encode(bytes(range(24))).decode()
    headers = {
        "webhook-id": "1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": f"v2,later {Webhook(secret).sign('1', at, body)}",
    }
    return {"secret": secret, "headers": headers, "body": base64.b64encode(body.encode()).decode()}


async def test_the_readmes_receiver_answers_and_prints_what_is_posted(
    project: Project, gateway: LiveGateway
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/hook"
    async with subscribed(gateway, url) as webhook:
        code = find_examples()[0]["receive"].replace("9000", str(port))
        code += '\nserver.on("listening", () => console.log("ready"));\n'
        process = await project.start(code, HELIOGRAPH_WEBHOOK_SECRET=webhook["secret"])
        assert process.stdout is not None
        try:
            async with asyncio.timeout(60):
                assert await process.stdout.readline() == b"ready\n"
                await ping(gateway, webhook)
                printed = await process.stdout.readline()
                async with httpx.AsyncClient() as stranger:
                    refused = await stranger.post(url, content=b"{}")
        finally:
            process.kill()
            await process.wait()
    assert printed.split()[1] == b"webhook.ping"
    assert refused.status_code == 400
