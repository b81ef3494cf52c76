"""Conversations over the API: found in pages, changed at once or not at all, and told of."""

import asyncio
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from api_description import api_description
from api_scene import BUTTONS, Scene, buttons
from api_scene import scene as scene
from heliograph.core.events.payload_sql import unpack
from heliograph.core.inbox import reading
from heliograph.core.inbox.model import ConversationChange
from heliograph.core.upkeep.janitor import Janitor
from heliograph.errors import AccountNotAllowedError
from inbox_rows import insert_contact, insert_conversation

ARRIVE = """
UPDATE messages SET direction = 'inbound', status = 'received', conversation_id = $1,
    remote_jid = '1@x', sender_jid = '1@x', sent_at = now()
"""
CONVERSATIONS = "/api/v1/conversations"
LABELS = "/api/v1/labels"


async def walk(scene: Scene, query: str = "limit=2") -> list[list[str]]:
    """The remote JIDs of each page."""
    pages, cursor = [], ""
    while True:
        page = (await scene.as_acme("GET", f"{CONVERSATIONS}?{query}{cursor}")).json()
        pages.append([each["remote_jid"].partition("@")[0] for each in page["conversations"]])
        if page["next_cursor"] is None:
            return pages
        cursor = f"&cursor={page['next_cursor']}"


async def change(scene: Scene, conversation_id: UUID, **values: object) -> Any:
    return await scene.as_acme("PATCH", f"{CONVERSATIONS}/{conversation_id}", json=values)


async def events(scene: Scene) -> list[Any]:
    """The payloads of all events of conversations, in order."""
    rows = await scene.database.pool.fetch(
        "SELECT payload FROM events WHERE type LIKE 'conversation.%' ORDER BY seq"
    )
    return [json.loads(unpack(row["payload"])) for row in rows]


async def test_the_newest_come_first_and_those_without_a_message_last(scene: Scene) -> None:
    for jid, minute in (("1@x", 1), ("2@x", 2), ("3@x", None), ("4@x", 3), ("5@x", None)):
        await insert_conversation(scene, jid, minute)
    assert await walk(scene) == [["4", "2"], ["1", "5"], ["3"]]
    assert await walk(scene, "limit=3") == [["4", "2", "1"], ["5", "3"]]
    assert await walk(scene, "limit=100") == [["4", "2", "1", "5", "3"]]


async def test_a_conversation_of_a_removed_device_is_marked_as_read(scene: Scene) -> None:
    ana = await insert_conversation(scene, "1@x", unread=2)
    device = f"/api/v1/devices/{scene.acme.account.id}"
    assert (await scene.as_acme("DELETE", device)).status_code == 204
    read = await scene.as_acme("POST", f"{CONVERSATIONS}/{ana}/read")
    assert (read.status_code, read.json()["unread_count"]) == (200, 0)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/conversations/{id}/typing", None),
        ("GET", "/groups/{id}", None),
        ("PATCH", "/groups/{id}", {"subject": "Choir"}),
        ("POST", "/groups/{id}/participants", {"participants": ["+15550100001"]}),
        ("DELETE", "/groups/{id}/participants/15550100001", None),
        ("GET", "/groups/{id}/invite-link", None),
        ("POST", "/groups/{id}/leave", None),
    ],
)
async def test_what_takes_the_removed_device_of_a_conversation_says_that_it_is_gone(
    scene: Scene, method: str, path: str, body: object
) -> None:
    group = await insert_conversation(scene, "1@g.x", is_group=True)
    device = f"/api/v1/devices/{scene.acme.account.id}"
    assert (await scene.as_acme("DELETE", device)).status_code == 204
    answer = await scene.as_acme(
        method, "/api/v1" + path.format(id=group), **({} if body is None else {"json": body})
    )
    assert (answer.status_code, answer.json()["code"]) == (404, "chat_account_not_found")
    described = api_description()["paths"]
    [operation] = [
        operations[method.lower()]
        for name, operations in described.items()
        if method.lower() in operations
        and re.fullmatch(re.sub(r"{\w+}", "[^/]+", name), "/api/v1" + path)
    ]
    examples = operation["responses"]["404"]["content"]["application/json"]["examples"]
    assert "chat_account_not_found" in examples


async def test_one_that_moves_is_not_repeated(scene: Scene) -> None:
    ids = [await insert_conversation(scene, f"{n}@x", n) for n in range(5)]
    first = (await scene.as_acme("GET", f"{CONVERSATIONS}?limit=2")).json()
    await scene.database.pool.execute(
        "UPDATE conversations SET last_message_at = now() WHERE id = ANY($1)", [ids[4], ids[1]]
    )
    second = f"{CONVERSATIONS}?limit=2&cursor={first['next_cursor']}"
    found = (await scene.as_acme("GET", second)).json()
    assert [each["remote_jid"] for each in found["conversations"]] == ["2@x", "0@x"]
    assert (await walk(scene))[0] == ["1", "4"] or (await walk(scene))[0] == ["4", "1"]


async def say(scene: Scene, *jids: str) -> None:
    """Let something be said in these conversations."""
    await scene.database.pool.execute(
        "UPDATE conversations SET last_message_at = $2 WHERE remote_jid = ANY($1)",
        [f"{jid}@x" for jid in jids],
        scene.database.clock.now(),
    )


@pytest.mark.parametrize("query", ["", "&status=open", "&search=x@x", "&contact_id={ana}"])
@pytest.mark.parametrize("limit", [1, 2, 3, 5])
async def test_a_reader_who_goes_to_the_end_has_each_though_they_move(
    scene: Scene, limit: int, query: str
) -> None:
    """Something is said in one that was not read yet, after each page, also of the last ones."""
    ana = await insert_contact(scene, "+15550100001", "x@x")
    for n in range(9):
        minute = n if n < 6 else None
        await insert_conversation(scene, f"{n}@x", minute, contact_id=ana)
    left = {str(n) for n in range(9)}
    read: list[str] = []
    asked, cursor = query.format(ana=ana), ""
    while True:
        path = f"{CONVERSATIONS}?limit={limit}{asked}{cursor}"
        page = (await scene.as_acme("GET", path)).json()
        found = [each["remote_jid"].removesuffix("@x") for each in page["conversations"]]
        read += found
        moves = sorted(left - set(read))[-2:] if len(read) < 9 else []
        left -= {*found, *moves}
        await say(scene, *moves)
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert set(read) == {str(n) for n in range(9)}


async def test_those_that_moved_are_looked_through_in_stretches(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_SCANNED", 2)
    for n in range(8):
        await insert_conversation(scene, f"{n}@x", n, unread=n == 0)
    first = (await scene.as_acme("GET", f"{CONVERSATIONS}?limit=1&unread=true")).json()
    await say(scene, *map(str, range(8)))
    found, cursor = [], first["next_cursor"]
    while cursor is not None:
        path = f"{CONVERSATIONS}?limit=1&unread=true&cursor={cursor}"
        page = (await scene.as_acme("GET", path)).json()
        found += [each["remote_jid"] for each in page["conversations"]]
        cursor = page["next_cursor"]
    assert found == ["0@x"]


async def test_each_filter_leaves_what_it_names(scene: Scene) -> None:
    ana = await insert_contact(scene, "+15550100001", "Ana Silva")
    await insert_conversation(scene, "15550100001@x", 1, contact_id=ana, unread=2)
    closed = await insert_conversation(scene, "2@x", 2, status="closed")
    await insert_conversation(scene, "3@x", None, is_group=True)
    label = (await scene.as_acme("POST", LABELS, json={"name": "VIP"})).json()["id"]
    await change(scene, closed, label_ids=[label])
    for query, expected in (
        ("status=closed", ["2"]),
        (f"label_id={label}", ["2"]),
        ("unread=true", ["15550100001"]),
        ("unread=false", ["2", "3"]),
        ("is_group=true", ["3"]),
        ("search=SILVA", ["15550100001"]),
        ("search=(555)+010-0001", ["15550100001"]),
        (f"chat_account_id={scene.acme.account.id}&status=open", ["15550100001", "3"]),
        (f"chat_account_id={label}", []),
        (f"assignee_user_id={label}", []),
    ):
        assert await walk(scene, query) == [expected], query


async def test_a_chat_is_found_by_who_it_is_with(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_SCANNED", 1)  # it is looked up, whatever came since
    ana = await insert_contact(scene, "+15550100001", "Ana Silva")
    bob = await insert_contact(scene, "+155501000012")
    await insert_conversation(scene, "15550100001@sandbox", 1, contact_id=ana)
    await insert_conversation(scene, "155501000012@sandbox", 2, contact_id=bob)
    await insert_conversation(scene, "12345@g.sandbox", 3, is_group=True)
    await insert_conversation(scene, "ada@example.org", 4)  # of nobody who is a contact
    await insert_conversation(scene, "15550100003@s.whatsapp.net", 5)
    for query, expected in (
        (f"contact_id={ana}", ["15550100001"]),
        ("phone_number=15550100001", ["15550100001"]),
        ("phone_number=+1 (555) 010-0001", ["15550100001"]),
        ("phone_number=15550100001@sandbox", ["15550100001"]),
        ("phone_number=155501000", []),
        ("phone_number=15550100099", []),
        ("phone_number=12345@g.sandbox", ["12345"]),
        ("phone_number=Ada@Example.org/phone", ["ada"]),
        ("phone_number=15550100003@c.us", ["15550100003"]),
        ("phone_number=15550100003", ["15550100003"]),
        ("phone_number=15550100001&status=closed", []),
        (f"phone_number=15550100001&contact_id={ana}", ["15550100001"]),
        (f"phone_number=15550100001&contact_id={bob}", []),
    ):
        assert await walk(scene, query) == [expected], query


async def test_the_chats_with_one_person_are_paged(scene: Scene) -> None:
    ana = await insert_contact(scene, "+15550100001")
    for n, minute in enumerate((1, None, 2, 2, None)):
        await insert_conversation(scene, f"{n}@x", minute, contact_id=ana)
    await insert_conversation(scene, "9@x", 3)
    for limit in (1, 2, 3, 4, 5):
        pages = await walk(scene, f"limit={limit}&contact_id={ana}")
        assert [jid for page in pages for jid in page] == ["2", "3", "0", "4", "1"]
        assert {len(page) for page in pages[:-1]} <= {limit}


async def test_who_nobody_knows_is_refused_or_nobody(scene: Scene) -> None:
    theirs = await insert_contact(scene, "+15550100001", of=scene.globex)
    for query, status in (
        (f"contact_id={theirs}", 403),
        ("phone_number=12", 422),
        ("phone_number=Ana", 422),
        ("contact_id=01995b10-0c7d-7e8a-b1d4-0a9c4f7e5d04&phone_number=Ana", 422),
    ):
        refused = await scene.as_acme("GET", f"{CONVERSATIONS}?{query}")
        assert refused.status_code == status, query
    assert refused.json()["detail"][0]["loc"] == ["query", "phone_number"]
    assert await walk(scene, "phone_number=15550100001") == [[]]


async def test_a_filtered_page_may_be_empty_and_go_on(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_SCANNED", 2)
    for n in range(4):
        await insert_conversation(scene, f"{n}@x", n, unread=1 if n == 0 else 0)
        await insert_conversation(scene, f"{n + 10}@x", None, unread=1 if n == 0 else 0)
    pages = await walk(scene, "limit=50&unread=true")
    assert [jid for page in pages for jid in page] == ["0", "10"]
    assert len(pages) > 2


@pytest.mark.parametrize("cursor", ["x", "", "eyJub3RlX2lkIjogMX0"])
async def test_a_cursor_of_something_else_is_refused(scene: Scene, cursor: str) -> None:
    refused = await scene.as_acme("GET", f"{CONVERSATIONS}?cursor={cursor}")
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["query", "cursor"]


async def test_what_was_said_last_is_for_who_may_read_messages(scene: Scene) -> None:
    await insert_conversation(scene, "1@x")
    for scopes, preview in ((["conversations:read"], None), (["admin:read"], "Hello")):
        headers = {"Authorization": f"Bearer {await scene.mint(scene.acme, scopes=scopes)}"}
        page = (await scene.client.get(CONVERSATIONS, headers=headers)).json()
        assert page["conversations"][0]["last_message_preview"] == preview


async def test_changes_are_made_together_and_told_of(scene: Scene) -> None:
    ana = await insert_conversation(scene, "1@x", unread=1)
    label = (await scene.as_acme("POST", LABELS, json={"name": "VIP"})).json()["id"]
    hook = await scene.services.webhooks.create(scene.acme.principal, "https://example.com/hook")
    changed = await change(
        scene, ana, status="pending", pinned=True, agent_paused=True, subject="A", label_ids=[label]
    )
    record = changed.json()
    assert (record["status"], record["pinned"], record["subject"]) == ("pending", True, "A")
    assert [each["name"] for each in record["labels"]] == ["VIP"]
    assert (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json() == record
    [event] = await events(scene)
    assert event["type"] == "conversation.updated"
    assert event["data"]["changed"] == ["status", "agent_paused", "subject", "pinned", "labels"]
    assert event["data"]["changed_by"]["kind"] == "api_key"
    assert event["data"]["last_message_preview"] is None
    delivered_to = await scene.database.pool.fetch("SELECT webhook_id FROM delivery_queue")
    assert [row["webhook_id"] for row in delivered_to] == [hook.webhook.id]


async def test_nothing_is_written_where_nothing_changes(scene: Scene) -> None:
    ana = await insert_conversation(scene, "1@x")
    before = (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json()
    same: list[dict[str, object]] = [{}, {"status": "open"}, {"label_ids": []}, {"subject": None}]
    for values in same:
        assert (await change(scene, ana, **values)).json() == before
    assert await events(scene) == []


@pytest.mark.parametrize(
    ("values", "status", "where"),
    [
        ({"statuss": "closed"}, 422, ["body", "statuss"]),
        ({"status": None}, 422, ["body", "status"]),
        ({"assignee_user_id": str(UUID(int=7))}, 422, ["body", "assignee_user_id"]),
        ({"label_ids": [str(UUID(int=7))]}, 404, None),
        ({"snoozed_until": "2020-01-01T00:00:00Z", "status": "snoozed"}, 422, None),
        ({"snoozed_until": "2100-01-01T00:00:00Z"}, 422, ["body", "snoozed_until"]),
        ({"snoozed_until": "2100-01-01T00:00:00"}, 422, ["body", "snoozed_until"]),
        ({"subject": "x" * 256}, 422, ["body", "subject"]),
        ({"subject": ""}, 422, ["body", "subject"]),
        ({"subject": "\u3164 \u200b"}, 422, ["body", "subject"]),
        ({"subject": "a\x1b[8mb"}, 422, ["body", "subject"]),
    ],
)
async def test_one_bad_value_changes_nothing(
    scene: Scene, values: dict[str, object], status: int, where: list[str] | None
) -> None:
    ana = await insert_conversation(scene, "1@x")
    before = (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json()
    refused = await change(scene, ana, **({"pinned": True} | values))
    assert refused.status_code == status
    if where is not None:
        assert refused.json()["detail"][0]["loc"] == where
    assert (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json() == before


async def test_a_snooze_ends_by_the_clock(scene: Scene) -> None:
    ana, ben = [await insert_conversation(scene, jid) for jid in ("1@x", "2@x")]
    until = scene.database.clock.now() + timedelta(seconds=0.3)
    for each, at in ((ana, until), (ben, datetime(2100, 1, 1, tzinfo=UTC))):
        await change(scene, each, status="snoozed", snoozed_until=at.isoformat())
    janitor = Janitor(scene.database, scene.notifications, scene.services.changes)
    assert 0 <= await janitor.end_snoozes() <= 1
    await asyncio.sleep(max(0.0, (until - scene.database.clock.now()).total_seconds()))
    await janitor.end_snoozes()
    shown = (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json()
    assert (shown["status"], shown["snoozed_until"]) == ("open", None)
    assert (await scene.as_acme("GET", f"{CONVERSATIONS}/{ben}")).json()["status"] == "snoozed"
    told = (await events(scene))[-1]["data"]
    assert (told["changed"], told["changed_by"]) == (["status", "snoozed_until"], None)


async def test_a_snooze_without_a_time_follows_one_with_a_time(scene: Scene) -> None:
    ana, at = await insert_conversation(scene, "1@x"), "2100-01-01T00:00:00Z"
    await change(scene, ana, status="snoozed", snoozed_until=at)
    assert (await change(scene, ana, pinned=True)).json()["snoozed_until"] == at
    await scene.database.pool.execute("UPDATE conversations SET status = 'open'")  # a message came
    shown = (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json()
    assert shown["snoozed_until"] is None
    assert (await change(scene, ana, status="snoozed")).json()["snoozed_until"] is None


async def test_marking_as_read_is_told_once(scene: Scene) -> None:
    ana = await insert_conversation(scene, "1@x", unread=3)
    for _ in range(2):
        shown = (await scene.as_acme("POST", f"{CONVERSATIONS}/{ana}/read")).json()
        assert shown["unread_count"] == 0
    assert [event["data"]["changed"] for event in await events(scene)] == [["unread_count"]]


async def test_a_repeat_of_marking_as_read_shows_nobody_what_came_since_as_read(
    scene: Scene,
) -> None:
    ana, pool = await insert_conversation(scene, "1@x"), scene.database.pool
    await scene.as_acme("POST", BUTTONS, json=buttons())
    await pool.execute("UPDATE accounts SET status = 'connected'")
    for _ in range(2):
        await pool.execute(ARRIVE, ana)
        await pool.execute("UPDATE conversations SET unread_count = 1")
        key = {"Idempotency-Key": "read"}
        await scene.as_acme("POST", f"{CONVERSATIONS}/{ana}/read", headers=key)
    assert await pool.fetchval("SELECT count(*) FROM jobs WHERE kind = 'mark_read'") == 1
    assert await pool.fetchval("SELECT status FROM messages") == "received"


async def test_notes_are_read_newest_first_with_their_author(scene: Scene) -> None:
    notes = f"{CONVERSATIONS}/{await insert_conversation(scene, '1@x')}/notes"
    for n in range(3):
        written = await scene.as_acme("POST", notes, json={"body": f"Note {n}"})
        assert (written.status_code, written.json()["author"]["name"]) == (201, "everything")
    first = (await scene.as_acme("GET", f"{notes}?limit=2")).json()
    second = (await scene.as_acme("GET", f"{notes}?cursor={first['next_cursor']}")).json()
    assert [note["body"] for note in (*first["notes"], *second["notes"])] == [
        "Note 2",
        "Note 1",
        "Note 0",
    ]
    assert second["next_cursor"] is None
    for body in ("", "   ", "x" * 4097):
        assert (await scene.as_acme("POST", notes, json={"body": body})).status_code == 422


async def test_a_repeated_request_writes_one_note(scene: Scene) -> None:
    notes = f"{CONVERSATIONS}/{await insert_conversation(scene, '1@x')}/notes"
    headers = {"Idempotency-Key": "note-1"}
    answers = await asyncio.gather(
        *[scene.as_acme("POST", notes, json={"body": "A"}, headers=headers) for _ in range(5)]
    )
    assert len({answer.text for answer in answers}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers) == 1
    assert len((await scene.as_acme("GET", notes)).json()["notes"]) == 1
    other = await scene.as_acme("POST", notes, json={"body": "B"}, headers=headers)
    assert other.json()["detail"][0]["loc"] == ["header", "Idempotency-Key"]


async def test_who_may_use_some_accounts_sees_no_others(scene: Scene) -> None:
    services, principal = scene.services, scene.acme.principal
    second = await services.accounts.create(principal, "sandbox", "Second", "second", {})
    theirs = await insert_conversation(scene, "1@x")
    ours = await insert_conversation(scene, "2@x", account_id=second.id)
    limited = replace(principal, account_ids=frozenset({second.id}))
    page = await services.conversations.list(limited)
    assert [record["id"] for record in page.records] == [ours]
    listed = await services.inbox.list(limited)
    assert [each.id for each in listed.conversations] == [ours]
    wanted = ConversationChange(pinned=True)
    assert (await services.conversations.change(limited, ours, wanted))["pinned"]
    for refused in (
        services.conversations.get(limited, theirs),
        services.conversations.change(limited, theirs, wanted),
        services.conversations.mark_read(limited, theirs),
        services.notes.list(limited, theirs),
        services.notes.write(limited, theirs, "x"),
        services.inbox.thread(limited, theirs),
    ):
        with pytest.raises(AccountNotAllowedError):
            await refused


async def test_labels_are_listed_changed_and_deleted(scene: Scene) -> None:
    ana = await insert_conversation(scene, "1@x")
    ids = [
        (await scene.as_acme("POST", LABELS, json={"name": name})).json()["id"] for name in "cab"
    ]
    page = (await scene.as_acme("GET", f"{LABELS}?limit=2&offset=1")).json()
    assert [label["name"] for label in page["labels"]] == ["b", "c"]
    assert (page["total"], page["limit"], page["offset"]) == (3, 2, 1)
    await change(scene, ana, label_ids=ids)
    changed = await scene.as_acme("PATCH", f"{LABELS}/{ids[0]}", json={"color": "#FF0000"})
    assert (changed.json()["name"], changed.json()["color"]) == ("c", "#ff0000")
    assert (await scene.as_acme("POST", LABELS, json={"name": "B"})).status_code == 422
    assert (await scene.as_acme("DELETE", f"{LABELS}/{ids[0]}")).status_code == 204
    shown = (await scene.as_acme("GET", f"{CONVERSATIONS}/{ana}")).json()
    assert [label["name"] for label in shown["labels"]] == ["a", "b"]
    assert (await scene.as_acme("DELETE", f"{LABELS}/{ids[0]}")).status_code == 404


async def test_405_names_every_method_of_an_address(scene: Scene) -> None:
    refused = await scene.as_acme("DELETE", f"{CONVERSATIONS}/{UUID(int=7)}")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, PATCH")
