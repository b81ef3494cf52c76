"""Reports and outcomes are written in batches; one that can't be stored takes no other with it."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from msgspec.structs import replace

import webhook_scene
from core_scene import ADA, AT, BOB, Scene, arrival, receipt, sent_to
from delivery_tables import of_all
from heliograph.core.cluster.sql import WEBHOOK_LEASES, claim_leases, list_owned_leases
from heliograph.core.events.model import Event
from heliograph.core.ingest.model import MessageRefused, MessageTaken, ReportedEvent
from heliograph.core.ingest.storable import MAX_NAME_LENGTH, storable
from heliograph.core.webhooks.model import ClaimRequest, DeliveryStatus, Outcome
from heliograph.core.webhooks.posting.outcomes import NOT_RECORDED, OutcomeWriter
from heliograph.core.webhooks.queue.sql import claim_deliveries
from heliograph.networks.content import Referral, Text
from heliograph.networks.port import (
    Changed,
    ContactSeen,
    GroupSeen,
    Inbound,
    ReadElsewhere,
    Receipt,
)

NEVER = datetime.max.replace(tzinfo=UTC)
NUL, SURROGATE = "a\x00b", "a\ud800b"
ENDLESS = "".join(uuid4().hex for _ in range(500))
GROUP = "1@g.sandbox"
KEPT_IN_PART: dict[str, Inbound] = {
    "the text": arrival("P1", text=NUL),
    "a lone surrogate in the text": arrival("P2", text=SURROGATE),
    "the sender's name": arrival("P3", sender_name=NUL),
    "a lone surrogate in the name": arrival("P4", sender_name=SURROGATE),
    "the group's subject": arrival("P5", chat_jid=GROUP, is_group=True, group_subject=NUL),
    "the network's id": arrival(NUL),
    "an id too long for an index": arrival(ENDLESS),
    "a sender's number": arrival("P6", sender_phone_number=NUL),
    "what it answers": arrival("P7", reply_to_chat_message_id=NUL),
    "what it came from": arrival("P8", referral=Referral(headline=SURROGATE)),
    "its time": arrival("P9", sent_at=NEVER, may_press=True),
    "what it says": replace(arrival("P10"), content=Text(object())),  # type: ignore[arg-type]
}
LEFT_OUT: dict[str, ReportedEvent] = {
    "the chat": arrival("P", chat_jid=NUL),
    "the sender": arrival("P", sender=NUL),
    "a contact's name": ContactSeen(ADA, chat_name=NUL),
    "a group": GroupSeen(GROUP, NUL),
    "a receipt's id": Receipt(ADA, NUL, "read", AT),
    "an edit": Changed("edited", ADA, ADA, "P", "an edit 0", ADA, AT, Text(object())),  # type: ignore[arg-type]
}
UNRECORDABLE: list[dict[str, object]] = [
    {"response_body": NUL},
    {"error_message": NUL},
    {"address": NUL},
    {"webhook_url": NUL},
    {"response_body": SURROGATE},
    {"response_code": 2**31},
    {"duration_ms": 2**31},
    {"next_attempt_at": "soon"},
]


async def test_news_that_can_not_be_stored_is_left_out_alone(scene: Scene) -> None:
    for where, poison in LEFT_OUT.items():
        others = [arrival(f"{where} {number}") for number in range(20)]
        await scene.report(*others[:9], poison, *others[9:])
    kept = await scene.rows("SELECT chat_message_id FROM messages ORDER BY seq")
    assert [row[0] for row in kept] == [f"{w} {n}" for w in LEFT_OUT for n in range(20)]
    assert await scene.counted() == await scene.recounted()
    assert await scene.event_types() == ["message.received"] * len(kept)


async def test_of_a_message_that_can_not_be_stored_it_is_kept_that_it_came(scene: Scene) -> None:
    for where, poison in KEPT_IN_PART.items():
        await scene.report(arrival(f"{where} 1"), poison, arrival(f"{where} 2"))
    kept = await scene.rows("SELECT content ->> 'type' FROM messages ORDER BY seq")
    assert [row[0] for row in kept] == ["text", "system", "text"] * len(KEPT_IN_PART)
    await scene.report(KEPT_IN_PART["an id too long for an index"])
    assert len(await scene.rows("SELECT id FROM messages")) == len(kept)
    assert await scene.counted() == await scene.recounted()
    assert await scene.event_types() == ["message.received"] * len(kept)


async def test_a_name_that_shows_nothing_is_none_and_what_turns_text_is_in_no_name(
    scene: Scene,
) -> None:
    events = [
        arrival("A1", sender_name="\u3164", sender_phone_number="+15550100001"),
        arrival("A2", BOB, sender_name="B\u202eob", sender_phone_number="+15550100002"),
    ]
    await scene.report(*[storable(event) for event in events])
    named = await scene.rows("SELECT chat_name FROM contacts ORDER BY phone_number")
    assert [row[0] for row in named] == [None, "Bob"]


async def test_a_name_without_end_holds_up_nothing(scene: Scene) -> None:
    endless = "ab" * 10_000
    event = storable(arrival("A1", sender_name=endless, sender_phone_number="+15550100001"))
    await scene.report(event, storable(ContactSeen(BOB, "+15550100002", name=endless)))
    named = await scene.rows("SELECT coalesce(name, chat_name) FROM contacts")
    assert [len(row[0]) for row in named] == [MAX_NAME_LENGTH] * 2


@pytest.mark.parametrize("at", [datetime.min.replace(tzinfo=UTC), NEVER])
def test_a_time_to_which_nothing_can_be_added_becomes_one(at: datetime) -> None:
    arrived = storable(arrival("A1", sent_at=at))
    read = storable(Receipt(ADA, "A1", "read", at))
    elsewhere = storable(ReadElsewhere(ADA, at, ()))
    deleted = storable(Changed("deleted", ADA, ADA, "A2", "A1", ADA, at))
    assert isinstance(arrived, Inbound)
    assert isinstance(read, Receipt)
    assert isinstance(elsewhere, ReadElsewhere)
    assert isinstance(deleted, Changed)
    year = timedelta(days=366)
    for stored in (arrived.sent_at, read.at, elsewhere.at, deleted.at):
        assert stored - year < stored < stored + year


async def test_texts_that_can_not_be_stored_are_mended_and_all_is_one_transaction(
    scene: Scene,
) -> None:
    poison = KEPT_IN_PART | LEFT_OUT
    texts = [news for where, news in poison.items() if "text" in where or "name" in where]
    events = [storable(news) for news in texts if isinstance(news, (Inbound, ContactSeen))]
    named = [
        replace(event, chat_message_id=f"P{number}") if isinstance(event, Inbound) else event
        for number, event in enumerate(events)
    ]
    await scene.report(arrival("A1"), *named, arrival("A2"))
    kept = await scene.rows("SELECT xmin::text, content ->> 'body' AS text FROM messages")
    assert len(kept) == 2 + sum(isinstance(event, Inbound) for event in events)
    assert len({row["xmin"] for row in kept}) == 1


async def test_an_outcome_that_can_not_be_stored_leaves_the_others_theirs(scene: Scene) -> None:
    ids = [await scene.accept(f"{number}") for number in range(9)]
    await scene.claim()
    taken: list[ReportedEvent] = [MessageTaken(id_, sent_to(ADA)) for id_ in ids]
    taken[3] = MessageTaken(ids[3], sent_to(ADA, contact_name=NUL))
    taken[6] = MessageRefused(ids[6], NUL)
    await scene.report(*taken)
    statuses = await scene.statuses()
    assert [statuses[f"{number}"] for number in range(9)] == [
        "sending" if number in (3, 6) else "sent" for number in range(9)
    ]
    await scene.report(receipt(await scene.message(ids[3]), "read"))
    assert (await scene.statuses())["3"] == "read"
    assert await scene.counted() == await scene.recounted()


async def test_records_of_deliveries_that_can_not_be_stored_fail_alone(database_url: str) -> None:
    async with webhook_scene.playing(database_url) as scene:
        outcomes = await _outcomes(scene, 2 * len(UNRECORDABLE))
        for number, poison in enumerate(UNRECORDABLE):
            bad = replace(outcomes[2 * number], **poison)
            outcomes[2 * number] = bad
        writer = OutcomeWriter(scene.database, lambda _: True)
        written = await asyncio.gather(*[writer.record(outcome) for outcome in outcomes])
        assert [outcome != NOT_RECORDED for outcome in written] == [False, True] * len(UNRECORDABLE)
        assert await scene.statuses() == ["pending", "delivered"] * len(UNRECORDABLE)
        attempts = await scene.rows(of_all("SELECT delivery_id FROM delivery_attempts"))
        assert len(attempts) == len(UNRECORDABLE)


async def _outcomes(scene: webhook_scene.Scene, count: int) -> list[Outcome]:
    """What came of so many deliveries of one webhook, which is ours."""
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/")
    events: list[Event] = [scene.event() for _ in range(count)]
    await scene.emit(*events)
    shard, node_id, now = scene.tenant.shard, uuid4(), scene.database.clock.now()
    await scene.database.transact(claim_leases, WEBHOOK_LEASES, shard, node_id, [], 1)
    [lease] = await scene.database.read(list_owned_leases, WEBHOOK_LEASES, node_id)
    claimed = await scene.database.read(
        claim_deliveries, shard, [ClaimRequest(lease, count)], now + timedelta(seconds=1)
    )
    return [
        Outcome(
            lease=lease,
            delivery=delivery,
            webhook_url="http://127.0.0.1:9/",
            number=1,
            started_at=now,
            ended_at=now,
            duration_ms=1,
            status=DeliveryStatus.DELIVERED,
            next_attempt_at=None,
            response_code=200,
            response_body="ok",
            error_message=None,
            address="127.0.0.1",
        )
        for delivery in claimed
    ]
