"""`POST /messages`: every kind of content, to whom, and what is refused."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from api_scene import Scene
from each_case import for_each
from heliograph.networks.content import (
    Buttons,
    ContactCard,
    Content,
    LinkButton,
    ListMessage,
    Location,
    LocationRequest,
    Poll,
    decode_content,
)
from heliograph.networks.port import Capabilities
from heliograph.networks.sandbox.driver import SandboxNetwork
from later import in_a_month
from waiting import until

MESSAGES = "/api/v1/messages"
PHONE = "+5511999990000"
SOME_ID = "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40"
TEXT = {"type": "text", "body": "Hello"}
LIST = {
    "type": "list",
    "body": "When?",
    "button": "Choose",
    "sections": [{"rows": [{"id": "t", "title": "Tuesday", "description": "from nine"}]}],
}
POLL = {"type": "poll", "question": "Where?", "options": ["Here", "There"], "max_choices": 2}
KINDS: dict[str, tuple[dict[str, Any], type[Content]]] = {
    "buttons": (
        {"type": "buttons", "body": "Well?", "buttons": [{"id": "y", "title": "Yes"}]},
        Buttons,
    ),
    "list": (LIST, ListMessage),
    "link_button": (
        {"type": "link_button", "body": "New!", "title": "See", "url": "https://example.com/menu"},
        LinkButton,
    ),
    "poll": (POLL, Poll),
    "location": ({"type": "location", "latitude": 50.5, "longitude": -7.25}, Location),
    "location_request": ({"type": "location_request", "body": "Where?"}, LocationRequest),
    "contact": ({"type": "contact", "name": "Ana", "phones": [PHONE]}, ContactCard),
}


async def send(
    scene: Scene, content: object = TEXT, headers: dict[str, str] | None = None, **more: object
) -> httpx.Response:
    body = {"phone_number": PHONE, "content": content} | more
    body = {name: value for name, value in body.items() if value is not None}
    return await scene.as_acme("POST", MESSAGES, json=body, headers=headers or {})


async def read(scene: Scene, sent: httpx.Response) -> dict[str, Any]:
    assert sent.status_code == 200, sent.text
    answer = await scene.as_acme("GET", f"{MESSAGES}/{sent.json()['message_id']}")
    record: dict[str, Any] = answer.json()
    return record


LATE = {
    "would expire": {"expires_at": ...},
    "no primary account": {},
    "the account is gone": {"chat_account_id": ...},
    "the quoted message is gone": {"reply_to_message_id": ...},
}


@pytest.mark.parametrize("case", LATE)
async def test_a_repeat_that_comes_too_late_is_told_of_the_message(scene: Scene, case: str) -> None:
    """Each would be refused by now, and without its key it is."""
    quoted = (await send(scene)).json()["message_id"]
    expiry = datetime.now(UTC) + timedelta(seconds=1.5)
    values = {
        "expires_at": expiry.isoformat(),
        "chat_account_id": str(scene.acme.account.id),
        "reply_to_message_id": quoted,
    }
    more = {name: values[name] for name in LATE[case]}
    first = await send(scene, headers={"Idempotency-Key": case}, **more)
    assert first.status_code == 200, first.text
    if case == "the quoted message is gone":
        await scene.database.pool.execute("DELETE FROM messages WHERE id = $1", UUID(quoted))
    elif case != "would expire":
        account = scene.acme.account
        await scene.services.removals.remove(scene.acme.principal, account.id, account.name)

    async def is_refused() -> bool:
        return (await send(scene, **more)).status_code in (404, 409, 422)

    await until(is_refused)
    again = await send(scene, headers={"Idempotency-Key": case}, **more)
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.headers["Idempotent-Replayed"] == "true"
    other = await send(scene, {"type": "text", "body": "?"}, {"Idempotency-Key": case}, **more)
    assert other.status_code == 422
    assert "Idempotency-Key" in str(other.json()["detail"])


async def test_a_text_is_stored_as_it_was_asked_for(scene: Scene) -> None:
    sent = await send(scene, metadata={"booking": "B-1042"})
    record = await read(scene, sent)
    assert sent.json().keys() == {"success", "message_id", "status", "run_id"}
    assert (record["content"], record["message_type"]) == ("Hello", "text")
    assert record["typed_content"] == TEXT
    assert (record["metadata"], record["run_id"]) == ({"booking": "B-1042"}, sent.json()["run_id"])
    assert record["sent_by"]["kind"] == "api_key"
    assert record["sent_by"]["name"] == "everything"
    assert record["reactions"] == []


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_is_stored_whole(
    scene: Scene, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SandboxNetwork, "capabilities", Capabilities(content=frozenset(KINDS)))
    content, expected = KINDS[kind]
    record = await read(scene, await send(scene, content))
    assert record["message_type"] == kind
    [row] = await scene.database.pool.fetch("SELECT content FROM messages")
    assert isinstance(decode_content(row["content"]), expected)


@pytest.mark.parametrize(
    "number",
    [
        "TEL;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-7:x+2AA-y",
        "TEL;ENCODING=QUOTED-PRINTABLE;CHARSET=raw_unicode_escape:=5Cud800x",
        "TEL;QUOTED-PRINTABLE:=00=1B[8m",
        "TEL:tel:+1%00555",
    ],
)
async def test_whatever_a_card_says_its_message_can_be_read(scene: Scene, number: str) -> None:
    vcard = f"BEGIN:VCARD\nVERSION:2.1\nFN:Eve\n{number}\nEND:VCARD\n"
    record = await read(scene, await send(scene, {"type": "contact", "name": "E", "vcard": vcard}))
    assert record["typed_content"]["vcard"] == vcard
    [phone] = record["typed_content"]["phones"] or [""]
    assert phone.isprintable()
    listed = await scene.as_acme("GET", MESSAGES)
    assert listed.json()["messages"][0]["id"] == record["id"]


async def test_a_kind_that_the_network_lacks_goes_as_text_if_that_is_wanted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = Capabilities(content=frozenset({"text"}))
    monkeypatch.setattr(SandboxNetwork, "capabilities", lacking)
    refused = await send(scene, LIST)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_supported_by_network")
    assert (await send(scene, LIST, fallback="text")).status_code == 200


@pytest.mark.parametrize("url", ["http://a.example", "javascript:x", "a.example", "https://"])
async def test_a_button_opens_a_page_alone(scene: Scene, url: str) -> None:
    answer = await send(scene, {"type": "link_button", "body": "New!", "title": "See", "url": url})
    assert answer.status_code == 422
    [problem] = answer.json()["detail"]
    assert problem["loc"] == ["body", "content", "url"]


async def test_a_message_goes_to_exactly_one(scene: Scene) -> None:
    for more in ({"phone_number": None}, {"contact_id": str(uuid4())}):
        answer = await send(scene, **more)
        assert answer.status_code == 422
        assert "exactly one of" in answer.text
    assert (await scene.count_rows())["messages"] == 0


async def test_what_is_misspelled_is_refused(scene: Scene) -> None:
    wrong = (
        {"scheduled_fro": "2030-01-01T00:00:00Z"},
        {"content": TEXT | {"bodi": "x"}},
        {"content": LIST | {"footr": "x"}},
    )
    for more in wrong:
        answer = await send(scene, **more)
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["type"] == "extra_forbidden"
    assert (await scene.count_rows())["messages"] == 0


BAD = [
    {"type": "text", "body": ""},
    {"type": "text", "body": " \n"},
    {"type": "text", "body": "x" * 4097},
    {"type": "text", "body": "x", "mentions": ["nobody"]},
    {"type": "image"},
    {"type": "image", "url": "https://a.example/b.png", "media_id": SOME_ID},
    {"type": "image", "url": "file:///etc/passwd"},
    {"type": "document", "media_id": SOME_ID, "file_name": "a\nb"},
    {"type": "document", "media_id": SOME_ID, "file_name": "../../etc/cron.d/a"},
    {"type": "document", "media_id": SOME_ID, "file_name": "\u3164"},
    {"type": "document", "media_id": SOME_ID, "file_name": "é" * 128},
    LIST | {"sections": [{"rows": [{"id": f"{n}", "title": f"{n}"} for n in range(11)]}]},
    LIST | {"sections": [{"rows": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}]},
    LIST | {"sections": [{"rows": [{"id": f"{n}", "title": f"{n}"}]} for n in range(2)]},
    POLL | {"options": ["One"]},
    POLL | {"options": ["One", "One"]},
    POLL | {"max_choices": 3},
    {"type": "location", "latitude": 91, "longitude": 0},
    {"type": "contact", "name": "Ana"},
    {"type": "contact", "name": "Ana", "vcard": "nothing"},
    {"type": "contact", "name": "Ana", "phones": ["not a number"]},
    {"type": "fax", "body": "x"},
    {"body": "x"},
]


@for_each("content", BAD, ids=str)
async def test_content_out_of_bounds_is_refused(scene: Scene, content: dict[str, Any]) -> None:
    answer = await send(scene, content)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][:2] == ["body", "content"]
    assert (await scene.count_rows())["messages"] == 0


async def test_a_problem_in_the_content_is_at_its_way_in_the_body(scene: Scene) -> None:
    answer = await send(scene, {"type": "text", "text": "See you."})
    assert [problem["loc"] for problem in answer.json()["detail"]] == [
        ["body", "content", "body"],
        ["body", "content", "text"],
    ]
    answer = await send(scene, {"type": "buttons", "body": "Well?", "buttons": [{"id": "yes"}]})
    [problem] = answer.json()["detail"]
    assert problem["loc"] == ["body", "content", "buttons", 0, "title"]


@pytest.mark.parametrize(
    "metadata", [{f"k{n}": "" for n in range(17)}, {"k" * 41: ""}, {"k": "v" * 501}, {"k": 1}]
)
async def test_metadata_out_of_bounds_is_refused(scene: Scene, metadata: object) -> None:
    assert (await send(scene, metadata=metadata)).status_code == 422


async def test_a_message_that_is_scheduled_can_be_canceled_and_canceled_again(
    scene: Scene,
) -> None:
    sent = await send(scene, scheduled_for=in_a_month())
    assert sent.json()["status"] == "scheduled"
    path = f"{MESSAGES}/{sent.json()['message_id']}/cancel"
    for name in ("c1", "c1", "c2"):
        answer = await scene.as_acme("POST", path, headers={"Idempotency-Key": name})
        assert (answer.status_code, answer.json()["status"]) == (200, "canceled")
    await scene.database.pool.execute("UPDATE messages SET status = 'sent'")
    answer = await scene.as_acme("POST", path)
    assert (answer.status_code, answer.json()["code"]) == (409, "already_sent")


async def test_a_reply_quotes_a_message_of_the_same_chat(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoting = Capabilities(content=frozenset({"text"}), replies=True)
    monkeypatch.setattr(SandboxNetwork, "capabilities", quoting)
    quoted = (await send(scene)).json()["message_id"]
    record = await read(scene, await send(scene, reply_to_message_id=quoted))
    assert record["reply_to_message_id"] == quoted
    for other in (str(uuid4()), (await send(scene, phone_number="+15550109")).json()["message_id"]):
        answer = await send(scene, reply_to_message_id=other)
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["loc"] == ["body", "reply_to_message_id"]


async def test_a_network_that_quotes_nothing_says_so(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SandboxNetwork, "capabilities", Capabilities(frozenset({"text"})))
    quoted = (await send(scene)).json()["message_id"]
    answer = await send(scene, reply_to_message_id=quoted)
    assert (answer.status_code, answer.json()["code"]) == (409, "not_supported_by_network")
    assert (await send(scene, reply_to_message_id=quoted, fallback="text")).status_code == 200


@for_each("emoji", ["abc", "👍👍", " ", "1", "👍" * 20])
async def test_only_one_emoji_is_a_reaction(scene: Scene, emoji: str) -> None:
    message_id = (await send(scene)).json()["message_id"]
    answer = await scene.as_acme("PUT", f"{MESSAGES}/{message_id}/reaction", json={"emoji": emoji})
    assert answer.status_code == 422
    [problem] = answer.json()["detail"]
    assert problem["loc"] == ["body", "emoji"]
