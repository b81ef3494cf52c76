"""Checks of `docs/switching.md`: contacts, groups, labels, webhooks, and the number itself."""

from typing import Any

from acceptance.running_program import wait_for
from heliograph.networks.content import Text
from switching_checks import Checks, conversation, device, group_jid, ids_in, members
from switching_reader import ADA, BRUNO, CLARA, Answer, Reader

NOBODY = "15550109001"
checks = Checks()


# --- contacts --------------------------------------------------------------------------------


@checks.effect_of("Fetch the address book")
def _(reader: Reader, answer: Answer) -> None:
    path = f"/contacts/sync/{answer.json['job_id']}"
    wait_for(lambda: reader.get(path)["status"] == "completed")


@checks.effect_of("Check numbers")
def _(reader: Reader, answer: Answer) -> None:
    exist = {each["phone_number"]: each["exists"] for each in answer.json["contacts"]}
    assert exist == {f"+{ADA}": True, f"+{NOBODY}": False}


@checks.effect_of("List contacts")
def _(reader: Reader, answer: Answer) -> None:
    numbers = {contact["phone_number"] for contact in answer.json["contacts"]}
    assert {f"+{ADA}", f"+{BRUNO}", f"+{CLARA}"} <= numbers


@checks.effect_of("Find a contact")
def _(reader: Reader, answer: Answer) -> None:
    [contact] = answer.json["contacts"]
    assert contact["phone_number"] == f"+{ADA}"


@checks.effect_of("Name a contact")
def _(reader: Reader, answer: Answer) -> None:
    found = reader.get(f"/contacts/{reader.variables['CONTACT']}")
    assert found["display_name"] == "Ada from the choir"


@checks.effect_of("Read a profile picture")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["contact_id"] == reader.variables["CONTACT"]
    assert answer.json["url"].startswith("http")


# --- groups ----------------------------------------------------------------------------------


@checks.effect_of("Make a group", 201)
def _(reader: Reader, answer: Answer) -> None:
    [group] = reader.phone(lambda phones: phones.groups(BRUNO))
    assert (group.remote_jid, group.subject) == (answer.json["group_jid"], "Choir")


@checks.effect_of("List groups")
def _(reader: Reader, answer: Answer) -> None:
    assert ids_in(answer.json["conversations"]) == [reader.variables["GROUP"]]


@checks.effect_of("Read a group")
def _(reader: Reader, answer: Answer) -> None:
    own = device(reader)["phone_number"]
    people = {person["phone_number"]: person["role"] for person in answer.json["participants"]}
    assert people == {f"+{ADA}": "member", f"+{BRUNO}": "member", own: "owner"}


@checks.effect_of("Change a group")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["description"] == "Rehearsals on Tuesdays"
    [group] = reader.phone(lambda phones: phones.groups(BRUNO))
    assert group.subject == "Choir of Lisbon"


@checks.effect_of("Add somebody to a group")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["refused"] == []
    assert f"+{CLARA}" in members(reader)


@checks.effect_of("Remove somebody from a group", 204)
def _(reader: Reader, answer: Answer) -> None:
    assert f"+{CLARA}" not in members(reader)


@checks.effect_of("Mention somebody")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer, group_jid=group_jid(reader))
    assert isinstance(content, Text)
    assert content.mentions == (f"+{BRUNO}",)


@checks.effect_of("Read a group's invite link")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["invite_link"].startswith("https://")


@checks.effect_of("Leave a group")
def _(reader: Reader, answer: Answer) -> None:
    assert reader.phone(lambda phones: phones.groups(BRUNO)) == []  # of the account's groups


@checks.effect_of("Join a group")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["jid"] == group_jid(reader)
    [group] = reader.phone(lambda phones: phones.groups(BRUNO))
    assert group.has_account


# --- labels ----------------------------------------------------------------------------------


def labels(reader: Reader) -> list[str]:
    return [label["name"] for label in conversation(reader)["labels"]]


@checks.effect_of("Make a label", 201)
def _(reader: Reader, answer: Answer) -> None:
    assert (answer.json["name"], answer.json["color"]) == ("Regular", "#ff9900")


@checks.effect_of("List labels")
def _(reader: Reader, answer: Answer) -> None:
    assert ids_in(answer.json["labels"]) == [reader.variables["LABEL"]]


@checks.effect_of("Label a chat")
def _(reader: Reader, answer: Answer) -> None:
    assert labels(reader) == ["Regular"]


@checks.effect_of("List the chats with a label")
def _(reader: Reader, answer: Answer) -> None:
    assert ids_in(answer.json["conversations"]) == [reader.variables["CONVERSATION"]]


@checks.effect_of("Change a label")
def _(reader: Reader, answer: Answer) -> None:
    assert labels(reader) == ["Regular guest"]


@checks.effect_of("Delete a label", 204)
def _(reader: Reader, answer: Answer) -> None:
    assert labels(reader) == []


# --- webhooks --------------------------------------------------------------------------------


def webhooks(reader: Reader) -> list[dict[str, Any]]:
    return list(reader.get("/webhooks/subscriptions")["subscriptions"])


@checks.effect_of("List webhooks")
def _(reader: Reader, answer: Answer) -> None:
    assert ids_in(answer.json["subscriptions"]) == [reader.variables["WEBHOOK"]]


@checks.effect_of("Change a webhook")
def _(reader: Reader, answer: Answer) -> None:
    [webhook] = webhooks(reader)
    assert webhook["header_names"] == ["X-Team"]
    assert webhook["filter"]["chat_type"] == "individual"


@checks.effect_of("Remove a webhook", 204)
def _(reader: Reader, answer: Answer) -> None:
    assert webhooks(reader) == []


@checks.effect_of("Read events without an endpoint")
def _(reader: Reader, answer: Answer) -> None:
    types = {event["type"] for event in answer.json["events"]}
    assert {"message.sent", "message.read", "message.received"} <= types
    assert answer.json["next_cursor"]


# --- the number itself -----------------------------------------------------------------------


@checks.effect_of("List the numbers")
def _(reader: Reader, answer: Answer) -> None:
    assert str(reader.device_id) in ids_in(answer.json["devices"])


@checks.effect_of("Change a number")
def _(reader: Reader, answer: Answer) -> None:
    assert device(reader)["name"] == "Shop, main street"
    assert device(reader)["send_rate"] == 20


@checks.effect_of("Make a key for one number", 201)
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["api_key"].startswith("hg_")
    assert answer.json["chat_account_ids"] == [str(reader.device_id)]


@checks.effect_of("Reconnect", 202)
def _(reader: Reader, answer: Answer) -> None:
    earlier = answer.json["last_connected_at"]
    wait_for(lambda: device(reader)["last_connected_at"] > earlier, 30)


@checks.before("Log out")
def _(reader: Reader) -> None:
    wait_for(lambda: device(reader)["status"] == "connected", 30)


@checks.effect_of("Log out")
def _(reader: Reader, answer: Answer) -> None:
    assert device(reader)["status"] == "logged_out"


@checks.effect_of("Pair by a code", 202)
def _(reader: Reader, answer: Answer) -> None:
    path = f"/devices/{reader.device_id}/pairing"
    wait_for(lambda: reader.get(path)["kind"] == "code")


@checks.effect_of("Remove a number", 204)
def _(reader: Reader, answer: Answer) -> None:
    assert str(reader.device_id) not in ids_in(reader.get("/devices")["devices"])
