"""Attempts of webhooks as parts of traces: what the endpoint is handed, and what the span says."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from msgspec.structs import replace

from delivery_tables import claimed_delivery
from free_ports import free_port
from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.core.webhooks.posting.attempts import Poster
from heliograph.core.webhooks.subscriptions.secrets import WebhookSecrets
from heliograph.platform.crypto.webhook_signing import SigningKey, generate_webhook_secret
from heliograph.platform.database.clock import Clock
from heliograph.platform.outbound_http import AddressPolicy, GuardedClient, SystemResolver
from heliograph.platform.telemetry.tracing import OFF, Tracer
from otlp_receiver import Collector, OpenTracer
from webhook_receiver import Receiver, always, answer, receiving

pytest_plugins = ("tracing_fixtures",)

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CONTEXT = f"00-{TRACE}-{PARENT}-01"
OTHER = f"00-{'5' * 32}-{'6' * 16}-01"
LEASE = Lease(Tenant(0, UUID(int=1)), UUID(int=2), UUID(int=3), 1)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def client() -> AsyncIterator[GuardedClient]:
    resolver = SystemResolver()
    yield GuardedClient(AddressPolicy.LOOPBACK, resolver)
    await resolver.close()


async def attempt(
    client: GuardedClient,
    tracer: Tracer,
    url: str,
    delivery: ClaimedDelivery,
    **headers: str,
) -> None:
    """Post it once, with these headers of the webhook's own."""
    secrets = WebhookSecrets(SigningKey(generate_webhook_secret()), headers=headers)
    attempts = Poster(client, Clock(), lambda: 0.5, tracer)
    await attempts.attempt(LEASE, delivery, url, secrets)


def delivery(context: str | None, *, attempt_count: int = 0) -> ClaimedDelivery:
    made = claimed_delivery(1, UUID(int=9), attempt_count=attempt_count)
    return replace(made, payload=b"{}", trace_context=context)


async def test_the_endpoint_gets_the_attempts_context_in_place_of_the_webhooks_own_headers(
    client: GuardedClient, receiver: Receiver, open_tracer: OpenTracer, collector: Collector
) -> None:
    tracer = open_tracer()
    own = {"TraceParent": "mine", "Tracestate": "mine", "X-Team": "orders"}
    await attempt(client, tracer, receiver.url("/?secret=hush"), delivery(f"{CONTEXT} a=1"), **own)
    tracer.close(5)
    [span] = collector.spans
    [received] = receiver.received
    assert received.headers["traceparent"] == f"00-{TRACE}-{span.span_id}-01"
    assert received.headers["tracestate"] == "a=1"
    assert received.headers["x-team"] == "orders"
    assert (span.name, span.kind, span.parent_id) == ("POST message.sent", "client", PARENT)
    assert span.attributes["server.port"] == receiver.port
    assert b"hush" not in b"".join(collector.raw)


@pytest.mark.parametrize("context", [None, CONTEXT])
async def test_without_tracing_or_a_trace_the_webhooks_own_headers_are_sent(
    client: GuardedClient, receiver: Receiver, open_tracer: OpenTracer, context: str | None
) -> None:
    tracer = OFF if context else open_tracer()
    await attempt(client, tracer, receiver.url(), delivery(context), TraceParent="mine")
    [received] = receiver.received
    assert received.headers["traceparent"] == "mine"
    assert "tracestate" not in received.headers


async def test_a_failed_attempt_says_with_which_status(
    client: GuardedClient, receiver: Receiver, open_tracer: OpenTracer, collector: Collector
) -> None:
    tracer = open_tracer()
    receiver.reply = always(answer(503))
    await attempt(client, tracer, receiver.url(), delivery(CONTEXT, attempt_count=2))
    tracer.close(5)
    [span] = collector.spans
    assert span.has_failed
    assert span.attributes["error.type"] == "503"
    assert span.attributes["http.response.status_code"] == 503
    assert span.attributes["http.request.resend_count"] == 2


async def test_an_attempt_that_reaches_nobody_says_why_in_a_word(
    client: GuardedClient, open_tracer: OpenTracer, collector: Collector
) -> None:
    tracer = open_tracer()
    await attempt(client, tracer, f"http://127.0.0.1:{free_port()}/", delivery(CONTEXT))
    tracer.close(5)
    [span] = collector.spans
    assert span.attributes["error.type"] == "ConnectError"


async def test_a_batch_is_below_its_first_trace_and_has_links_to_the_others(
    client: GuardedClient, receiver: Receiver, open_tracer: OpenTracer, collector: Collector
) -> None:
    tracer = open_tracer()
    members = tuple(delivery(context) for context in (None, CONTEXT, OTHER))
    await attempt(client, tracer, receiver.url(), replace(members[0], members=members))
    tracer.close(5)
    [span] = collector.spans
    assert (span.name, span.trace_id, span.parent_id) == ("POST batch", TRACE, PARENT)
    assert span.links == [("5" * 32, "6" * 16)]
    assert span.attributes["messaging.batch.message_count"] == 3
