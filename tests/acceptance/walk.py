"""All ten operations of the API, one after the other, as one customer's backend calls them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx

from acceptance.machines import Customer
from acceptance.running_program import BUTTONS, buttons, wait_for

GROUPS = "/api/v1/conversations/groups"
JOIN = "/api/v1/groups/join"
SYNC = "/api/v1/contacts/sync"
STATS = "/api/v1/messages/stats/summary"
EVENTS = "/api/v1/webhooks/subscriptions/events"
PHONE = "+15550100001"


@dataclass
class Walk:
    """A customer's way through the API over one connection."""

    customer: Customer
    client: httpx.Client

    @property
    def account_id(self) -> str:
        return str(self.customer.accounts[0].id)

    def get(self, path: str) -> dict[str, Any]:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def post(self, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def send(self, phone: str = PHONE) -> dict[str, Any]:
        """The message, once it was read on the phone."""
        message_id = self.post(BUTTONS, buttons(phone))["message_id"]

        def read() -> dict[str, Any] | None:
            message = self.get(f"/api/v1/messages/{message_id}")
            return message if message["status"] == "read" else None

        return wait_for(read, 20)

    def create_group(self, subject: str) -> dict[str, Any]:
        body = {"chat_account_id": self.account_id, "subject": subject, "participants": [PHONE]}
        return self.post(GROUPS, body, 201)

    def join_group(self, link: str) -> dict[str, Any]:
        session_name = self.customer.accounts[0].session_name
        return self.post(JOIN, {"session_name": session_name, "invite_link": link})

    def sync_contacts(self) -> dict[str, Any]:
        """The account's device, once its address book has been fetched."""
        self.post(SYNC, {"chat_account_id": self.account_id})

        def synced() -> dict[str, Any] | None:
            [device] = self.get("/api/v1/devices")["devices"]
            return device if device["last_contact_sync_status"] == "completed" else None

        return wait_for(synced, 20)

    def picture(self, contact_id: str) -> dict[str, Any]:
        return self.get(f"/api/v1/contacts/{contact_id}/profile-picture")


def walk_through(customer: Customer, client: httpx.Client, link: str) -> UUID:
    """Every operation once, each answer looked at; the id of the message that was sent.

    `link` invites into a group called Choir, which nobody has joined yet.
    """
    walk = Walk(customer, client)
    message = walk.send()
    assert message["chat_account_id"] == walk.account_id
    assert walk.picture(message["contact_id"])["contact_id"] == message["contact_id"]
    group = walk.create_group("Trip to Lisbon")
    conversation = walk.get(f"/api/v1/conversations/{group['conversation_id']}")
    assert conversation["group_subject"] == "Trip to Lisbon"
    assert conversation["chat_account_id"] == walk.account_id
    assert walk.join_group(link)["name"] == "Choir"
    device = walk.sync_contacts()
    assert (device["id"], device["contacts_synced_count"]) == (walk.account_id, 12)
    stats = walk.get(STATS)
    assert (stats["total"], stats["outbound_by_status"]["read"]) == (1, 1)
    assert {event["event_type"] for event in walk.get(EVENTS)["events"]} >= {"message.sent"}
    return UUID(message["id"])
