"""What a dead node owned is at work again at once, because whoever reaps it ends its leases.

The clock can't do it here: the lease of who is killed is made to last for an hour.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from acceptance.hook_receiver import HookReceiver, receiving_hooks
from acceptance.machines import Customer, Installation, Machine, embedded_installation, installation
from acceptance.running_program import BUTTONS, buttons, wait_for
from chaos.conftest import Form
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator

ACCOUNTS = 4
PHONE = "+15550100001"
PATIENCE = 60  # seconds, for a machine with much else to do; a lease here lasts for an hour

pytestmark = [pytest.mark.extra_fault, pytest.mark.timeout(240)]


@dataclass
class Scene:
    made: Installation
    machine: Machine
    customer: Customer
    receiver: HookReceiver

    def lives(self) -> dict[int, UUID]:
        """The id in the database of each process that has one."""
        rows = self.made.rows("SELECT id, name FROM nodes")
        return {int(row["name"].rpartition(":")[2]): row["id"] for row in rows}

    def prolong(self, *processes: int) -> None:
        """Let their leases last for an hour; to be killed or stopped before they renew them."""
        for process in processes:
            self.made.rows(
                "UPDATE nodes SET lease_expires_at = now() + interval '1 hour' WHERE id = $1",
                self.lives()[process],
            )

    def send(self, account: int) -> str:
        """A message's id, once somebody has accepted it."""
        body = buttons(PHONE) | {"chat_account_id": str(self.customer.accounts[account].id)}

        def accepted() -> str | None:
            try:
                answer = httpx.post(
                    self.machine.base_url + BUTTONS, json=body, headers=self.customer.headers
                )
            except httpx.TransportError:
                return None
            return str(answer.json()["message_id"]) if answer.status_code == 200 else None

        return wait_for(accepted, PATIENCE)

    def seconds_to_first_webhook(self) -> float:
        """From now until each account's first has come."""
        began = time.monotonic()
        sent = [self.send(account) for account in range(ACCOUNTS)]
        wait_for(lambda: all(self.receiver.of(message_id) for message_id in sent), PATIENCE)
        first = time.monotonic() - began
        wait_for(lambda: all(self.has_been_read(message_id) for message_id in sent), PATIENCE)
        return first

    def has_been_read(self, message_id: str) -> bool:
        return "message.read" in {hook.type for hook in self.receiver.of(message_id)}


@contextmanager
def playing(made: Installation, machine: Machine) -> Iterator[Scene]:
    customer = made.customer("Acme", ACCOUNTS)
    with receiving_hooks() as receiver:
        made.with_services(lambda gateway: subscribe(gateway, customer, receiver))
        made.wait_until_shared(machine)
        made.wait_until_connected()
        scene = Scene(made, machine, customer, receiver)
        scene.seconds_to_first_webhook()
        yield scene


async def subscribe(gateway: Services, customer: Customer, receiver: HookReceiver) -> None:
    await gateway.webhooks.create(operator(customer.organization.tenant), receiver.url)


def test_the_other_node_takes_over_what_a_killed_one_had(
    postgres_url: str, template_database: str, tmp_path: Path, form: Form
) -> None:
    with (
        installation(postgres_url, template_database, tmp_path) as made,
        made.machine("--nodes", "2") as machine,
        playing(made, machine) as scene,
    ):
        victim, other = sorted(machine.nodes())
        scene.prolong(victim)
        os.kill(victim, signal.SIGKILL)
        seconds = scene.seconds_to_first_webhook()
        assert victim not in scene.lives()
        assert other in machine.nodes()
    form.record("kill -9 of one node of two: first webhook", times=1, seconds=round(seconds, 2))


def test_a_node_alone_goes_on_where_its_predecessor_was_killed(folder: Path, form: Form) -> None:
    with (
        embedded_installation(folder) as (made, machine),
        playing(made, machine) as scene,
    ):
        (victim,) = machine.nodes()
        scene.prolong(victim)
        os.kill(victim, signal.SIGKILL)
        seconds = scene.seconds_to_first_webhook()
    form.record("kill -9 of the only node: first webhook", times=1, seconds=round(seconds, 2))


def test_a_start_on_its_own_database_waits_for_nobody_from_before(folder: Path) -> None:
    with embedded_installation(folder) as (made, machine), playing(made, machine) as scene:
        scene.prolong(*machine.nodes())
        machine.kill()
        data_dir = str(machine.folder / "data")
        with made.machine(DATABASE_URL="", SECRET_KEYS="", DATA_DIR=data_dir) as again:
            scene.machine = again
            scene.seconds_to_first_webhook()


def test_a_node_that_stands_still_is_not_taken_for_dead(
    postgres_url: str, template_database: str, tmp_path: Path
) -> None:
    with (
        installation(postgres_url, template_database, tmp_path) as made,
        made.machine("--nodes", "2") as machine,
        playing(made, machine) as scene,
    ):
        still, victim = sorted(machine.nodes())
        os.kill(still, signal.SIGSTOP)
        try:
            scene.prolong(still, victim)
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda: victim not in scene.lives(), PATIENCE)
            assert still in scene.lives()
            assert made.held()[still] > 0
        finally:
            os.kill(still, signal.SIGCONT)
