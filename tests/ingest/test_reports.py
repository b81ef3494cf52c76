"""What sessions report: known again, placed, merged, counted once, and never written by a stranger.

One report a line; `Scene.report` returns when it is committed.
"""

import asyncio
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from core_scene import ADA, AT, BOB, Scene, arrival, receipt, sent_to
from heliograph.core.events.payload_sql import unpack
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.serializers import MessageRecord
from heliograph.networks.content import ContactCard, ListReply, Location, Text
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import (
    AccountStatus,
    Changed,
    ContactSeen,
    GroupSeen,
    Receipt,
    SessionState,
)

LID, GROUP, OWN = "99887766@lid", "424242@g.sandbox", "777@sandbox"
IN_GROUP: dict[str, Any] = {"chat_jid": GROUP, "is_group": True, "group_subject": "Trip"}


# --- what arrives ---


async def test_what_arrives_twice_is_one_message(scene: Scene) -> None:
    await scene.report(arrival("A1"), arrival("A1"), arrival("A2"))
    await scene.report(arrival("A2"))
    assert await scene.count("messages") == 2
    assert await scene.event_types() == ["message.received"] * 2
    assert await scene.counted() == {("inbound", "received"): 2}
    assert (await scene.rows("SELECT unread_count FROM conversations"))[0][0] == 2
    assert (await scene.rows("SELECT received FROM account_totals"))[0][0] == 2


async def test_one_network_id_from_two_senders_is_two_messages(scene: Scene) -> None:
    await scene.report(arrival("A1", ADA), arrival("A1", BOB))
    assert await scene.count("messages") == 2


async def test_an_echo_of_our_own_message_is_no_message(scene: Scene) -> None:
    ours = await scene.send("Hello")
    await scene.report(arrival(ours.chat_message_id, chat_jid=ADA, from_me=True))
    assert await scene.count("messages") == 1
    assert await scene.event_types() == ["message.sent"]


async def test_what_the_owner_sent_from_a_phone_is_outbound(scene: Scene) -> None:
    await scene.report(arrival("P1", OWN, chat_jid=ADA, from_me=True))
    assert await scene.counted() == {("outbound", "sent"): 1}
    conversation = (await scene.rows("SELECT remote_jid, unread_count FROM conversations"))[0]
    assert tuple(conversation) == (ADA, 0)


async def test_a_reply_names_the_message_it_answers(scene: Scene) -> None:
    ours = await scene.send("Well?")
    await scene.report(arrival("A1", reply_to_chat_message_id=ours.chat_message_id))
    reply = (await scene.rows("SELECT * FROM messages WHERE direction = 'inbound'"))[0]
    assert reply["reply_to_message_id"] == ours.id
    assert reply["conversation_id"] == ours.conversation_id


@pytest.mark.parametrize("status", ["closed", "snoozed"])
async def test_what_arrives_opens_a_conversation_again(scene: Scene, status: str) -> None:
    await scene.report(arrival("A1"))
    await scene.database.pool.execute("UPDATE conversations SET status = $1", status)
    await scene.report(arrival("A2"))
    assert (await scene.rows("SELECT status FROM conversations"))[0][0] == "open"


async def test_a_group_has_one_conversation_and_its_members_are_people(scene: Scene) -> None:
    await scene.report(arrival("A1", ADA, **IN_GROUP), arrival("A1", BOB, **IN_GROUP))
    conversation = (await scene.rows("SELECT * FROM conversations"))[0]
    assert (conversation["remote_jid"], conversation["is_group"]) == (GROUP, True)
    assert conversation["contact_id"] is None
    assert conversation["unread_count"] == 2
    messages = await scene.rows("SELECT * FROM messages")
    assert {row["chat_type"] for row in messages} == {"group"}
    assert {row["phone_number"] for row in messages} == {GROUP}
    assert len({row["contact_id"] for row in messages}) == 2


async def read_record(scene: Scene, message_id: str) -> Any:
    record = await scene.messages.get(scene.principal, UUID(message_id))
    return msgspec.json.decode(msgspec.json.encode(record))


async def test_who_wrote_in_a_group_stands_in_the_webhook_and_in_the_record(scene: Scene) -> None:
    await scene.report(
        arrival("A4", OWN, **IN_GROUP, from_me=True),
        arrival("A1", ADA, **IN_GROUP, sender_name="Ada", sender_phone_number="+15550100001"),
        arrival("A2", LID, **IN_GROUP),
        arrival("A3", ADA),
    )
    ours, ada, hidden, direct = await scene.told()
    contact_id = ada["contact_id"]
    assert ada["sender"] == {
        "contact_id": contact_id,
        "jid": ADA,
        "phone_number": "+15550100001",
        "name": "Ada",
    }
    assert (hidden["sender"]["jid"], hidden["sender"]["name"]) == (LID, None)
    assert (direct["sender"], ours["sender"]) == (None, None)
    for payload in (ada, hidden, direct, ours):
        record = await read_record(scene, payload["id"])
        assert record == {name: payload[name] for name in record}


async def test_the_sender_in_a_group_is_the_one_that_a_merged_contact_has_become(
    scene: Scene,
) -> None:
    await scene.report(arrival("A1", ADA))
    await scene.report(arrival("A2", LID, **IN_GROUP))
    await scene.report(ContactSeen(ADA, "+15550100001", chat_name="Ada"))
    await scene.report(ContactSeen(LID, "+15550100001"))
    first, second = (await scene.told())[:2]
    assert second["sender"]["contact_id"] != first["contact_id"]
    sender = (await read_record(scene, second["id"]))["sender"]
    assert (sender["contact_id"], sender["name"]) == (first["contact_id"], "Ada")
    change = Changed("deleted", GROUP, LID, "C1", "A2", LID, AT)
    await scene.report(change)
    assert (await scene.told())[-1]["sender"] == sender


async def test_a_chosen_row_a_place_and_a_card_arrive_whole(scene: Scene) -> None:
    said = [
        ListReply("r7", "Tuesday", "from nine"),
        Location(50.5, -7.25, "Harbour", "Quay 1"),
        ContactCard("Bruno", "BEGIN:VCARD\r\nEND:VCARD\r\n"),
    ]
    await scene.report(*[replace(arrival(f"A{n}"), content=each) for n, each in enumerate(said)])
    row, place, card = [payload["typed_content"] for payload in await scene.told()]
    assert (row["type"], row["id"], row["title"]) == ("list_reply", "r7", "Tuesday")
    assert (place["type"], place["latitude"], place["longitude"]) == ("location", 50.5, -7.25)
    assert (card["type"], card["vcard"]) == ("contact", "BEGIN:VCARD\r\nEND:VCARD\r\n")
    for data in await scene.told():
        assert (await read_record(scene, data["id"]))["typed_content"] == data["typed_content"]


async def test_a_group_is_called_by_its_newest_subject(scene: Scene) -> None:
    await scene.report(GroupSeen(GROUP, "Trip"), GroupSeen(GROUP, "Trip to Lisbon"))
    await scene.report(arrival("A1", ADA, chat_jid=GROUP, is_group=True))
    groups = await scene.rows("SELECT subject FROM chat_groups")
    assert [row["subject"] for row in groups] == ["Trip to Lisbon"]


# --- what others do to what we sent ---


async def test_only_the_chat_of_what_we_sent_changes_it_and_its_people_only_react(
    scene: Scene,
) -> None:
    message = await scene.send("Hello")
    chat, said = message.remote_jid, message.chat_message_id
    assert chat is not None
    assert said is not None
    before = await scene.event_types()
    stranger = "999@sandbox"
    await scene.report(
        Changed("reaction", stranger, stranger, "C1", said, stranger, AT, emoji="😡"),
        Changed("deleted", stranger, stranger, "C2", said, stranger, AT),
        Changed("edited", chat, chat, "C3", said, chat, AT, content=Text("Never said")),
        Changed("deleted", chat, chat, "C4", said, OWN, AT),
    )
    assert await scene.event_types() == before
    assert (await read_record(scene, str(message.id)))["content"] == "Hello"
    await scene.report(
        Changed("reaction", chat, chat, "C5", said, OWN, AT, emoji="👍"),
        Changed("deleted", chat, OWN, "C6", said, OWN, AT, from_own_account=True),
    )
    assert len(await scene.event_types()) == len(before) + 2


async def test_in_a_group_only_the_account_itself_changes_what_it_sent(scene: Scene) -> None:
    """The other members know the id, and may say of themselves whatever they like."""
    message = await scene.send("Hello", GROUP)
    said, before = message.chat_message_id, await scene.event_types()
    for number, sender in enumerate((ADA, OWN)):
        edit = Changed("edited", GROUP, sender, f"E{number}", said, OWN, AT, content=Text("Never"))
        await scene.report(edit, Changed("deleted", GROUP, sender, f"D{number}", said, OWN, AT))
    assert await scene.event_types() == before
    record = await read_record(scene, str(message.id))
    assert (record["content"], record["deleted_at"]) == ("Hello", None)
    await scene.report(
        Changed("reaction", GROUP, ADA, "R1", said, OWN, AT, emoji="👍"),
        Changed("deleted", GROUP, OWN, "D9", said, OWN, AT, from_own_account=True),
    )
    assert await scene.event_types() == [*before, "message.reaction", "message.deleted"]


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_what_the_account_sent_from_its_phone_is_changed_by_itself_alone(
    scene: Scene, in_one_batch: bool
) -> None:
    told = arrival("A1", OWN, chat_jid=GROUP, is_group=True, from_me=True)
    forged = Changed("edited", GROUP, ADA, "E1", "A1", OWN, AT, content=Text("Never said"))
    await scene.report_each(told, forged, at_once=in_one_batch)
    before = await scene.event_types()
    assert "message.edited" not in before
    own = Changed("edited", GROUP, OWN, "E2", "A1", OWN, AT, Text("Said"), from_own_account=True)
    await scene.report(own)
    assert await scene.event_types() == [*before, "message.edited"]


def said_anew(of: str, change_id: str = "C1", **more: Any) -> Changed:
    told = arrival(change_id, ADA, text="Ten, not nine", **more)
    chat = told.chat_jid
    return Changed("edited", chat, ADA, change_id, of, ADA, AT, told.content, otherwise=told)


async def test_what_is_said_anew_of_a_message_that_nobody_knows_is_a_message(scene: Scene) -> None:
    await scene.report(said_anew("A1"))
    await scene.report(said_anew("A1"))
    await scene.report(said_anew("A2", "C2", **IN_GROUP), said_anew("A3", "C3"))
    assert await scene.event_types() == ["message.received"] * 3
    assert {each["content"] for each in await scene.told()} == {"Ten, not nine"}
    assert await scene.counted() == {("inbound", "received"): 3}


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_what_is_said_anew_of_a_known_message_changes_it(
    scene: Scene, in_one_batch: bool
) -> None:
    first, second = arrival("A1", ADA), said_anew("A1")
    await scene.report_each(first, second, at_once=in_one_batch)
    await scene.report(second)
    assert await scene.event_types() == ["message.received", "message.edited"]
    assert await scene.count("messages") == 1


async def test_what_is_said_anew_in_our_name_is_not_told(scene: Scene) -> None:
    message = await scene.send("Hello", ADA)
    before = await scene.event_types()
    assert message.chat_message_id is not None
    await scene.report(said_anew(message.chat_message_id))
    assert await scene.event_types() == before


# --- receipts ---


async def test_each_state_is_told_once_in_its_order(scene: Scene) -> None:
    message = await scene.send("Hello")
    steps = [receipt(message, kind) for kind in ("delivered", "delivered", "read", "delivered")]
    await scene.report(*steps, receipt(message, "read"))
    assert await scene.event_types() == ["message.sent", "message.delivered", "message.read"]
    assert await scene.counted() == {("outbound", "read"): 1}


async def test_a_receipt_before_the_sent_outcome_proves_it(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    await scene.report(receipt(claimed, "delivered"))
    await scene.report(MessageTaken(claimed.id, sent_to(ADA)))
    assert await scene.event_types() == ["message.sent", "message.delivered"]
    message = await scene.message(claimed.id)
    assert message.status is MessageStatus.DELIVERED
    assert message.conversation_id is not None
    assert message.contact_id is not None
    assert (await scene.rows("SELECT sent FROM account_totals"))[0][0] == 1


async def test_both_in_one_batch_are_told_once_too(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    taken = MessageTaken(claimed.id, sent_to(ADA))
    await scene.report(receipt(claimed, "read"), taken, receipt(claimed, "delivered"))
    assert await scene.event_types() == ["message.sent", "message.read", "message.delivered"]
    assert await scene.counted() == {("outbound", "read"): 1}


async def test_whose_message_a_receipt_proves_is_known_by_number(scene: Scene) -> None:
    """The network told nothing but its address, as the answer to the attempt was lost."""
    claimed = await scene.begin("Hello")
    await scene.report(receipt(claimed, "delivered"))
    message = await scene.message(claimed.id)
    [contact] = await scene.rows("SELECT phone_number FROM contacts")
    assert contact["phone_number"] == message.phone_number == f"+{ADA.partition('@')[0]}"


async def test_a_late_receipt_keeps_the_state_and_sets_its_time(scene: Scene) -> None:
    message = await scene.send("Hello")
    later = AT + timedelta(minutes=5)
    await scene.report(receipt(message, "read"))
    await scene.report(receipt(message, "delivered", later))
    after = await scene.message(message.id)
    assert (after.status, after.read_at, after.delivered_at) == (MessageStatus.READ, AT, later)


async def test_a_receipt_for_a_failed_message_proves_that_it_arrived(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    await scene.report(MessageRefused(claimed.id, "No answer."))
    await scene.report(receipt(claimed, "delivered"))
    message = await scene.message(claimed.id)
    assert (message.status, message.failure_reason) == (MessageStatus.DELIVERED, None)
    assert await scene.counted() == {("outbound", "delivered"): 1}


async def test_a_failure_that_the_network_tells_after_it_took_the_message_is_told(
    scene: Scene,
) -> None:
    message = await scene.send("Hello")
    failed = replace(receipt(message, "failed", AT + timedelta(minutes=1)), reason="No such user.")
    await scene.report(failed, failed)
    after = await scene.message(message.id)
    assert (after.status, after.failure_reason) == (MessageStatus.FAILED, "No such user.")
    assert (after.sent_at, after.failed_at) == (AT, failed.at)
    assert await scene.event_types() == ["message.sent", "message.failed"]
    assert await scene.counted() == {("outbound", "failed"): 1}
    await scene.report(receipt(message, "sent"), receipt(message, "delivered"), failed)
    assert await scene.event_types() == ["message.sent", "message.failed", "message.delivered"]
    assert await scene.counted() == {("outbound", "delivered"): 1}
    assert (await scene.message(message.id)).failure_reason is None
    assert (await scene.rows("SELECT sent FROM account_totals"))[0][0] == 1


@pytest.mark.parametrize("kind", ["delivered", "read"])
async def test_what_has_arrived_fails_no_more(scene: Scene, kind: str) -> None:
    message = await scene.send("Hello")
    await scene.report(
        receipt(message, "failed"), receipt(message, kind), receipt(message, "failed")
    )
    assert (await scene.message(message.id)).status == kind
    assert await scene.counted() == {("outbound", kind): 1}


async def test_a_worker_that_gives_up_does_not_take_back_what_the_network_took(
    scene: Scene,
) -> None:
    claimed = await scene.begin("Hello")
    await scene.report(receipt(claimed, "sent"), MessageRefused(claimed.id, "Refused as a double."))
    assert (await scene.message(claimed.id)).status is MessageStatus.SENT
    assert await scene.event_types() == ["message.sent"]


async def test_a_receipt_for_nobodys_message_is_nothing(scene: Scene) -> None:
    message = await scene.send("Hello")
    await scene.database.pool.execute("DELETE FROM messages")
    await scene.report(receipt(message, "read"))
    assert await scene.event_types() == ["message.sent"]


@pytest.mark.parametrize(
    ("to", "is_group", "chat_type"),
    [(ADA, True, "group"), ("424242@g.sandbox", False, "individual")],
)
async def test_the_account_that_has_sent_knows_whether_it_went_to_a_group(
    scene: Scene, to: str, is_group: bool, chat_type: str
) -> None:
    message_id = (await scene.begin("Hello", to)).id
    taken = replace(sent_to(to), is_group=is_group, phone_number=None)
    await scene.report(MessageTaken(message_id, taken))
    record = await read_record(scene, str(message_id))
    [payload] = await scene.told()
    for shown in (record, payload):
        assert (shown["chat_type"], shown["group_jid"]) == (chat_type, to if is_group else None)
    assert (await scene.rows("SELECT is_group FROM conversations"))[0][0] is is_group
    assert bool(record["contact_id"]) is not is_group


# --- people ---


async def contact_of(scene: Scene, jid: str) -> UUID:
    rows = await scene.rows("SELECT contact_id FROM contact_addresses WHERE remote_jid = $1", jid)
    return UUID(str(rows[0]["contact_id"]))


async def test_a_hidden_id_and_its_number_become_one_person(scene: Scene) -> None:
    await scene.report(arrival("A1", LID))
    await scene.report(arrival("A2", ADA, sender_phone_number="+15550100001"))
    older, newer = await contact_of(scene, LID), await contact_of(scene, ADA)

    await scene.report(ContactSeen(LID, phone_number="+15550100001", name="Ada"))

    assert await contact_of(scene, LID) == await contact_of(scene, ADA) == older
    rows = await scene.rows("SELECT id, merged_into, phone_number, name FROM contacts")
    contacts = {row["id"]: tuple(row)[1:] for row in rows}
    assert contacts == {
        older: (None, "+15550100001", "Ada"),
        newer: (older, contacts[newer][1], contacts[newer][2]),
    }
    conversations = await scene.rows("SELECT DISTINCT contact_id FROM conversations")
    assert [row[0] for row in conversations] == [older]


async def test_of_three_that_are_one_the_oldest_stays(scene: Scene) -> None:
    await scene.report(arrival("A1", LID))
    await scene.report(arrival("A2", "111@lid"))
    await scene.report(arrival("A3", ADA, sender_phone_number="+15550100001"))
    oldest = await contact_of(scene, LID)
    await scene.report(
        ContactSeen("111@lid", phone_number="+15550100001"),
        ContactSeen(LID, phone_number="+15550100001"),
    )
    for jid in (LID, "111@lid", ADA):
        assert await contact_of(scene, jid) == oldest
    merged = await scene.rows("SELECT merged_into FROM contacts WHERE id <> $1", oldest)
    assert {row[0] for row in merged} == {oldest}


async def test_two_hidden_ids_whose_number_is_told_at_once_are_one_person(scene: Scene) -> None:
    await scene.report(arrival("A1", LID), arrival("A2", "111@lid"))
    await scene.report(
        ContactSeen(LID, phone_number="+15550100001"),
        ContactSeen("111@lid", phone_number="+15550100001"),
    )
    assert await contact_of(scene, LID) == await contact_of(scene, "111@lid")


async def test_a_number_that_is_known_already_gets_the_new_address(scene: Scene) -> None:
    await scene.report(ContactSeen(ADA, phone_number="+15550100001", name="Ada"))
    await scene.report(ContactSeen(LID, phone_number="+15550100001", chat_name="ada!"))
    assert await scene.count("contacts") == 1
    row = (await scene.rows("SELECT name, chat_name FROM contacts"))[0]
    assert tuple(row) == ("Ada", "ada!")


# --- who may report, and what a lost answer does ---


async def test_a_pair_of_addresses_alone_makes_nobody_a_contact_and_merges_those_there_are(
    scene: Scene,
) -> None:
    pair = ContactSeen(LID, phone_number="+15550100001", if_known=True)

    await scene.report(pair)
    assert await scene.count("contacts") == 0
    await scene.report(ContactSeen(ADA, phone_number="+15550100001"), ContactSeen(LID, name="Ada"))
    assert len(await scene.rows("SELECT 1 FROM contacts WHERE merged_into IS NULL")) == 2
    await scene.report(pair)

    [row] = await scene.rows("SELECT name, phone_number FROM contacts WHERE merged_into IS NULL")
    assert tuple(row) == ("Ada", "+15550100001")


async def test_a_lost_lease_writes_nothing(scene: Scene) -> None:
    message_id = (await scene.begin("Hello")).id
    before = await scene.counted()
    await scene.take_over()
    with pytest.raises(LeaseLostError):
        await scene.report(MessageTaken(message_id, sent_to(ADA)), arrival("A1"))
    assert await scene.event_types() == []
    assert await scene.count("messages") == 1
    assert await scene.counted() == before


async def test_a_lost_lease_does_not_harm_what_shares_its_batch(scene: Scene) -> None:
    old, new = scene.lease, await scene.take_over()
    with pytest.raises(LeaseLostError):
        await scene.report(arrival("A1"), lease=old)
    await scene.report(arrival("A2"), lease=new)
    assert await scene.event_types() == ["message.received"]


async def test_a_message_put_back_keeps_its_reason_and_waits(scene: Scene) -> None:
    message_id = (await scene.begin("Hello")).id
    until = scene.database.clock.now() + timedelta(hours=1)
    await scene.report(MessagePostponed(message_id, until, "Busy.", is_attempt=True))
    message = await scene.message(message_id)
    assert (message.status, message.retry_count) == (MessageStatus.QUEUED, 1)
    assert (message.next_attempt_at, message.failure_reason) == (until, "Busy.")
    assert await scene.claim() == []
    assert await scene.event_types() == []


# --- devices ---


async def test_a_device_is_told_of_when_it_changes(scene: Scene) -> None:
    await scene.report(SessionState(AccountStatus.CONNECTED, phone_number="+4915550100"))
    await scene.report(SessionState(AccountStatus.CONNECTED))
    await scene.report(SessionState(AccountStatus.DISCONNECTED, "The line is dead."))
    await scene.report(SessionState(AccountStatus.CONNECTING))
    assert await scene.event_types() == ["device.connected", "device.disconnected"]
    account = (await scene.rows("SELECT status, phone_number FROM accounts"))[0]
    assert tuple(account) == ("disconnected", "+4915550100"), "it is what was told"


async def test_an_account_that_connects_again_shows_what_ended_its_connection(scene: Scene) -> None:
    shown = []
    for state in (
        SessionState(AccountStatus.DISCONNECTED, "The line is dead."),
        SessionState(AccountStatus.CONNECTING),
        SessionState(AccountStatus.CONNECTED),
    ):
        await scene.report(state)
        shown += await scene.rows("SELECT status_reason FROM accounts")
    assert [row["status_reason"] for row in shown] == ["The line is dead."] * 2 + [None]


async def test_a_new_account_is_told_of_to_its_organization_in_the_same_transaction(
    scene: Scene,
) -> None:
    hook = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/", ["device.*"])
    made = await scene.accounts.create(scene.principal, "sandbox", "Second", "second", {})
    [event] = await scene.rows("SELECT * FROM events")
    assert event["type"] == "device.pairing"
    data = msgspec.json.decode(unpack(event["payload"]))["data"]
    assert (data["id"], data["status"], data["is_primary"]) == (str(made.id), "pairing", False)
    assert data["reason"] is None
    [delivery] = await scene.rows("SELECT * FROM delivery_queue")
    assert (delivery["webhook_id"], delivery["event_id"]) == (hook.webhook.id, event["id"])
    same = await scene.rows(
        "SELECT 1 FROM accounts a JOIN events e ON e.shard = a.shard WHERE a.xmin = e.xmin"
    )
    assert len(same) == 1, "the event and the account are not of one transaction"


async def test_an_account_that_goes_back_to_pairing_is_told_of_again(scene: Scene) -> None:
    await scene.report(SessionState(AccountStatus.PAIRING))
    assert await scene.event_types() == []  # its creation was an event already
    await scene.report(
        SessionState(AccountStatus.CONNECTED), SessionState(AccountStatus.LOGGED_OUT)
    )
    await scene.report(SessionState(AccountStatus.PAIRING), SessionState(AccountStatus.PAIRING))
    assert await scene.event_types() == ["device.connected", "device.logged_out", "device.pairing"]


async def test_what_a_session_asks_to_keep_is_encrypted(scene: Scene) -> None:
    secrets = {"registration": "canary-7731"}
    await scene.report(SessionState(AccountStatus.CONNECTED, secrets=secrets))
    kept = (await scene.rows("SELECT secrets FROM accounts"))[0][0]
    assert kept
    assert b"canary-7731" not in kept


async def test_what_follows_a_message_sent_from_a_phone_finds_it(scene: Scene) -> None:
    """After a reconnect, all of it comes at once."""
    await scene.report(
        arrival("M1", chat_jid=BOB, from_me=True),
        Receipt(BOB, "M1", "read", AT),
        arrival("A1", BOB, reply_to_chat_message_id="M1"),
    )
    sent, reply = await scene.rows(
        "SELECT id, status, reply_to_message_id FROM messages ORDER BY seq"
    )
    assert sent["status"] == "read"
    assert reply["reply_to_message_id"] == sent["id"]
    assert await scene.counted() == await scene.recounted()


@pytest.mark.parametrize("kind", ["sent", "delivered", "read", "failed"])
async def test_a_receipt_by_a_stranger_to_the_chat_changes_nothing(
    scene: Scene, kind: Literal["sent", "delivered", "read", "failed"]
) -> None:
    """On some networks anybody who knows a message's id can write one."""
    sent, waiting = await scene.accept("sent"), await scene.accept("waiting")
    await scene.claim()
    await scene.report(MessageTaken(sent, sent_to(ADA)))

    async def what_there_is() -> tuple[object, ...]:
        return await scene.counted(), await scene.event_types(), await scene.count("conversations")

    before = await what_there_is()
    for message_id in (sent, waiting):
        message = await scene.message(message_id)
        forged = Receipt(BOB, message.chat_message_id, kind, AT, only_of_chat=True)
        await scene.report(forged)

    assert await scene.statuses() == {"sent": "sent", "waiting": "sending"}
    assert await what_there_is() == before
    for message_id in (sent, waiting):
        honest = replace(receipt(await scene.message(message_id), "read"), only_of_chat=True)
        await scene.report(honest)
    assert await scene.statuses() == {"sent": "read", "waiting": "read"}


async def test_a_number_that_another_node_learns_at_the_same_moment(scene: Scene) -> None:
    await scene.report(ContactSeen("1@lid", chat_name="Ada"), ContactSeen("2@lid", chat_name="Ada"))
    async with scene.database.pool.acquire() as connection:
        other = connection.transaction()
        await other.start()
        await connection.execute(
            """
            UPDATE contacts SET phone_number = '+15550100009' WHERE id = (
                SELECT contact_id FROM contact_addresses WHERE remote_jid = '1@lid'
            )
            """
        )
        reporting = asyncio.create_task(
            scene.report(ContactSeen("2@lid", phone_number="+15550100009", chat_name="Ada"))
        )
        await asyncio.sleep(0.3)
        await other.commit()
    await reporting
    assert len(await scene.rows("SELECT 1 FROM contacts WHERE merged_into IS NULL")) == 1


# --- whom a message goes to ---


async def record_of(scene: Scene, message_id: UUID) -> MessageRecord:
    return await scene.messages.get(scene.principal, message_id)


async def test_a_message_has_its_contact_at_once_where_it_is_known(scene: Scene) -> None:
    await scene.report(arrival("A1"), ContactSeen(ADA, name="Ada"))
    ada = await contact_of(scene, ADA)
    known, unknown = await scene.accept("Hello"), await scene.accept("Hello", BOB)

    record, other = await record_of(scene, known), await record_of(scene, unknown)

    assert (record["status"], record["contact_id"], record["contact_name"]) == (
        "queued",
        ada,
        "Ada",
    )
    assert (other["contact_id"], other["contact_name"]) == (None, None)
    await scene.claim()
    await scene.report(MessageTaken(known, sent_to(ADA)))
    assert (await record_of(scene, known))["contact_id"] == ada


async def test_a_contact_is_known_by_its_number_too_and_as_whom_it_was_merged_into(
    scene: Scene,
) -> None:
    await scene.report(ContactSeen(LID, phone_number="+15550100001", name="Ada"))
    by_number = await record_of(scene, await scene.accept("Hello", "+15550100001"))
    assert (by_number["contact_id"], by_number["contact_name"]) == (
        await contact_of(scene, LID),
        "Ada",
    )
    await scene.report(ContactSeen("1@lid"), ContactSeen(BOB, phone_number="+15550100002"))
    bob = await scene.accept("Hello", BOB)
    await scene.report(ContactSeen("1@lid", phone_number="+15550100002", name="Bob"))
    assert (await record_of(scene, bob))["contact_id"] == await contact_of(scene, "1@lid")


async def test_nobody_is_a_contact_of_somebody_elses_message(scene: Scene) -> None:
    """The same number, in another organization and on another network."""
    await scene.report(ContactSeen(ADA, name="Ada"))
    await scene.rows("UPDATE contacts SET phone_number = NULL")
    message_id = await scene.accept("Hello")
    await scene.rows("UPDATE contact_addresses SET network = 'another'")
    assert (await record_of(scene, message_id))["contact_id"] is None


async def refuse(scene: Scene, *people: str) -> tuple[list[UUID], dict[str, Any]]:
    """Messages to these people that the network refuses, and what was told of each by its id."""
    ids = [await scene.accept("Hello", person) for person in people]
    await scene.claim()
    await scene.report(*[MessageRefused(message_id, "No.") for message_id in ids])
    return ids, {data["id"]: data for data in await scene.told("message.failed")}


async def test_a_message_that_was_refused_belongs_to_the_conversation_that_there_is(
    scene: Scene,
) -> None:
    """And begins none: to somebody whom the network does not know, nothing was said."""
    await scene.report(arrival("A1"))
    [[conversation_id]] = await scene.rows("SELECT id FROM conversations")
    (known, unknown), told = await refuse(scene, ADA, BOB)

    for message_id, expected in ((known, conversation_id), (unknown, None)):
        assert (await record_of(scene, message_id))["conversation_id"] == expected
        assert told[str(message_id)]["conversation_id"] == (expected and str(expected))
    assert await scene.count("conversations") == 1


async def test_a_message_that_was_never_sent_names_its_contact_in_event_and_record(
    scene: Scene,
) -> None:
    await scene.report(arrival("A1"), ContactSeen(ADA, name="Ada"))
    ada = await contact_of(scene, ADA)
    (known, unknown), by_id = await refuse(scene, ADA, BOB)

    for message_id, contact in ((known, (str(ada), "Ada")), (unknown, (None, None))):
        data, record = by_id[str(message_id)], await record_of(scene, message_id)
        assert (data["contact_id"], data["contact_name"]) == contact
        assert (
            record["contact_id"] and str(record["contact_id"]),
            record["contact_name"],
        ) == contact
    assert await scene.count("contacts") == 1
