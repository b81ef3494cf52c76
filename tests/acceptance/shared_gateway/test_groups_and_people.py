"""Groups, joining, contacts and pictures, on whichever node answers."""

from typing import Any

import httpx
import pytest

import plain_http
from acceptance.hook_receiver import Subscribed
from acceptance.running_program import Program, wait_for

GROUPS = "/api/v1/conversations/groups"
JOIN = "/api/v1/groups/join"
SYNC = "/api/v1/contacts/sync"


def create_group(program: Program, subject: str, *participants: str) -> httpx.Response:
    body = {
        "chat_account_id": program.account_id,
        "subject": subject,
        "participants": list(participants),
    }
    return program.ask("POST", GROUPS, json=body)


def join(program: Program, link: str) -> httpx.Response:
    body = {"session_name": program.demo["session_name"], "invite_link": link}
    return program.ask("POST", JOIN, json=body)


def invite(program: Program, subject: str, *options: str) -> str:
    return program.cli("sandbox", "invite", subject, "--owner", program.phone, *options)


def test_a_group_is_made_and_written_to(program: Program, hooks: Subscribed) -> None:
    made = create_group(program, "Trip to Lisbon", program.phone, "+1 555 010 0002")
    assert made.status_code == 201
    group = made.json()
    conversation = program.get(f"/api/v1/conversations/{group['conversation_id']}")
    assert conversation["is_group"] is True
    assert conversation["group_subject"] == "Trip to Lisbon"
    assert conversation["remote_jid"] == group["group_jid"]

    message_id = program.send(group["group_jid"])

    hooks.receiver.wait_for(message_id, "message.read")
    message = program.get(f"/api/v1/messages/{message_id}")
    assert (message["chat_type"], message["group_name"]) == ("group", "Trip to Lisbon")
    assert message["phone_number"] == group["group_jid"]


def test_groups_are_made_by_every_node(program: Program) -> None:
    answers = [create_group(program, f"Group {number}", program.phone) for number in range(6)]
    assert [answer.status_code for answer in answers] == [201] * 6
    assert len({answer.json()["group_jid"] for answer in answers}) == 6


def test_a_participant_who_is_nobody_is_named(program: Program) -> None:
    refused = create_group(program, "Odd", program.phone, "not a number")
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "participants", 1]


@pytest.mark.parametrize("number", ["+1 555 010 9001", "+1 555 010 9009"])
def test_a_participant_whom_the_network_refuses_is_named(program: Program, number: str) -> None:
    refused = create_group(program, "Odd", program.phone, program.phone, number)
    assert refused.status_code == 422
    [problem] = refused.json()["detail"]
    assert (problem["loc"], problem["input"]) == (["body", "participants", 2], number)


def test_a_group_is_joined_by_its_link_once(program: Program) -> None:
    link = invite(program, "Book club")
    joined = join(program, link)
    assert joined.status_code == 200
    assert joined.json()["name"] == "Book club"
    assert joined.json()["owner_jid"].startswith(program.phone.removeprefix("+"))
    assert joined.json()["group_created"].endswith("Z")
    again = join(program, link)
    assert (again.status_code, again.json()["code"]) == (409, "already_in_group")


def test_a_revoked_link_and_one_that_needs_approval(program: Program) -> None:
    revoked = invite(program, "Closed")
    program.cli("sandbox", "revoke", revoked)
    guarded = invite(program, "Guarded", "--approval")
    answers = [join(program, revoked), join(program, guarded), join(program, "what link?")]
    assert [answer.status_code for answer in answers] == [410, 409, 422]
    assert answers[1].json()["code"] == "approval_required"


def test_contacts_are_synchronized(program: Program) -> None:
    started = program.ask("POST", SYNC, json={"chat_account_id": program.account_id})
    assert started.status_code == 200
    assert started.json()["status"] in ("pending", "running")

    def synced() -> dict[str, Any] | None:
        device = program.get("/api/v1/devices")["devices"][0]
        return device if device["last_contact_sync_status"] == "completed" else None

    assert wait_for(synced)["contacts_synced_count"] == 12


@pytest.mark.parametrize("preview", [False, True])
def test_a_profile_picture_is_fetched_then_kept(program: Program, preview: bool) -> None:
    message = program.wait_for_status(program.send(), "read")
    path = f"/api/v1/contacts/{message['contact_id']}/profile-picture?preview={preview}".lower()
    first, second = program.get(path), program.get(path)
    assert first["picture_type"] == ("preview" if preview else "image")
    assert (first["cached"], second["cached"]) == (False, True)
    picture = plain_http.get(second["url"])
    assert picture.status_code == 200
    assert picture.headers["content-type"].startswith("image/")


def test_somebody_without_a_picture(program: Program) -> None:
    message = program.wait_for_status(program.send("+15550109011"), "read")
    answer = program.ask("GET", f"/api/v1/contacts/{message['contact_id']}/profile-picture")
    assert (answer.status_code, answer.json()["code"]) == (404, "picture_not_found")


def test_messages_are_sent_through_every_node(program: Program, hooks: Subscribed) -> None:
    message_ids = [program.send(f"+1555011{number:04}") for number in range(20)]
    for message_id in message_ids:
        hooks.receiver.wait_for(message_id, "message.sent", "message.delivered", "message.read")
