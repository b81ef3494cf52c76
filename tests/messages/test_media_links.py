"""Links to files end, so each reading of a message makes its own."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from demo_phone import act
from heliograph.core.events.payload_sql import unpack
from heliograph.core.messages.model import Message
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, operator
from heliograph.networks.phone_actions import Offline, Online
from live_gateway import LiveGateway
from waiting import wait_until

pytest_plugins = ("live_fixtures",)
BUTTONS = "/api/v1/messages/send/interactive/buttons"
FILE = b"a menu"


async def demo_of(running: Services) -> Principal:
    [organization] = await running.organizations.list()
    return operator(organization.tenant)


@pytest.fixture(scope="module")
def message_id(gateway: LiveGateway) -> UUID:
    """A sent message whose file is there, and whose stored link has ended; its person is away."""
    phone = gateway.demo.contact_phone
    act(gateway, Offline(phone))
    body = {"phone_number": phone, "body": "Well?", "buttons": [{"id": "yes", "title": "Yes"}]}
    answer = httpx.post(
        f"{gateway.base_url}{BUTTONS}", json=body, headers=gateway.headers, timeout=60
    )
    found = UUID(answer.json()["message_id"])
    wait_until(lambda: record(gateway, found)["status"] == "sent")

    async def give_file(running: Services) -> str:
        principal = await demo_of(running)
        good = await running.media.store_file(principal.tenant, FILE)
        key = good.partition("/media/")[2].partition("?")[0]
        ended = running.media.link(key, timedelta(hours=-1))
        await running.database.pool.execute(
            "UPDATE messages SET media_url = $1 WHERE id = $2", ended, found
        )
        return ended

    assert httpx.get(gateway.run(give_file), timeout=60).status_code == 404
    return found


def record(gateway: LiveGateway, message_id: UUID) -> dict[str, Any]:
    url = f"{gateway.base_url}/api/v1/messages/{message_id}"
    return dict(httpx.get(url, headers=gateway.headers, timeout=60).json())


def leads_to_the_file(link: str | None) -> bool:
    return link is not None and httpx.get(link, timeout=60).content == FILE


def test_a_message_that_is_read_has_a_link_that_works(
    gateway: LiveGateway, message_id: UUID
) -> None:
    assert leads_to_the_file(record(gateway, message_id)["media_url"])


def test_so_has_one_in_a_conversation(gateway: LiveGateway, message_id: UUID) -> None:
    async def read(running: Services) -> Sequence[Message]:
        principal = await demo_of(running)
        page = await running.inbox.list(principal)
        thread = await running.inbox.thread(principal, page.conversations[0].id)
        return [message.message for message in thread.messages]

    [link] = [message.media_url for message in gateway.run(read) if message.id == message_id]
    assert leads_to_the_file(link)


def test_so_has_an_event_that_is_told_later(gateway: LiveGateway, message_id: UUID) -> None:
    async def told(running: Services) -> list[bytes]:
        rows = await running.database.pool.fetch(
            "SELECT payload FROM events WHERE message_id = $1 AND type = 'message.delivered'",
            message_id,
        )
        return [unpack(row["payload"]) for row in rows]

    act(gateway, Online(gateway.demo.contact_phone))
    wait_until(lambda: bool(gateway.run(told)))
    [payload] = gateway.run(told)
    assert leads_to_the_file(json.loads(payload)["data"]["media_url"])


@pytest.mark.parametrize(
    "link",
    [
        None,
        "https://elsewhere.example/menu",
        "http://test/media/files/00000000-0000-0000-0000-000000000001/2026-01-01/a?expires=1",
        "http://test/media/pictures/a.jpg?expires=1&signature=x",
    ],
)
def test_what_is_no_link_to_a_file_of_its_organization_is_left_as_it_is(
    gateway: LiveGateway, link: str | None
) -> None:
    async def renewed(running: Services) -> str | None:
        principal = await demo_of(running)
        return running.media.renew_link(principal.tenant, link)

    assert gateway.run(renewed) == link
