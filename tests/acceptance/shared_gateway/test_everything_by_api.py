"""What a backend does in a day, over HTTP alone, with a virtual phone at the other end."""

import struct
from typing import Any

import httpx

from acceptance.hook_receiver import Subscribed
from acceptance.running_program import Program, wait_for
from later import in_a_month

MESSAGES = "/api/v1/messages"
PNG = (
    b"\x89PNG\r\n\x1a\n"
    + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 1, 1, 8, 2, 0, 0, 0)
    + b"\0" * 100_000
)


def send(program: Program, content: dict[str, Any], **more: object) -> str:
    """Send to the phone; the message's id, once it is read there."""
    answer = program.ask(
        "POST", MESSAGES, json={"phone_number": program.phone, "content": content} | more
    )
    assert answer.status_code == 200, answer.text
    message_id = str(answer.json()["message_id"])
    program.wait_for_status(message_id, "read")
    return message_id


def done(answer: httpx.Response, *statuses: int) -> dict[str, Any]:
    assert answer.status_code in (statuses or (200,)), answer.text
    body: dict[str, Any] = answer.json() if answer.content else {}
    return body


def test_a_file_travels_from_the_upload_to_the_phone(program: Program, hooks: Subscribed) -> None:
    uploaded = program.ask(
        "POST",
        "/api/v1/media?file_name=menu.png",
        content=PNG,
        headers={"Content-Type": "image/png"},
    )
    media = done(uploaded, 201)
    assert httpx.get(media["url"]).content == PNG
    content = {"type": "image", "media_id": media["id"], "caption": "Tonight"}
    message_id = send(program, content)
    hook = hooks.receiver.wait_for(message_id, "message.read")[-1]
    assert hook.data["typed_content"]["size"] == len(PNG)
    assert "Tonight" in program.cli("sandbox", "receive", program.phone)


def test_a_list_is_answered_and_the_answer_names_it(program: Program, hooks: Subscribed) -> None:
    rows = [{"id": "t", "title": "Tuesday"}, {"id": "w", "title": "Wednesday"}]
    content = {"type": "list", "body": "When?", "button": "Days", "sections": [{"rows": rows}]}
    message_id = send(program, content, metadata={"order": "A-1"})
    program.cli("sandbox", "choose", program.phone, "w")
    reply = wait_for(
        lambda: next(
            (
                hook.data
                for hook in list(hooks.receiver.hooks)
                if hook.type == "message.received"
                and hook.data["reply_to_message_id"] == message_id
            ),
            None,
        )
    )
    assert reply["typed_content"] == {
        "type": "list_reply",
        "id": "w",
        "title": "Wednesday",
        "description": None,
    }
    asked = program.get(f"{MESSAGES}/{message_id}")
    assert asked["metadata"] == {"order": "A-1"}


def test_a_message_is_edited_reacted_to_quoted_and_taken_back(
    program: Program, hooks: Subscribed
) -> None:
    message_id = send(program, {"type": "text", "body": "At eight?"})
    path = f"{MESSAGES}/{message_id}"
    edit = {"content": {"type": "text", "body": "At nine?"}}
    done(program.ask("PATCH", path, json=edit), 202)
    done(program.ask("PUT", f"{path}/reaction", json={"emoji": "👍"}), 202)
    hooks.receiver.wait_for(message_id, "message.reaction")
    message = program.get(path)
    assert message["content"] == "At nine?"
    assert message["edited_at"]
    assert [reaction["emoji"] for reaction in message["reactions"]] == ["👍"]
    answer = {"type": "text", "body": "Well, at ten"}
    reply_id = send(program, answer, reply_to_message_id=message_id)
    assert program.get(f"{MESSAGES}/{reply_id}")["reply_to_message_id"] == message_id
    done(program.ask("DELETE", path), 202)
    hooks.receiver.wait_for(message_id, "message.deleted")
    assert program.get(path)["deleted_at"]


def test_a_scheduled_message_is_canceled(program: Program, hooks: Subscribed) -> None:
    body = {
        "phone_number": program.phone,
        "content": {"type": "text", "body": "Later"},
        "scheduled_for": in_a_month(),
    }
    message_id = done(program.ask("POST", MESSAGES, json=body))["message_id"]
    canceled = done(program.ask("POST", f"{MESSAGES}/{message_id}/cancel"))
    assert canceled["status"] == "canceled"
    hooks.receiver.wait_for(message_id, "message.canceled")


def test_a_group_is_managed(program: Program) -> None:
    body = {
        "chat_account_id": program.account_id,
        "subject": "Choir",
        "participants": [program.phone],
    }
    made = done(program.ask("POST", "/api/v1/conversations/groups", json=body), 201)
    path = f"/api/v1/groups/{made['conversation_id']}"
    added = program.ask("POST", f"{path}/participants", json={"participants": ["+1 555 010 0002"]})
    [jid] = done(added)["added"]
    renamed = program.ask("PATCH", path, json={"subject": "Choir II", "description": "Altos"})
    group = done(renamed)
    assert (group["subject"], group["description"]) == ("Choir II", "Altos")
    assert done(program.ask("PATCH", path, json={})) == group
    assert program.ask("PATCH", path, json={"subject": None}).status_code == 422
    assert program.ask("PATCH", path, json={"subject": "X", "description": None}).status_code == 422
    assert done(program.ask("PATCH", path, json={"description": ""}))["description"] == ""
    assert jid in {participant["jid"] for participant in group["participants"]}
    assert done(program.ask("DELETE", f"{path}/participants/{jid}"), 204) == {}
    remaining = done(program.ask("GET", path))["participants"]
    assert jid not in {participant["jid"] for participant in remaining}
    again = program.ask("DELETE", f"{path}/participants/{jid}")
    assert (again.status_code, again.json()["code"]) == (404, "not_found")
    both = {"participants": ["+5511977776601", "551177776601@SANDBOX"]}
    done(program.ask("POST", f"{path}/participants", json=both))
    assert done(program.ask("DELETE", f"{path}/participants/+551177776601"), 204) == {}
    assert done(program.ask("GET", path))["participants"] == remaining
    assert done(program.ask("GET", f"{path}/invite-link"))["invite_link"].startswith("https://")
    assert done(program.ask("POST", f"{path}/leave")) == {"success": True}


def test_numbers_are_checked_and_typing_is_shown(program: Program) -> None:
    numbers = {"phone_numbers": [program.phone, "+1 555 010 9001"]}
    checked = done(program.ask("POST", "/api/v1/contacts/check", json=numbers))["contacts"]
    assert [number["exists"] for number in checked] == [True, False]
    message_id = send(program, {"type": "text", "body": "Hello"})
    conversation = program.get(f"{MESSAGES}/{message_id}")["conversation_id"]
    typing = program.ask("POST", f"/api/v1/conversations/{conversation}/typing", json={})
    assert done(typing) == {"success": True}


def test_what_was_said_is_found_by_a_word(program: Program) -> None:
    message_id = send(program, {"type": "text", "body": "The Zwetschgenkuchen is ready"})
    conversation = program.get(f"{MESSAGES}/{message_id}")["conversation_id"]

    def found() -> list[str] | None:
        page = done(program.ask("GET", f"{MESSAGES}?search=zwetschgen"))
        return [each["id"] for each in page["messages"]] or None

    assert wait_for(found, 30) == [message_id]
    history = program.get(f"{MESSAGES}/{message_id}/history")
    assert history["explanation"]
    read = program.ask("POST", f"/api/v1/conversations/{conversation}/read")
    assert done(read)["unread_count"] == 0
