"""Accounts whose messages are not kept: webhooks say it all, our tables nothing afterwards."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest

from core_scene import ADA, BOB, Scene, arrival, playing, receipt, sent_to
from delivery_tables import CANCEL_ALL, END_ALL
from heliograph.core.accounts.devices import DeviceUpdate
from heliograph.core.events.payload_sql import unpack
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken
from heliograph.core.messages.model import Message
from heliograph.core.messages.serializers import keep_link
from heliograph.core.removals.service import end_waiting
from heliograph.core.removals.sql import RemovedAccount
from heliograph.core.upkeep import janitor
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.errors import NotFoundError

WORD = "confidential"
ROW = "(to_jsonb(t) - 'run_id')::text"  # which the casts' runs are called by their text
TABLES = ("messages", "conversations", "events", "idempotency_keys", "audit_entries")


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/")
        await scene.change_account(DeviceUpdate(message_logging_enabled=False))
        yield scene


async def where_it_is(scene: Scene) -> set[str]:
    """The tables in which a row says the word."""
    found = set()
    for table in TABLES:
        statement = f"SELECT count(*) AS n FROM {table} AS t WHERE {ROW} LIKE $1"  # noqa: S608 - our own names
        [row] = await scene.rows(statement, f"%{WORD}%")
        if row["n"]:
            found.add(table)
    payloads = [unpack(row["payload"]) for row in await scene.rows("SELECT payload FROM events")]
    return found | ({"events"} if any(WORD.encode() in payload for payload in payloads) else set())


async def contents_told(scene: Scene) -> list[str]:
    """By those events of which something is kept."""
    rows = await scene.rows(
        "SELECT payload FROM events WHERE message_id IS NOT NULL AND payload <> '' ORDER BY seq"
    )
    return [json.loads(unpack(row["payload"]))["data"]["content"] for row in rows]


async def forget(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(janitor, "WATCHED", timedelta(seconds=-1))
    await scene.janitor.redact_events()


async def end_deliveries(scene: Scene) -> None:
    await scene.rows(CANCEL_ALL)
    await scene.rows(END_ALL)


async def test_what_was_sent_and_received_is_told_and_then_nowhere(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.accept(WORD, key="k")
    assert await where_it_is(scene) == {"messages"}, "it must be sent yet"
    [message] = await scene.claim()
    await scene.report(MessageTaken(message.id, sent_to(ADA)), arrival("A1", text=f"{WORD} too"))
    assert await contents_told(scene) == [WORD, f"{WORD} too"]
    assert await where_it_is(scene) == {"events"}

    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == {"events"}, "its deliveries wait"
    await end_deliveries(scene)
    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == set()
    assert await scene.count("unlogged_events") == 0

    stored = await scene.message(message.id)
    assert (stored.content.summary, stored.message_type) == ("", "text")
    await scene.report(receipt(stored, "read"))
    assert (await contents_told(scene))[-1:] == [""]


async def test_what_is_tried_again_is_kept_and_what_failed_is_not(scene: Scene) -> None:
    await scene.accept(f"{WORD} 1", ADA)
    await scene.accept(f"{WORD} 2", BOB)
    first, second = await scene.claim()
    later = scene.database.clock.now() + timedelta(hours=1)
    await scene.report(
        MessagePostponed(first.id, later, "Busy.", is_attempt=True),
        MessageRefused(second.id, "No."),
    )
    assert (await scene.message(first.id)).content.summary == f"{WORD} 1"
    assert (await scene.message(second.id)).content.summary == ""
    assert await contents_told(scene) == [f"{WORD} 2"]


async def cancel(scene: Scene, message: Message) -> None:
    await scene.cancellations.cancel(scene.principal, message.id)


async def expire(scene: Scene, message: Message) -> None:
    await scene.rows("UPDATE message_expiries SET expires_at = now() - interval '1 second'")
    await scene.janitor.expire_messages()


async def remove_account(scene: Scene, message: Message) -> None:
    removed = RemovedAccount(
        message.tenant,
        message.account_id,
        message_logging_enabled=False,
        removed_at=scene.database.clock.now(),
    )
    await end_waiting(scene.database, scene.notifications, removed, keep_link)


@pytest.mark.parametrize("end", [cancel, expire, remove_account])
async def test_what_ends_before_it_is_sent_is_told_and_then_nowhere(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, end: Callable[[Scene, Message], Awaitable[None]]
) -> None:
    at = scene.database.clock.now() + timedelta(seconds=60)
    await end(scene, await scene.message(await scene.accept(WORD, expires_at=at)))
    assert await contents_told(scene) == [WORD]
    assert await where_it_is(scene) == {"events"}
    await end_deliveries(scene)
    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == set()


@pytest.mark.parametrize("attempts", [0, 1])
async def test_a_payload_stays_while_somebody_waits_for_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, attempts: int
) -> None:
    await scene.report(arrival("A1", text=WORD))
    if attempts:
        await scene.rows("UPDATE delivery_queue SET attempt_count = 1, next_attempt_at = now()")
    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == {"events"}
    await end_deliveries(scene)
    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == set()


async def test_one_that_waits_does_not_hold_up_those_behind_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "BATCH", 2)
    for number in range(7):
        await scene.report(arrival(f"A{number}", text=f"{WORD} {number}"))
    await scene.rows(
        "DELETE FROM delivery_queue WHERE seq >= (SELECT min(seq) + 3 FROM delivery_queue)"
    )
    await forget(scene, monkeypatch)
    assert await scene.count("unlogged_events") == 3


async def test_what_is_not_kept_is_not_posted_once_more(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.report(arrival("A1", text=WORD))
    [row] = await scene.rows("SELECT id, webhook_id FROM delivery_queue")
    service = DeliveryService(scene.database, scene.changes, scene.webhooks)
    await end_deliveries(scene)
    await service.redeliver(scene.principal, row["id"])
    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == {"events"}, "it is to be posted once more"
    await end_deliveries(scene)
    await forget(scene, monkeypatch)
    with pytest.raises(NotFoundError, match="no longer kept"):
        await service.redeliver(scene.principal, row["id"])
    now = scene.database.clock.now()
    posted = await service.redeliver_range(
        scene.principal, row["webhook_id"], now - timedelta(hours=1), now + timedelta(hours=1)
    )
    assert posted == 0
    assert await scene.count("deliveries") == 2


async def test_an_account_whose_messages_are_kept_keeps_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.change_account(DeviceUpdate(message_logging_enabled=True))
    await scene.send(WORD)
    await end_deliveries(scene)
    await forget(scene, monkeypatch)
    assert await where_it_is(scene) == {"messages", "conversations", "events"}
