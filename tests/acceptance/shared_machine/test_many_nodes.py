"""Nodes that share one database: who owns what, and that every node answers every request.

`serve --nodes` and `--roles` as an operator gives them; each machine here is a `serve` of its own.
"""

import os
import re
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from acceptance.hook_receiver import receiving_hooks
from acceptance.machines import (
    Customer,
    Installation,
    Machine,
    embedded_installation,
    installation,
)
from acceptance.running_program import ANSWERED, BUTTONS, buttons, wait_for
from acceptance.shared_machine.conftest import ACCOUNTS
from acceptance.walk import PHONE, Walk, walk_through
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.networks.phone_actions import Invite

pytestmark = pytest.mark.extra_fault

TAKEN_OVER = 20  # seconds that a killed node's accounts may take to move
AT_ONCE = 8  # seconds, well below the 15 that a lease lasts


@pytest.fixture(scope="module", params=["external", "private"])
def alone(
    request: pytest.FixtureRequest, reachable_dir: Path
) -> Iterator[tuple[Installation, Machine]]:
    """A machine of two nodes that has its database for itself: one outside, and its own."""
    if request.param == "external":
        shared = request.getfixturevalue("shared")
        yield shared, request.getfixturevalue("first")
        return
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o755)  # the private PostgreSQL's user passes through
    with embedded_installation(folder, "--nodes", "2") as (made, machine):
        made.customer("Acme", ACCOUNTS)
        yield made, machine


def is_everybody_connected(machine: Machine, customer: Customer) -> bool:
    answer = httpx.get(
        f"{machine.base_url}/api/v1/devices?status=connected",
        headers=customer.headers,
        timeout=ANSWERED,
    )
    return answer.status_code == 200 and answer.json()["total"] == len(customer.accounts)


def send_through_each_account(machine: Machine, customer: Customer) -> None:
    """A message through every account is read, so that every account has an owner at work."""
    with machine.client(customer) as client:
        walk = Walk(customer, client)
        bodies = [
            buttons(PHONE) | {"chat_account_id": str(account.id)} for account in customer.accounts
        ]
        sent = [walk.post(BUTTONS, body)["message_id"] for body in bodies]
        wait_for(
            lambda: all(walk.get(f"/api/v1/messages/{each}")["status"] == "read" for each in sent),
            30,
        )


def invite(shared: Installation, customer: Customer) -> str:
    async def make(gateway: Services) -> str:
        return await gateway.simulator.of(customer.accounts[0]).act(Invite("Choir", owner=PHONE))

    return shared.with_services(make)


# --- two nodes on one port ---------------------------------------------------------------------


def test_accounts_are_spread_evenly_over_the_nodes_of_a_machine(
    alone: tuple[Installation, Machine],
) -> None:
    made, machine = alone
    made.wait_until_shared(machine)
    assert sum(made.held().values()) >= ACCOUNTS


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_node_that_ends_alone_is_replaced_and_its_successor_gets_its_share(
    alone: tuple[Installation, Machine], number: signal.Signals
) -> None:
    made, machine = alone
    made.wait_until_shared(machine)
    gone = min(machine.nodes())

    os.kill(gone, number)

    wait_for(lambda: made.is_owned_without(gone), TAKEN_OVER)
    wait_for(lambda: len(machine.nodes()) == 2 and gone not in machine.nodes())
    made.wait_until_shared(machine)


def test_every_node_answers_what_only_the_owner_can_do(
    alone: tuple[Installation, Machine],
) -> None:
    """One account has one owner, so that at least one of the two nodes has to ask the other."""
    made, machine = alone
    customer = made.customer("Globex")
    wait_for(lambda: is_everybody_connected(machine, customer), 30)
    with machine.client_of_each_node(customer) as clients:
        assert len(clients) == 2
        for number, (node, client) in enumerate(clients.items()):
            walk = Walk(customer, client)
            message = walk.send(f"+1555010000{number + 1}")
            assert walk.picture(message["contact_id"])["cached"] is False
            assert walk.create_group(f"Group {number}")["subject"] == f"Group {number}"
            assert walk.join_group(invite(made, customer))["name"] == "Choir"
            assert walk.sync_contacts()["contacts_synced_count"] == 12
            assert machine.answered_by(client.get("/api/v1/devices")) == node


def test_several_nodes_that_count_requests_alone_are_told_at_the_start(first: Machine) -> None:
    warnings = [line for line in first.lines() if line["level"] == "warning"]
    assert any("HELIOGRAPH_RATE_LIMIT_URL" in line["event"] for line in warnings)


# --- machines that come and go -----------------------------------------------------------------


def test_a_node_that_joins_gets_its_share_and_gives_it_back_at_once_when_it_leaves(
    shared: Installation, first: Machine, acme: Customer
) -> None:
    with shared.machine() as second:
        shared.wait_until_shared(first, second)
        wait_for(lambda: is_everybody_connected(first, acme), 30)

        second.stop()

        shared.wait_until_shared(first, seconds=AT_ONCE)
    wait_for(lambda: is_everybody_connected(first, acme), 30)
    send_through_each_account(first, acme)


# --- roles -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def apart(
    postgres_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Installation, Machine, Machine, Machine]]:
    """Three machines, each with one role: api, sessions, deliveries."""
    with (
        installation(postgres_url, template_database, tmp_path_factory.mktemp("apart")) as made,
        made.machine("--roles", "api") as api,
        made.machine("--roles", "sessions", roles="api") as sessions,
        made.machine(roles="deliveries") as deliveries,
    ):
        yield made, api, sessions, deliveries


def test_machines_with_one_role_each_do_everything_together(
    apart: tuple[Installation, Machine, Machine, Machine],
) -> None:
    made, api, sessions, deliveries = apart
    customer = made.customer("Hooli")
    wait_for(lambda: is_everybody_connected(api, customer), 30)
    with receiving_hooks() as receiver:
        subscribe(made, customer, receiver.url)
        wait_for(lambda: made.held("webhook").keys() == deliveries.nodes())
        assert made.held("account").keys() == sessions.nodes()

        with api.client(customer) as client:
            message_id = walk_through(customer, client, invite(made, customer))

        receiver.wait_for(str(message_id), "message.sent", "message.delivered", "message.read")
        # an attempt is counted once its answer has been read, which the receiver has just given
        wait_for(lambda: posted(made, deliveries) >= 3)
    assert posted(made, api) == posted(made, sessions) == 0


def test_a_machine_without_the_api_says_so_and_can_be_watched(
    apart: tuple[Installation, Machine, Machine, Machine],
) -> None:
    made, api, *others = apart
    customer = made.customer("Initech")
    for machine in others:
        for path in ("/api/v1/devices", "/docs", "/media/x"):
            refused = httpx.get(machine.base_url + path, headers=customer.headers)
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
            assert refused.json()["maybe_stored"] is False
            assert int(refused.headers["retry-after"]) > 0
        for path in ("/healthz", "/readyz", "/metrics"):
            assert httpx.get(machine.base_url + path).status_code == 200
    assert httpx.get(api.base_url + "/docs").status_code == 200


def subscribe(made: Installation, customer: Customer, url: str) -> UUID:
    async def create(gateway: Services) -> UUID:
        created = await gateway.webhooks.create(
            operator(customer.organization.tenant), url, ["message.*"]
        )
        return created.webhook.id

    return made.with_services(create)


def posted(made: Installation, machine: Machine) -> float:
    """How many webhooks the nodes of this machine have delivered."""
    form = r'^heliograph_webhook_attempts_total{outcome="delivered"} (.+)$'
    pages = made.metrics(machine)
    return sum(float(each) for page in pages for each in re.findall(form, page, re.MULTILINE))
