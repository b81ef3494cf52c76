"""Lists of messages: newest first, filtered, page by page, and nothing of accounts that a key may
not see."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from core_scene import ADA, BOB, NETWORK, Scene, arrival
from heliograph.core.contacts import people
from heliograph.core.ingest.model import MessageRefused
from heliograph.core.messages.lists import service as listing
from heliograph.core.messages.lists.filters import EVERYTHING, MessageFilter
from heliograph.core.messages.search.index import NEW, MessageIndexer
from heliograph.errors import (
    AccountNotAllowedError,
    InvalidInputError,
)

TEXTS = "SELECT id, content ->> 'body' AS text FROM messages"


async def texts(scene: Scene, **only: Any) -> list[str]:
    """What the messages of the first page say."""
    page = await scene.lists.list(scene.principal, MessageFilter(**only))
    return [record["content"] for record in page.records]


async def walk(scene: Scene, only: MessageFilter = EVERYTHING, limit: int = 3) -> list[UUID]:
    """The ids on all pages."""
    found, cursor = [], None
    while True:
        page = await scene.lists.list(scene.principal, only, limit=limit, cursor=cursor)
        assert len(page.records) <= limit
        found += [record["id"] for record in page.records]
        cursor = page.next_cursor
        if cursor is None:
            return found


async def fail(scene: Scene, text: str, reason: str, to: str = ADA) -> UUID:
    message_id = await scene.accept(text, to)
    await scene.claim()
    await scene.report(MessageRefused(message_id, reason))
    return message_id


async def test_each_filter_leaves_out_the_others(scene: Scene) -> None:
    sent = await scene.send("Sent")
    await scene.accept("Waits", BOB)
    await scene.report(arrival("A1", text="Came"))
    now = scene.database.clock.now()

    assert await texts(scene) == ["Came", "Waits", "Sent"]
    assert await texts(scene, direction="inbound") == ["Came"]
    assert await texts(scene, status="queued") == ["Waits"]
    assert await texts(scene, status="nonsense") == []
    assert await texts(scene, message_type="text", direction="outbound") == ["Waits", "Sent"]
    assert await texts(scene, message_type="image") == []
    assert await texts(scene, batch_id=uuid4()) == []
    assert await texts(scene, chat_account_id=uuid4()) == []
    assert await texts(scene, conversation_id=sent.conversation_id) == ["Came", "Sent"]
    assert await texts(scene, since=now) == []
    assert await texts(scene, until=now, since=sent.created_at) == ["Came", "Waits", "Sent"]
    assert await texts(scene, until=sent.created_at) == []


async def test_a_persons_messages_are_those_too_that_wait_to_be_sent(scene: Scene) -> None:
    await scene.send("Known")
    await scene.accept("Waits")
    await scene.accept("To another", BOB)
    [row] = await scene.rows("SELECT id FROM contacts")
    assert await texts(scene, contact_id=row["id"]) == ["Waits", "Known"]


@pytest.mark.parametrize("number", ["15550100001", " 1 (555) 010-0001", ADA])
async def test_a_number_finds_what_the_persons_id_does(scene: Scene, number: str) -> None:
    await scene.accept("To nobody yet")
    await scene.accept("To another", BOB)
    assert await texts(scene, phone_number=number) == ["To nobody yet"]
    await scene.send("Known")
    await scene.report(arrival("A1", text="Came"))
    await scene.report(
        arrival("A2", text="In a group", chat_jid="12345@g.sandbox", is_group=True),
        arrival("A3", BOB, text="Of another", chat_jid="12345@g.sandbox", is_group=True),
    )
    [row] = await scene.rows("SELECT id FROM contacts WHERE phone_number = '+15550100001'")
    found = await texts(scene, phone_number=number)
    assert found == ["In a group", "Came", "Known", "To nobody yet"]
    assert found == await texts(scene, contact_id=row["id"])
    assert found == await texts(scene, contact_id=row["id"], phone_number=number)
    assert await texts(scene, contact_id=row["id"], phone_number=BOB) == []


async def test_a_groups_jid_finds_what_was_said_there(scene: Scene) -> None:
    await scene.report(
        arrival("A1", text="In the group", chat_jid="12345@g.sandbox", is_group=True),
        arrival("A2", text="To us"),
    )
    await scene.accept("To the group", "12345@g.sandbox")
    assert await texts(scene, phone_number="12345@g.sandbox") == ["To the group", "In the group"]


async def talk_to_ada_and_bob(scene: Scene) -> None:
    """Messages with Ada and with Bob, who has no name yet, with Romeo, who has no number
    either, and in a group of the first two."""
    await scene.send("To Ada")
    in_group: dict[str, Any] = {"chat_jid": "12345@g.sandbox", "is_group": True}
    await scene.report(arrival("A1", text="Of Ada"))
    await scene.report(arrival("A0", "romeo.m@sandbox", text="Of Romeo"))
    await scene.report(arrival("A2", BOB, text="Of Bob", sender_phone_number="+15550100002"))
    await scene.report(arrival("A3", text="Of Ada in a group", **in_group))
    await scene.report(arrival("A4", BOB, text="Of Bob in a group", **in_group))
    await scene.rows(
        "UPDATE contacts SET name = 'Ada Ünal', searched = E'ada unal\\n+15550100001'"
        " WHERE phone_number = '+15550100001'"
    )


OF_ADA = ["Of Ada in a group", "Of Ada", "To Ada"]
OF_BOB = ["Of Bob in a group", "Of Bob"]


@pytest.mark.parametrize(
    ("person", "found"),
    [
        ("ada", OF_ADA),
        ("A", OF_ADA),
        ("DA  ÜN", OF_ADA),
        ("+1 555 010-0001", OF_ADA),
        (ADA, OF_ADA),
        ("100002", OF_BOB),
        ("555 0100", ["Of Bob in a group", "Of Ada in a group", "Of Bob", *OF_ADA[1:]]),
        ("12345@g.sandbox", ["Of Bob in a group", "Of Ada in a group"]),
        ("somebody else", []),
        ("_da", []),
        ("sandbox", []),
        ("ROMEO", ["Of Romeo"]),
    ],
)
async def test_a_part_of_a_name_or_number_finds_the_people(
    scene: Scene, person: str, found: list[str]
) -> None:
    await talk_to_ada_and_bob(scene)
    assert await texts(scene, person=person) == found


async def test_what_waits_for_a_person_is_theirs_too(scene: Scene) -> None:
    await talk_to_ada_and_bob(scene)
    await scene.accept("Waits for Ada")
    await scene.accept("For nobody known", "15550100099")
    assert await texts(scene, person="ada") == ["Waits for Ada", *OF_ADA]
    assert await texts(scene, person="15550100099") == ["For nobody known"]
    assert await texts(scene, person="ada", direction="outbound") == ["Waits for Ada", "To Ada"]


async def test_a_contact_that_was_merged_is_the_one_that_was_kept(scene: Scene) -> None:
    await talk_to_ada_and_bob(scene)
    await scene.rows(
        "UPDATE contacts SET merged_into = (SELECT id FROM contacts WHERE name LIKE 'Ada%')"
        " WHERE phone_number = '+15550100002'"
    )
    assert len(await texts(scene, person="ada")) == 5


async def test_a_person_who_may_be_too_many_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk_to_ada_and_bob(scene)
    monkeypatch.setattr(people, "MAX_PEOPLE", 1)
    assert await texts(scene, person="ada") == OF_ADA
    for text in ("5550100", "1"):
        with pytest.raises(InvalidInputError, match="More than 1 people match"):
            await texts(scene, person=text)
    monkeypatch.setattr(people, "_MAX_FOUND", 1)
    with pytest.raises(InvalidInputError, match="More than 1 people match"):
        await texts(scene, person="5550100")


async def test_nobody_is_looked_for_no_further(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_SCANNED", 1)
    await talk_to_ada_and_bob(scene)
    page = await scene.lists.list(scene.principal, MessageFilter(person="nobody"))
    assert (page.records, page.next_cursor) == ([], None)


async def test_a_limited_key_finds_people_of_its_accounts_alone(scene: Scene) -> None:
    await talk_to_ada_and_bob(scene)
    for only in (MessageFilter(person="ada"), MessageFilter(person=ADA)):
        mine = await scene.lists.list(scene.limited(scene.account.id), only)
        assert len(mine.records) == 3
        assert (await scene.lists.list(scene.limited(uuid4()), only)).records == []


async def test_a_record_is_the_one_that_is_read_by_its_id(scene: Scene) -> None:
    message = await scene.send("Hello")
    await scene.rows("UPDATE contacts SET name = 'Ada'")
    [record] = (await scene.lists.list(scene.principal)).records
    assert record == await scene.messages.get(scene.principal, message.id)
    assert record["contact_name"] == "Ada"


@pytest.mark.parametrize("in_thread", [False, True])
async def test_pages_have_each_old_message_once_while_new_ones_come(
    scene: Scene, in_thread: bool
) -> None:
    await scene.report(*[arrival(f"A{n}") for n in range(20)])
    [row] = await scene.rows("SELECT id FROM conversations")
    only = MessageFilter(conversation_id=row["id"]) if in_thread else EVERYTHING
    order = "seq" if in_thread else "id"
    rows = await scene.rows(f"SELECT id FROM messages ORDER BY {order} DESC")  # noqa: S608 - our own names
    old = [row["id"] for row in rows]

    found, cursor = [], None
    for turn in range(100):
        page = await scene.lists.list(scene.principal, only, limit=3, cursor=cursor)
        found += [record["id"] for record in page.records]
        await scene.report(arrival(f"new {turn}"))
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == old


async def test_what_came_in_one_transaction_is_listed_in_the_order_in_which_it_came(
    scene: Scene,
) -> None:
    """As after a restart, when a network tells all at once; in lists, threads and searches."""
    await scene.report(*[arrival(f"N{n}", (ADA, BOB)[n % 2], text=f"hello {n}") for n in range(40)])
    await MessageIndexer(scene.database, lag=timedelta(seconds=-5)).read(NEW)
    wanted = [f"hello {n}" for n in reversed(range(40))]
    of_ada = [text for text in wanted if int(text[6:]) % 2 == 0]
    rows = await scene.rows("SELECT conversation_id FROM messages ORDER BY seq LIMIT 1")
    listed = {
        MessageFilter(): wanted,
        MessageFilter(search="hello"): wanted,
        MessageFilter(phone_number=ADA): of_ada,
        MessageFilter(conversation_id=rows[0]["conversation_id"]): of_ada,
    }
    for only, texts_in_order in listed.items():
        ids = await walk(scene, only, limit=7)
        said = {row["id"]: row["text"] for row in await scene.rows(TEXTS)}
        assert [said[id_] for id_ in ids] == texts_in_order


async def test_a_filtered_page_may_be_empty_and_lead_on(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_SCANNED", 4)
    await scene.send("Sent")
    await scene.report(*[arrival(f"A{n}") for n in range(10)])
    outbound = MessageFilter(direction="outbound")

    first = await scene.lists.list(scene.principal, outbound)
    assert first.records == []
    assert first.next_cursor is not None
    assert len(await walk(scene, outbound)) == 1
    [row] = await scene.rows("SELECT id FROM conversations")
    assert len(await walk(scene, MessageFilter(conversation_id=row["id"]))) == 11


async def test_a_limited_key_sees_messages_of_its_accounts_alone(scene: Scene) -> None:
    other = await scene.accounts.create(scene.principal, NETWORK, "Other", "other", {})
    message = await scene.send("Mine")
    await scene.accept("Theirs", account_id=other.id)
    service = scene.lists
    mine, theirs = scene.limited(scene.account.id), scene.limited(other.id)
    assert [each["content"] for each in (await service.list(mine)).records] == ["Mine"]
    assert [each["content"] for each in (await service.list(theirs)).records] == ["Theirs"]
    assert (await service.list(scene.limited())).records == []
    assert (await scene.messages.get(mine, message.id))["id"] == message.id
    with pytest.raises(AccountNotAllowedError):
        await scene.messages.get(theirs, message.id)
    with pytest.raises(AccountNotAllowedError):
        await service.list(theirs, MessageFilter(chat_account_id=scene.account.id))
    with pytest.raises(AccountNotAllowedError):
        await service.list(theirs, MessageFilter(conversation_id=message.conversation_id))


async def test_a_limited_key_sees_failures_of_its_accounts_alone(scene: Scene) -> None:
    await fail(scene, "No", "No.")
    service = scene.lists
    for only in (MessageFilter(status="failed"), MessageFilter(reason="no")):
        assert len((await service.list(scene.limited(scene.account.id), only)).records) == 1
        assert (await service.list(scene.limited(uuid4()), only)).records == []


async def test_a_part_of_the_reason_finds_what_failed_for_it(scene: Scene) -> None:
    await scene.send("Sent")
    await fail(scene, "One", "Nobody has this number.")
    await fail(scene, "Two", "100 % of 'them' are_off: ÄRGER.")
    assert await texts(scene, reason="NOBODY has") == ["One"]
    assert await texts(scene, reason="number.") == ["One"]
    assert await texts(scene, reason="ärger") == ["Two"]
    assert await texts(scene, reason="'them' are_off") == ["Two"]
    assert await texts(scene, reason=".") == ["Two", "One"]
    assert await texts(scene, reason="%") == await texts(scene, reason="_") == ["Two"]
    assert await texts(scene, reason="n.*r") == await texts(scene, reason="\\") == []


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"status": "failed"}, ["Two", "One"]),
        ({"status": "sent"}, []),
        ({"direction": "inbound"}, []),
        ({"phone_number": BOB}, ["Two"]),
        ({"search": "one"}, ["One"]),
        ({"search": "sent"}, []),
    ],
)
async def test_a_reason_goes_with_every_other_filter(
    scene: Scene, more: dict[str, Any], found: list[str]
) -> None:
    await scene.send("Sent")
    await fail(scene, "One", "Nobody has this number.")
    await fail(scene, "Two", "This number is nobody's.", BOB)
    await MessageIndexer(scene.database, lag=timedelta(seconds=-5)).read(NEW)
    assert await texts(scene, reason="nobody", **more) == found


async def test_reasons_are_found_page_by_page(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_SCANNED", 4)
    failed = await fail(scene, "First", "Nobody has this number.")
    await scene.report(*[arrival(f"A{n}") for n in range(10)])
    assert await walk(scene, MessageFilter(reason="nobody")) == [failed]
    [row] = await scene.rows(
        "SELECT DISTINCT conversation_id AS id FROM messages WHERE conversation_id IS NOT NULL"
    )
    assert await walk(scene, MessageFilter(reason="nobody", conversation_id=row["id"])) == []


async def test_what_is_not_there_matches_nothing(scene: Scene) -> None:
    assert await texts(scene, conversation_id=uuid4()) == []
    assert await texts(scene, contact_id=uuid4()) == []
    assert await texts(scene, phone_number="15550100099") == []


async def test_a_cursor_is_for_its_own_kind_of_list(scene: Scene) -> None:
    await scene.report(arrival("A1"), arrival("A2"))
    page = await scene.lists.list(scene.principal, limit=1)
    [row] = await scene.rows("SELECT id FROM conversations")
    in_thread = MessageFilter(conversation_id=row["id"])
    with pytest.raises(InvalidInputError):
        await scene.lists.list(scene.principal, in_thread, cursor=page.next_cursor)


async def test_times_at_the_ends_of_all_time_are_times(scene: Scene) -> None:
    await scene.accept("Now")
    first = scene.database.clock.now().min.replace(tzinfo=scene.database.clock.now().tzinfo)
    last = scene.database.clock.now().max.replace(tzinfo=scene.database.clock.now().tzinfo)
    assert await texts(scene, since=first, until=last) == ["Now"]
    assert await texts(scene, since=last - timedelta(days=1)) == []
