"""Tenants spread over eight shards, on a gateway of two nodes: everything works for each of them.

Sixteen organizations, two on every shard. A statement that forgot a shard, or took another's, would
find nothing for seven shards in eight, or write where nobody looks.
"""

import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import pytest

from acceptance.hook_receiver import HookReceiver, receiving_hooks
from acceptance.machines import Customer, Installation, Machine, furnish, installation
from acceptance.running_program import wait_for
from acceptance.walk import PHONE, Walk, walk_through
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.core.tenants.plans import PRO
from heliograph.networks.phone_actions import Invite, Press
from heliograph.platform.database.revisions import CORE

pytestmark = pytest.mark.extra_fault

SHARDS, EACH = 8, 2
MANY = 1000  # organizations that are made at most until each shard has two: 40 as a rule
NO_TENANT = {
    *("word_marks", "counter_rounds"),
    *("organizations", "plans", "chores", "chore_failures", "api_keys", "nodes", "secret_canaries"),
    *("users", "browser_sessions"),
}


@dataclass
class Tenant:
    """A customer, and the endpoint that takes all its events."""

    customer: Customer
    receiver: HookReceiver
    secret: str

    @property
    def shard(self) -> int:
        return self.customer.organization.shard


@pytest.fixture(scope="module")
def made(
    postgres_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("shards")
    with installation(
        postgres_url, template_database, folder, SHARDS=str(SHARDS), SWEEP_INTERVAL="5"
    ) as installed:
        yield installed


@pytest.fixture(scope="module")
def tenants(made: Installation) -> Iterator[list[Tenant]]:
    with ExitStack() as stack:
        receivers = [stack.enter_context(receiving_hooks()) for _ in range(SHARDS * EACH)]

        async def make(gateway: Services) -> list[Tenant]:
            return [
                await subscribe(gateway, customer, receiver)
                for customer, receiver in zip(await on_every_shard(gateway), receivers, strict=True)
            ]

        yield made.with_services(make)


async def on_every_shard(gateway: Services) -> list[Customer]:
    """Two customers on each shard; organizations beyond that stay as they are."""
    customers: list[Customer] = []
    for number in range(MANY):
        organization = await gateway.organizations.create(f"Tenant {number}", plan=PRO)
        have = Counter(customer.organization.shard for customer in customers)
        if have[organization.shard] < EACH:
            customers.append(await furnish(gateway, organization))
        if len(customers) == SHARDS * EACH:
            return customers
    raise AssertionError("new organizations are not spread over the shards")


async def subscribe(gateway: Services, customer: Customer, receiver: HookReceiver) -> Tenant:
    principal = operator(customer.organization.tenant)
    created = await gateway.webhooks.create(principal, receiver.url, ["*"])
    return Tenant(customer, receiver, created.secret)


@pytest.fixture(scope="module")
def expired(made: Installation, tenants: list[Tenant]) -> int:
    """Idempotency keys of every tenant whose day is over."""
    keys = made.rows(
        "INSERT INTO idempotency_keys (shard, organization_id, key, fingerprint, created_at, "
        "expires_at) SELECT shard, id, 'old', '', now() - interval '25 h', now() - interval '1 h' "
        "FROM organizations RETURNING shard"
    )
    assert {key["shard"] for key in keys} == set(range(SHARDS))
    return len(keys)


@pytest.fixture(scope="module")
def machine(made: Installation, tenants: list[Tenant], expired: int) -> Iterator[Machine]:
    with made.machine("--nodes", "2") as started:
        made.wait_until_shared(started)
        made.wait_until_connected()
        yield started


@pytest.fixture(scope="module")
def walked(made: Installation, machine: Machine, tenants: list[Tenant]) -> dict[str, Tenant]:
    """Each tenant by the message it has sent, once it has gone through every operation."""

    async def invite(gateway: Services) -> list[str]:
        return [
            await gateway.simulator.of(tenant.customer.accounts[0]).act(
                Invite("Choir", owner=PHONE)
            )
            for tenant in tenants
        ]

    links = made.with_services(invite)

    def walk(client: httpx.Client, mine: slice) -> list[str]:
        """One node's half of the tenants, one of each shard."""
        sent = []
        for tenant, link in zip(tenants[mine], links[mine], strict=True):
            client.headers.update(tenant.customer.headers)
            sent.append(str(walk_through(tenant.customer, client, link)))
        return sent

    with (
        machine.client_of_each_node(tenants[0].customer) as clients,
        ThreadPoolExecutor(len(clients)) as threads,
    ):
        halves = [
            threads.submit(walk, client, slice(number, None, 2))
            for number, client in enumerate(clients.values())
        ]
        even, odd = (half.result() for half in halves)
    return {
        message_id: tenant
        for number, sent in enumerate((even, odd))
        for message_id, tenant in zip(sent, tenants[number::2], strict=True)
    }


def test_organizations_are_spread_over_the_shards(tenants: list[Tenant]) -> None:
    assert Counter(tenant.shard for tenant in tenants) == dict.fromkeys(range(SHARDS), EACH)


def test_every_operation_works_for_tenants_of_every_shard(walked: dict[str, Tenant]) -> None:
    assert len(walked) == SHARDS * EACH


def test_every_tenant_gets_its_own_webhooks_and_no_others(walked: dict[str, Tenant]) -> None:
    for message_id, tenant in walked.items():
        hooks = tenant.receiver.wait_for(
            message_id, "message.sent", "message.delivered", "message.read"
        )
        for hook in [*hooks, *tenant.receiver.hooks]:
            hook.verify(tenant.secret)
        others = walked.keys() - {message_id}
        assert not [other for other in others if tenant.receiver.of(other)]


def test_what_is_pressed_on_a_phone_comes_back_to_its_tenant(
    made: Installation, walked: dict[str, Tenant]
) -> None:
    async def press(gateway: Services) -> None:
        for tenant in walked.values():
            await gateway.simulator.of(tenant.customer.accounts[0]).act(Press(PHONE, "yes"))

    made.with_services(press)

    for message_id, tenant in walked.items():
        answers = wait_for(lambda: received(tenant.receiver))  # noqa: B023 - called at once
        assert [answer["reply_to_message_id"] for answer in answers] == [message_id]


def received(receiver: HookReceiver) -> list[dict[str, object]]:
    return [hook.data for hook in list(receiver.hooks) if hook.type == "message.received"]


def test_every_row_lies_on_its_organizations_shard(
    made: Installation, walked: dict[str, Tenant]
) -> None:
    used: dict[str, set[int]] = {}
    for table in tenant_tables():
        rows = made.rows(
            f"SELECT DISTINCT t.shard, o.shard AS home FROM {table} AS t "  # noqa: S608 - ours
            "JOIN organizations AS o ON o.id = t.organization_id"
        )
        assert [row for row in rows if row["shard"] != row["home"]] == [], table
        used[table] = {row["shard"] for row in rows}
    unused = {table for table, shards in used.items() if shards != set(range(SHARDS))}
    no_test_fills = {
        *("labels", "conversation_labels", "idempotency_keys", "unlogged_events"),
        *("members", "invitations", "removed_accounts", "account_cursors"),
        *("message_expiries", "message_changes", "media", "deleted_events", "message_words"),
        *("account_message_counts", "conversation_notes", "contact_labels", "delivery_queue"),
        "canned_replies",
        "delivery_attempts",
        # A message stands in one of these only while it waits.
        *("message_queue", "message_schedule", "message_claims"),
    }
    assert unused <= no_test_fills


def tenant_tables() -> set[str]:
    folder = CORE
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    return set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)", text)) - NO_TENANT


def test_a_killed_nodes_accounts_of_every_shard_are_taken_over(
    made: Installation, machine: Machine, walked: dict[str, Tenant]
) -> None:
    gone = min(machine.nodes())

    os.kill(gone, signal.SIGKILL)

    wait_for(lambda: len(machine.nodes()) == 2 and gone not in machine.nodes())
    made.wait_until_shared(machine)
    for tenant in walked.values():
        with machine.client(tenant.customer) as client:
            message = Walk(tenant.customer, client).send("+15550100002")
        tenant.receiver.wait_for(message["id"], "message.sent", "message.read", seconds=30)


def test_the_janitor_sweeps_every_shard(
    made: Installation, machine: Machine, walked: dict[str, Tenant], expired: int
) -> None:
    def left() -> int:
        [row] = made.rows("SELECT count(*) AS n FROM idempotency_keys WHERE key = 'old'")
        return int(row["n"])

    wait_for(lambda: left() == 0, 60)
    assert expired >= SHARDS * EACH
