"""Reports and outcomes are written in batches; one that can't be stored takes no other with it."""

import asyncio
from datetime import timedelta
from uuid import uuid4

from msgspec.structs import replace

import webhook_scene
from core_scene import ADA, AT, arrival, playing, receipt, sent_to
from delivery_tables import of_all
from heliograph.core.cluster.sql import WEBHOOK_LEASES, claim_leases, list_owned_leases
from heliograph.core.events.model import Event
from heliograph.core.ingest.model import MessageRefused, MessageTaken, ReportedEvent
from heliograph.core.ingest.storable import storable
from heliograph.core.webhooks.model import ClaimRequest, DeliveryStatus, Outcome
from heliograph.core.webhooks.outcomes import NOT_RECORDED, OutcomeWriter
from heliograph.core.webhooks.queue_sql import claim_deliveries
from heliograph.networks.port import ContactSeen, GroupSeen, Inbound, Receipt

NUL, SURROGATE = "a\x00b", "a\ud800b"
ENDLESS = "".join(uuid4().hex for _ in range(500))
GROUP = "1@g.sandbox"
POISON: dict[str, ReportedEvent] = {
    "the text": arrival("P", text=NUL),
    "a lone surrogate in the text": arrival("P", text=SURROGATE),
    "the sender's name": arrival("P", sender_name=NUL),
    "a lone surrogate in the name": arrival("P", sender_name=SURROGATE),
    "the group's subject": arrival("P", chat_jid=GROUP, is_group=True, group_subject=NUL),
    "the network's id": arrival(NUL),
    "an id too long for an index": arrival(ENDLESS),
    "the chat": arrival("P", chat_jid=NUL),
    "the sender": arrival("P", sender=NUL),
    "a sender's number": arrival("P", sender_phone_number=NUL),
    "what it answers": arrival("P", reply_to_chat_message_id=NUL),
    "a contact's name": ContactSeen(ADA, chat_name=NUL),
    "a group": GroupSeen(GROUP, NUL),
    "a receipt's id": Receipt(ADA, NUL, "read", AT),
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


async def test_news_that_can_not_be_stored_is_left_out_alone(database_url: str) -> None:
    async with playing(database_url) as scene:
        for where, poison in POISON.items():
            others = [arrival(f"{where} {number}") for number in range(20)]
            await scene.report(*others[:9], poison, *others[9:])
        kept = await scene.rows("SELECT chat_message_id FROM messages ORDER BY seq")
        assert [row[0] for row in kept] == [f"{w} {n}" for w in POISON for n in range(20)]
        assert await scene.counted() == await scene.recounted()
        assert await scene.event_types() == ["message.received"] * len(kept)


async def test_texts_that_can_not_be_stored_are_mended_and_all_is_one_transaction(
    database_url: str,
) -> None:
    texts = [news for where, news in POISON.items() if "text" in where or "name" in where]
    events = [storable(news) for news in texts if isinstance(news, (Inbound, ContactSeen))]
    named = [
        replace(event, chat_message_id=f"P{number}") if isinstance(event, Inbound) else event
        for number, event in enumerate(events)
    ]
    async with playing(database_url) as scene:
        await scene.report(arrival("A1"), *named, arrival("A2"))
        kept = await scene.rows("SELECT xmin::text, content ->> 'body' AS text FROM messages")
        assert len(kept) == 2 + sum(isinstance(event, Inbound) for event in events)
        assert len({row["xmin"] for row in kept}) == 1


async def test_an_outcome_that_can_not_be_stored_leaves_the_others_theirs(
    database_url: str,
) -> None:
    async with playing(database_url) as scene:
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
