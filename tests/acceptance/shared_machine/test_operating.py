"""What an operator decides for tenants, on a running gateway of two nodes."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import msgspec
import pytest

from acceptance.hook_receiver import HookReceiver, receiving_hooks
from acceptance.machines import Customer, Installation, Machine, installation
from acceptance.running_program import ANSWERED, BUTTONS, buttons, wait_for
from acceptance.walk import PHONE
from heliograph.core.accounts.devices import DeviceUpdate
from heliograph.core.accounts.warm_up import FIRST_DAY
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.core.tenants.plans import PRO, UNLIMITED
from heliograph.errors import ConfigurationError
from heliograph.networks.content import Text

QUOTA = 7
OVER = 5


@pytest.fixture
def receiver() -> Iterator[HookReceiver]:
    with receiving_hooks() as receiver:
        yield receiver


def connected(shared: Installation, first: Machine, name: str) -> Customer:
    customer = shared.customer(name)

    def is_connected() -> bool:
        devices = httpx.get(
            f"{first.base_url}/api/v1/devices", headers=customer.headers, timeout=ANSWERED
        ).json()
        return [each["status"] for each in devices["devices"]] == ["connected"]

    wait_for(is_connected, 60)
    return customer


def change(shared: Installation, customer: Customer, update: DeviceUpdate) -> None:
    principal, [account] = operator(customer.organization.tenant), customer.accounts
    shared.with_services(lambda gateway: gateway.devices.change(principal, account.id, update))


def statuses(shared: Installation, customer: Customer) -> list[str]:
    rows = shared.rows(
        "SELECT status FROM messages WHERE organization_id = $1 ORDER BY seq",
        customer.organization.id,
    )
    return [row["status"] for row in rows]


def actions(shared: Installation, customer: Customer) -> list[str]:
    rows = shared.rows(
        "SELECT action FROM audit_entries WHERE organization_id = $1 ORDER BY seq",
        customer.organization.id,
    )
    return [row["action"] for row in rows]


def test_two_nodes_accept_as_many_messages_as_the_plan_has_and_say_when_it_resets(
    shared: Installation, first: Machine
) -> None:
    shared.with_services(lambda gateway: gateway.plans.put("small", {"messages_per_day": QUOTA}))
    customer = shared.customer("Small", plan="small")
    with first.client_of_each_node(customer) as clients:
        answers = [
            client.post(BUTTONS, json=buttons(PHONE))
            for _ in range(QUOTA)
            for client in clients.values()
        ]
    assert [answer.status_code for answer in answers] == [200] * QUOTA + [429] * QUOTA
    refusal: dict[str, Any] = answers[-1].json()
    assert (refusal["code"], refusal["limit"], refusal["value"]) == (
        "plan_limit_reached",
        "messages_per_day",
        QUOTA,
    )
    assert datetime.fromisoformat(refusal["resets_at"]).hour == 0
    assert len(statuses(shared, customer)) == QUOTA

    shared.with_services(lambda gateway: gateway.organizations.change_plan("Small", UNLIMITED))

    def is_accepted() -> bool:
        answer = httpx.post(first.base_url + BUTTONS, json=buttons(PHONE), headers=customer.headers)
        return answer.status_code == 200

    wait_for(is_accepted, 3)
    assert actions(shared, customer)[-1] == "plan_changed"


def test_a_new_number_sends_its_allowance_and_the_rest_waits(
    shared: Installation, first: Machine
) -> None:
    customer = connected(shared, first, "New number")
    change(shared, customer, DeviceUpdate(auto_warmer_enabled=True))
    with first.client(customer) as client:
        for number in range(FIRST_DAY + OVER):
            client.post(BUTTONS, json=buttons(f"+1555010{number:04}")).raise_for_status()
        wait_for(lambda: statuses(shared, customer).count("queued") == OVER)
        wait_for(lambda: statuses(shared, customer).count("read") == FIRST_DAY)
        [device] = client.get("/api/v1/devices").json()["devices"]
    assert device["auto_warmer_enabled"] is True
    assert device["total_messages_sent"] == FIRST_DAY
    change(shared, customer, DeviceUpdate(auto_warmer_enabled=False))
    wait_for(lambda: statuses(shared, customer).count("read") == FIRST_DAY + OVER)


def test_what_is_not_kept_is_told_and_not_stored(
    shared: Installation, first: Machine, receiver: HookReceiver
) -> None:
    customer = connected(shared, first, "Discreet")
    principal = operator(customer.organization.tenant)
    shared.with_services(lambda gateway: gateway.webhooks.create(principal, receiver.url))
    change(shared, customer, DeviceUpdate(message_logging_enabled=False))
    answer = httpx.post(first.base_url + BUTTONS, json=buttons(PHONE), headers=customer.headers)
    [sent] = [
        hook
        for hook in receiver.wait_for(answer.json()["message_id"], "message.sent")
        if hook.type == "message.sent"
    ]
    assert sent.data["content"]
    record = httpx.get(
        f"{first.base_url}/api/v1/messages/{answer.json()['message_id']}",
        headers=customer.headers,
    ).json()
    assert (record["content"], record["message_type"]) == ("", "buttons")


def test_a_scheduled_message_starts_on_time(shared: Installation, first: Machine) -> None:
    customer = connected(shared, first, "Punctual")
    message_id, at = schedule(shared, customer, 8)
    assert statuses(shared, customer) == ["scheduled"]
    wait_for(lambda: statuses(shared, customer) == ["read"], 30)
    [row] = shared.rows("SELECT queued_at, sent_at FROM messages WHERE id = $1", message_id)
    assert timedelta(0) <= row["queued_at"] - at < timedelta(seconds=1)


def schedule(shared: Installation, customer: Customer, seconds: float) -> tuple[UUID, datetime]:
    principal = operator(customer.organization.tenant)

    async def work(gateway: Services) -> tuple[UUID, datetime]:
        at = gateway.database.clock.now() + timedelta(seconds=seconds)
        request = SendMessage(SendTo(PHONE), Text("Later"), "run_1", scheduled_for=at)
        accepted = await gateway.messages.send(principal, request, None)
        return UUID(msgspec.json.decode(accepted.body)["message_id"]), at

    return shared.with_services(work)


@pytest.mark.extra_fault
def test_a_schedule_outlives_the_nodes(
    postgres_url: str, template_database: str, tmp_path: Path
) -> None:
    with installation(postgres_url, template_database, tmp_path) as alone:
        with alone.machine() as first:
            customer = connected(alone, first, "Patient")
            message_id, at = schedule(alone, customer, 30)
            first.kill()
        with alone.machine():
            wait_for(lambda: statuses(alone, customer) == ["read"], 90)
        [row] = alone.rows("SELECT queued_at FROM messages WHERE id = $1", message_id)
        assert timedelta(0) <= row["queued_at"] - at < timedelta(seconds=1)


def test_what_is_too_old_goes_and_the_statistics_stay(shared: Installation, first: Machine) -> None:
    customer = connected(shared, first, "Old")
    with first.client(customer) as client:
        client.post(BUTTONS, json=buttons(PHONE)).raise_for_status()
        wait_for(lambda: statuses(shared, customer) == ["read"])
        before = client.get("/api/v1/messages/stats/summary").json()
        shared.rows(
            "UPDATE messages SET updated_at = now() - interval '400 days', "
            "id = ('01800000' || substr(id::text, 9))::uuid WHERE organization_id = $1",
            customer.organization.id,
        )
        shared.with_services(lambda gateway: gateway.organizations.change_plan("Old", PRO))
        wait_for(lambda: is_cleaned_up(shared), every=1)
        assert statuses(shared, customer) == []
        assert client.get("/api/v1/messages/stats/summary").json() == before
    assert before["total"] == 1


def is_cleaned_up(shared: Installation) -> bool:
    """Whether it has been cleaned up now; not while a machine does that by itself."""
    try:
        shared.with_services(lambda gateway: gateway.retention.clean_up_now())
    except ConfigurationError:
        return False
    return True


def test_who_did_what_is_known(shared: Installation, first: Machine) -> None:
    customer = connected(shared, first, "Watched")
    told = ["organization_created", "account_created", "key_created", "account_paired"]
    assert sorted(actions(shared, customer)) == sorted(told)
