"""One trace from the request to the webhook, over machines that do one thing each, as a collector
gets it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from acceptance.hook_receiver import Hook, HookReceiver, receiving_hooks
from acceptance.machines import Customer, Installation, Machine, installation
from acceptance.running_program import BUTTONS, buttons, wait_for
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.core.webhooks.model import Batching
from heliograph.networks.phone_actions import Say
from otlp_receiver import Collector, ReceivedSpan, collecting

pytestmark = pytest.mark.extra_fault

PHONE = "+15550100001"
CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
KILLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
STATES = ("sent", "delivered", "read")
ALL = (
    *(f"POST {BUTTONS}", "accept message_queue", "store messages", "send sandbox"),
    *(f"record message.{state}" for state in STATES),
)
"""The spans of a message, beside those that only some have and those of attempts."""
SECRET_TEXT = "the words nobody else may read"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as collector, pytest.MonkeyPatch.context() as patch:
        for name, value in collector.environment.items():
            patch.setenv(name, value)
        yield collector


@pytest.fixture(scope="module")
def made(
    postgres_url: str,
    template_database: str,
    tmp_path_factory: pytest.TempPathFactory,
    collector: Collector,
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("traces")
    with installation(postgres_url, template_database, folder, TRACING="on") as made:
        yield made


@pytest.fixture(scope="module")
def receiver() -> Iterator[HookReceiver]:
    with receiving_hooks() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def customer(made: Installation, receiver: HookReceiver) -> Customer:
    customer = made.customer("Acme")
    subscribe(made, customer, receiver)
    return customer


def subscribe(
    made: Installation, customer: Customer, receiver: HookReceiver, batch: Batching | None = None
) -> None:
    async def create(gateway: Services) -> None:
        principal = operator(customer.organization.tenant)
        url = f"{receiver.url}?secret=hush"
        await gateway.webhooks.create(principal, url, ["message.*"], batch=batch)

    made.with_services(create)


@pytest.fixture(scope="module")
def api(made: Installation, customer: Customer) -> Iterator[Machine]:
    """A machine that answers requests, beside one that sends and one that posts."""
    with ExitStack() as stack:
        machines = [
            stack.enter_context(made.machine(ROLES=role))
            for role in ("api", "sessions", "deliveries")
        ]
        made.wait_until_connected()
        yield machines[0]


@pytest.fixture(scope="module")
def client(api: Machine, customer: Customer) -> Iterator[httpx.Client]:
    with api.client(customer) as client:
        yield client


def send(client: httpx.Client, **headers: str) -> str:
    body = buttons(PHONE, SECRET_TEXT)
    answer = client.post(BUTTONS, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["message_id"])


def hooks_of(receiver: HookReceiver, message_id: str) -> list[Hook]:
    return receiver.wait_for(message_id, *(f"message.{state}" for state in STATES), seconds=60)


def trace_of(collector: Collector, hooks: list[Hook], *expected: str) -> list[ReceivedSpan]:
    """The trace that these webhooks belong to, once these spans of it have come, too."""
    [trace_id] = {hook.headers["traceparent"].split("-")[1] for hook in hooks}
    wanted = {*(f"POST {hook.type}" for hook in hooks), *expected}

    def found() -> list[ReceivedSpan] | None:
        spans = collector.trace(trace_id)
        return spans if wanted <= set(names(spans)) else None

    return wait_for(found, 30)


def below(spans: list[ReceivedSpan], parent: ReceivedSpan) -> list[ReceivedSpan]:
    return [span for span in spans if span.parent_id == parent.span_id]


def names(spans: list[ReceivedSpan]) -> list[str]:
    return [span.name for span in spans]


def test_one_trace_leads_from_the_request_over_three_machines_to_each_webhook(
    api: Machine, client: httpx.Client, receiver: HookReceiver, collector: Collector
) -> None:
    message_id = send(client)
    spans = trace_of(collector, hooks_of(receiver, message_id), *ALL)

    [posted] = [span for span in spans if span.kind == "server"]
    assert (posted.name, posted.parent_id) == (f"POST {BUTTONS}", "")
    [accepted] = below(spans, posted)
    assert accepted.name == "accept message_queue"
    assert accepted.attributes["messaging.message.id"] == message_id
    assert set(names(below(spans, accepted))) == {*ALL} - {posted.name, accepted.name}
    for state in STATES:
        [recorded] = [span for span in spans if span.name == f"record message.{state}"]
        attempts = [span for span in below(spans, recorded) if span.kind == "client"]
        assert names(attempts) == [f"POST message.{state}"]
    nodes = {span.name: span.node for span in spans}
    parts = ("accept message_queue", "send sandbox", "POST message.read")
    assert len({nodes[part] for part in parts}) == 3
    assert {int(nodes["accept message_queue"].rpartition(":")[2])} == api.nodes()


def test_the_endpoint_is_handed_the_span_of_its_attempt(
    client: httpx.Client, receiver: HookReceiver, collector: Collector
) -> None:
    hooks = hooks_of(receiver, send(client))
    spans = trace_of(collector, hooks, *ALL)
    for hook in hooks:
        [attempt] = [span for span in spans if span.name == f"POST {hook.type}"]
        traceparent = hook.headers["traceparent"]
        assert traceparent.split("-")[1:3] == [attempt.trace_id, attempt.span_id]
        assert int(traceparent.split("-")[3], 16) & 1
        assert attempt.attributes["http.response.status_code"] == 200
        assert attempt.attributes["heliograph.webhook.request_id"] == hook.id


def test_a_callers_trace_goes_on_to_its_endpoint(
    client: httpx.Client, receiver: HookReceiver, collector: Collector
) -> None:
    message_id = send(client, traceparent=CALLER, tracestate="vendor=1")
    hooks = hooks_of(receiver, message_id)
    spans = trace_of(collector, hooks, *ALL)
    assert {span.trace_id for span in spans} == {CALLER.split("-")[1]}
    [posted] = [span for span in spans if span.kind == "server"]
    assert posted.parent_id == CALLER.split("-")[2]
    assert {hook.headers["tracestate"] for hook in hooks} == {"vendor=1"}


def test_the_log_names_the_trace_of_a_request(
    api: Machine, client: httpx.Client, receiver: HookReceiver
) -> None:
    message_id = send(client, **{"X-Request-Id": "which-trace"})
    trace_id = hooks_of(receiver, message_id)[0].headers["traceparent"].split("-")[1]
    line = wait_for(lambda: api.find_line("request", request_id="which-trace"))
    assert line["trace_id"] == trace_id


def test_a_message_that_comes_in_begins_a_trace(
    made: Installation,
    customer: Customer,
    receiver: HookReceiver,
    collector: Collector,
    api: Machine,
) -> None:
    async def say(gateway: Services) -> None:
        await gateway.simulator.of(customer.accounts[0]).act(Say(PHONE, SECRET_TEXT))

    made.with_services(say)
    [hook] = wait_for(lambda: [each for each in receiver.hooks if each.type == "message.received"])
    spans = trace_of(collector, [hook], "receive sandbox")
    [arrived] = [span for span in spans if span.kind == "consumer"]
    assert (arrived.name, arrived.parent_id) == ("receive sandbox", "")
    assert arrived.attributes["messaging.message.id"] == hook.data["id"]
    assert names(below(spans, arrived)) == ["store reports", "POST message.received"]


def test_no_span_says_what_a_message_says_nor_to_whom(
    client: httpx.Client, customer: Customer, receiver: HookReceiver, collector: Collector
) -> None:
    trace_of(collector, hooks_of(receiver, send(client)), *ALL)
    everything = b"".join(collector.raw)
    for secret in (SECRET_TEXT, PHONE[1:], customer.key, "hush"):
        assert secret.encode() not in everything


def test_the_span_of_a_batch_has_links_to_the_other_traces_in_it(
    made: Installation, api: Machine, collector: Collector
) -> None:
    with receiving_hooks() as receiver:
        customer = made.customer("Globex")
        subscribe(made, customer, receiver, batch=Batching(20, 2_000))
        made.wait_until_connected()
        with api.client(customer) as client:
            for _ in range(3):
                send(client)
        [batch, *_] = wait_for(
            lambda: [each for each in receiver.hooks if len(events_of(each)) > 3]
        )
        trace_id, span_id = batch.headers["traceparent"].split("-")[1:3]
        [attempt] = wait_for(lambda: [each for each in collector.spans if each.span_id == span_id])

    assert (attempt.name, attempt.trace_id) == ("POST batch", trace_id)
    assert attempt.attributes["messaging.batch.message_count"] == len(events_of(batch))
    told = [(attempt.trace_id, attempt.parent_id), *attempt.links]
    spans = {(span.trace_id, span.span_id): span for span in collector.spans}
    assert [spans[each].name.removeprefix("record ") for each in told] == [
        event["type"] for event in events_of(batch)
    ]


def events_of(hook: Hook) -> list[dict[str, Any]]:
    return list(hook.data.get("events", ()))


def test_a_node_that_is_killed_leaves_the_trace_to_the_one_that_sends(
    postgres_url: str,
    template_database: str,
    tmp_path: Path,
    receiver: HookReceiver,
    collector: Collector,
) -> None:
    """Nobody holds the account's session until the node that took the message is dead."""
    with installation(postgres_url, template_database, tmp_path, TRACING="on") as made:
        customer = made.customer("Initech")
        subscribe(made, customer, receiver)
        with made.machine(ROLES="api") as taking:
            with taking.client(customer) as client:
                message_id = send(client, traceparent=KILLED)
            [taker] = taking.nodes()
            wait_for(lambda: collector.trace(KILLED.split("-")[1]))
            taking.kill()
        with made.machine():
            spans = trace_of(collector, hooks_of(receiver, message_id), *ALL)

    assert {span.trace_id for span in spans} == {KILLED.split("-")[1]}
    [accepted] = [span for span in spans if span.kind == "producer" and "accept" in span.name]
    [sent] = [span for span in spans if span.name == "send sandbox"]
    assert sent.parent_id == accepted.span_id
    assert accepted.node.endswith(f":{taker}")
    assert sent.node != accepted.node
