"""Phone numbers as people paste them, at every door of the API: one reader has the same answer."""

from typing import Any
from uuid import UUID

import pytest

from api_scene import Scene, buttons, group_of
from inbox_rows import insert_contact, insert_conversation

NUMBER = "+442079460958"
PASTED = [
    "\u202a+44 20 7946 0958\u202c",
    "\u200e+442079460958",
    "+44 (0)20 7946 0958",
    "0044 20 7946 0958",
    "\uff0b\uff14\uff14 20\u201379460958",
    "+\u0664\u0664 20/7946/0958",
    "tel:+44-20-7946-0958",
]
UNCLEAR = ["020 7946 0958", "+442079460958 ext 5", "+44 20 HELLO", "+44 20 7946 0958/59"]
TEXT = {"type": "text", "body": "Hello"}
INSERT_ADDRESS = """
INSERT INTO contact_addresses (shard, organization_id, network, remote_jid, contact_id, created_at)
VALUES ($1, $2, 'sandbox', $3, $4, now())
"""


async def send(scene: Scene, number: str, content: object = TEXT) -> dict[str, Any]:
    body = {"phone_number": number, "content": content}
    sent = await scene.as_acme("POST", "/api/v1/messages", json=body)
    assert sent.status_code == 200, sent.text
    message_id = sent.json()["message_id"]
    record: dict[str, Any] = (await scene.as_acme("GET", f"/api/v1/messages/{message_id}")).json()
    return record


@pytest.mark.parametrize("pasted", PASTED)
async def test_a_number_names_the_same_person_at_every_door(scene: Scene, pasted: str) -> None:
    sent = await send(scene, pasted)
    card = {"type": "contact", "name": "Ana", "phones": [pasted]}
    carded = await send(scene, "+15550100001", card)
    named = await send(scene, NUMBER, TEXT | {"mentions": [pasted]})
    listed = await scene.as_acme("GET", "/api/v1/messages", params={"phone_number": pasted})

    assert sent["phone_number"] == NUMBER
    assert "waid=442079460958:+442079460958" in carded["typed_content"]["vcard"]
    assert named["typed_content"]["mentions"] == [NUMBER]
    assert [each["id"] for each in listed.json()["messages"]] == [named["id"], sent["id"]]
    for path in ("conversations", "contacts"):
        found = await scene.as_acme("GET", f"/api/v1/{path}", params={"phone_number": pasted})
        assert (found.status_code, found.json()[path]) == (200, [])


@pytest.mark.parametrize("unclear", UNCLEAR)
async def test_what_is_unclear_is_refused_at_every_door_and_named(
    scene: Scene, unclear: str
) -> None:
    await scene.set_connected(scene.acme.account)
    card = {"type": "contact", "name": "Ana", "phones": [unclear]}
    bodies: dict[str, dict[str, Any]] = {
        "messages": {"phone_number": unclear, "content": TEXT},
        "messages/send/interactive/buttons": buttons(phone_number=unclear),
        "contacts/check": {"phone_numbers": [unclear]},
        "conversations/groups": group_of(scene.acme.account, participants=[unclear]),
    }
    answers = [
        await scene.as_acme("POST", f"/api/v1/{path}", json=body)
        for path, body in (
            *bodies.items(),
            ("messages", {"phone_number": NUMBER, "content": card}),
        )
    ]
    answers += [
        await scene.as_acme("GET", f"/api/v1/{path}", params={"phone_number": unclear})
        for path in ("messages", "conversations", "contacts")
    ]

    for answer in answers:
        assert answer.status_code == 422, answer.text
        assert repr(unclear) in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize(
    "given",
    ["15550100007@sandbox", "15550100007@SANDBOX", "+15550100007@Sandbox", " 15550100007@sandbox "],
)
async def test_a_jid_names_the_same_person_in_any_case(scene: Scene, given: str) -> None:
    contact = await insert_contact(scene, "+15550100007", "Ana")
    jid = "15550100007@sandbox"
    await insert_conversation(scene, jid, contact_id=contact)
    await scene.database.pool.execute(INSERT_ADDRESS, *scene.acme.organization.tenant, jid, contact)

    sent = await send(scene, given)
    found = {
        (path, name): (await scene.as_acme("GET", f"/api/v1/{path}", params={name: given})).json()
        for path, name in (
            ("messages", "phone_number"),
            ("conversations", "phone_number"),
            ("conversations", "search"),
        )
    }

    assert (sent["phone_number"], sent["contact_name"]) == ("+15550100007", "Ana")
    assert {key: len(answer[key[0]]) for key, answer in found.items()} == dict.fromkeys(found, 1)


@pytest.mark.parametrize("given", ["+551177776601", "551177776601@sandbox"])
async def test_a_message_to_the_other_form_of_a_number_is_shown_with_its_contact(
    scene: Scene, given: str
) -> None:
    contact = await insert_contact(scene, "+5511977776601", "Ana")
    jid = "5511977776601@sandbox"
    conversation = await insert_conversation(scene, jid, contact_id=contact)
    await scene.database.pool.execute(INSERT_ADDRESS, *scene.acme.organization.tenant, jid, contact)

    sent = await send(scene, given)
    history = await scene.services.message_history.get(scene.acme.principal, UUID(sent["id"]))

    assert (sent["contact_id"], sent["contact_name"]) == (str(contact), "Ana")
    for form in (given, given.replace("551177776601", "5511977776601")):
        query = {"phone_number": form}
        listed = (await scene.as_acme("GET", "/api/v1/messages", params=query)).json()
        assert [each["id"] for each in listed["messages"]] == [sent["id"]]
        found = (await scene.as_acme("GET", "/api/v1/conversations", params=query)).json()
        assert [each["id"] for each in found["conversations"]] == [str(conversation)]
    assert history.conversation_id == conversation


@pytest.mark.parametrize(
    "part",
    ["+44 (0)20", "+44 020 7", "0044", "0044 20", "(0)20 7946", "020 7946 0958", "+44 20", "0958"],
)
async def test_a_part_of_a_number_finds_it_as_people_dial_it(scene: Scene, part: str) -> None:
    contact = await insert_contact(scene, NUMBER, "Ana")
    await insert_contact(scene, "+15550100001", "Bob")
    await insert_conversation(scene, "442079460958@sandbox", contact_id=contact)
    for path in ("contacts", "conversations"):
        found = await scene.as_acme("GET", f"/api/v1/{path}", params={"search": part})
        assert [each["phone_number"] for each in found.json()[path]] == [NUMBER], path
