"""The queue of messages: it has what waits and nothing else, whoever changes a message; and a
change of a message's status touches no index."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from core_scene import ADA, BOB, Scene, ScriptedSession, playing, receipt, sent_to
from heliograph.core.accounts.model import Restriction
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.dispatch.open_claims import FORGOTTEN_TOGETHER
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken
from heliograph.core.messages.queue.holds_sql import hold_new_conversations, release_held
from heliograph.core.messages.queue.sql import is_sending, list_claimed
from heliograph.networks.errors import NetworkError
from waiting import PATIENCE

WAITING = """
SELECT id, next_attempt_at, recipient FROM messages WHERE status = 'queued' ORDER BY seq
"""
IN_QUEUE = "SELECT message_id, next_attempt_at, recipient FROM message_queue ORDER BY seq"
UPDATES = """
SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables
WHERE relid = 'public.messages'::regclass
"""


async def check(scene: Scene) -> None:
    """The queue has the messages that are queued, and they alone."""
    waiting = [tuple(row) for row in await scene.rows(WAITING)]
    assert [tuple(row) for row in await scene.rows(IN_QUEUE)] == waiting


async def test_the_queue_has_what_waits_and_nothing_else(scene: Scene) -> None:
    ids = [await scene.accept(f"{number}", (ADA, BOB)[number % 2]) for number in range(8)]
    await check(scene)
    assert len(await scene.claim(6)) == 6
    await check(scene)
    until = scene.database.clock.now() + timedelta(hours=1)
    await scene.report(
        MessageTaken(ids[0], sent_to(ADA)),
        MessageRefused(ids[1], "No."),
        MessagePostponed(ids[2], until, "Busy.", is_attempt=True),
        MessagePostponed(ids[3], None, None, is_attempt=False),
    )
    await check(scene)
    await scene.database.transact(requeue_claimed, scene.lease)
    await check(scene)
    for message_id in (ids[2], ids[3], ids[7]):
        await scene.cancellations.cancel(scene.principal, message_id)
    await check(scene)
    # a receipt that was late proves that it has been sent
    await scene.report(receipt(await scene.message(ids[5]), "delivered"))
    await check(scene)
    assert (await scene.statuses())["5"] == "delivered"
    assert [row["message_id"] for row in await scene.rows(IN_QUEUE)] == [ids[4], ids[6]]


async def test_what_was_scheduled_is_in_the_queue_once_it_is_due(scene: Scene) -> None:
    kept, canceled = [await scene.accept(text) for text in ("kept", "canceled")]
    await scene.schedule_all()
    await scene.cancellations.cancel(scene.principal, canceled)
    await scene.janitor.start_scheduled()
    await check(scene)
    assert [row["message_id"] for row in await scene.rows(IN_QUEUE)] == [kept]
    assert await scene.count("message_schedule") == 0


async def test_what_is_held_and_released_changes_in_the_queue(scene: Scene) -> None:
    await scene.accept("held")
    now = scene.database.clock.now()
    restriction = Restriction("new_conversations", now + timedelta(days=1), "Slow.")
    tenant, account_id = scene.principal.tenant, scene.account.id
    held = await scene.database.transact(
        hold_new_conversations, tenant, account_id, restriction, "sandbox", now
    )
    assert held == 1
    await check(scene)
    assert await scene.claim() == []
    await scene.database.transact(release_held, tenant, account_id, restriction.until, now)
    await check(scene)
    assert len(await scene.claim()) == 1


async def test_what_may_be_sending_is_known_and_forgotten_when_it_is_over(scene: Scene) -> None:
    session = ScriptedSession()
    dispatcher = scene.outbound(session)
    for number in range(FORGOTTEN_TOGETHER + 3):
        await scene.accept(f"{number}")
        dispatcher.wake()
        await scene.until_statuses({f"{number}": "sent"})
    assert await scene.count("message_claims") < FORGOTTEN_TOGETHER
    session.gate.clear()
    await scene.accept("under way")
    dispatcher.wake()
    await scene.until(lambda: session.log[-1].content.summary == "under way")
    claimed = await scene.database.read(list_claimed, scene.principal.tenant, scene.account.id)
    assert session.log[-1].message_id in claimed
    await scene.stop_sending()
    await scene.take_over()
    session.gate.set()


async def test_an_outcome_that_is_not_written_leaves_its_message_among_the_claimed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many claims are forgotten meanwhile: the next look finds it."""
    session = ScriptedSession()
    session.troubles[BOB] = [NetworkError("Just now.")]
    lost = await scene.accept("lost", BOB)
    dispatcher = scene.outbound(session)
    submit = scene.reports.submit

    def fail_once(report):  # type: ignore[no-untyped-def]  # as in ReportService
        if getattr(report.event, "message_id", None) == lost:
            monkeypatch.setattr(scene.reports, "submit", submit)
            failed = asyncio.get_running_loop().create_future()
            failed.set_exception(RuntimeError("not written"))
            return failed
        return submit(report)

    monkeypatch.setattr(scene.reports, "submit", fail_once)
    for number in range(FORGOTTEN_TOGETHER + 3):
        await scene.accept(f"{number}")
        dispatcher.wake()
        await scene.until_statuses({f"{number}": "sent"})
    assert (await scene.statuses())["lost"] == "sending"
    dispatcher.recover_stale_claims()
    await scene.until_statuses({"lost": "sent"})


async def says(scene: Scene, to: str) -> bool:
    """Whether the account is about to say something there."""
    tenant, account_id = scene.principal.tenant, scene.account.id
    return await scene.database.read(is_sending, tenant, account_id, to)


async def test_what_is_about_to_be_said_is_what_waits_or_is_being_sent(scene: Scene) -> None:
    assert not await says(scene, ADA)
    message_id = await scene.accept("Hello", ADA)
    assert await says(scene, ADA)
    assert not await says(scene, BOB)
    await scene.claim()
    assert await says(scene, ADA)
    await scene.report(MessageTaken(message_id, sent_to(ADA)))
    assert not await says(scene, ADA)


@pytest.mark.one_server("counts what one server's table has seen")
async def test_no_change_of_a_status_touches_an_index_but_the_one_that_names_the_conversation(
    own_database_url: str,
) -> None:
    messages = 60
    async with playing(own_database_url) as scene:
        ids = [await scene.accept(f"{number}") for number in range(messages)]
        await scene.claim(messages)
        for kind in ("taken", "delivered", "read"):
            for message_id in ids:
                await tell(scene, message_id, kind)
        async with asyncio.timeout(PATIENCE):
            while (found := await updates(scene))[0] < 4 * messages:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.2)
    assert found == (4 * messages, 3 * messages)


async def tell(scene: Scene, message_id: UUID, kind: str) -> None:
    if kind == "taken":
        await scene.report(MessageTaken(message_id, sent_to(ADA)))
    else:
        await scene.report(receipt(await scene.message(message_id), kind))


async def updates(scene: Scene) -> tuple[int, int]:
    """All updates of messages, and those that touched no index."""
    [row] = await scene.rows(UPDATES)
    return row["all"], row["hot"]
