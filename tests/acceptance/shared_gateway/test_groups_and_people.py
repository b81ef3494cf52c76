"""Groups and joining, on whichever node answers, and somebody without a picture."""

import httpx
import pytest

from acceptance.hook_receiver import Subscribed
from acceptance.running_program import Program

GROUPS = "/api/v1/conversations/groups"
JOIN = "/api/v1/groups/join"


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


def test_somebody_without_a_picture(program: Program) -> None:
    message = program.wait_for_status(program.send("+15550109011"), "read")
    answer = program.ask("GET", f"/api/v1/contacts/{message['contact_id']}/profile-picture")
    assert (answer.status_code, answer.json()["code"]) == (404, "picture_not_found")
