"""The order of messages to one recipient does not depend on who has locked a row: whoever changes a
message that waits, what comes behind it to the same recipient waits, too."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from core_scene import ADA, BOB, Scene, ScriptedSession
from heliograph.core.ingest.model import MessagePostponed
from heliograph.core.messages.model import ClaimedMessage
from heliograph.core.messages.queue.holds_sql import release_held
from heliograph.errors import AlreadySentError, TooOldError
from heliograph.networks.content import Text

Writer = Callable[[Scene, UUID], Coroutine[Any, Any, object]]
LOCK = "SELECT 1 FROM messages WHERE id = $1 FOR UPDATE"


@asynccontextmanager
async def locked(scene: Scene, message_id: UUID) -> AsyncIterator[None]:
    """Somebody, on whatever node, has locked the message and has not committed yet."""
    async with scene.database.pool.acquire() as connection, connection.transaction():
        await connection.fetch(LOCK, message_id)
        yield


def said(claimed: list[ClaimedMessage]) -> list[str]:
    return [message.content.summary for message in claimed]


async def test_what_is_behind_a_locked_message_is_not_claimed(scene: Scene) -> None:
    a1 = await scene.accept("a1", ADA)
    for text, to in (("b1", BOB), ("a2", ADA), ("b2", BOB), ("a3", ADA)):
        await scene.accept(text, to)
    async with locked(scene, a1):
        assert said(await scene.claim()) == ["b1", "b2"]
        assert said(await scene.claim()) == []
    assert said(await scene.claim()) == ["a1", "a2", "a3"]
    assert await scene.counted() == await scene.recounted()


async def test_what_is_before_a_locked_message_is_claimed(scene: Scene) -> None:
    _, a2, _ = [await scene.accept(text) for text in ("a1", "a2", "a3")]
    async with locked(scene, a2):
        assert said(await scene.claim()) == ["a1"]
    assert said(await scene.claim()) == ["a2", "a3"]


async def test_a_locked_message_that_is_tried_again_keeps_back_newer_ones(scene: Scene) -> None:
    """It is in another part of the queue than those that nobody has tried."""
    a1 = (await scene.begin("a1")).id
    await scene.report(MessagePostponed(a1, None, "Not now.", is_attempt=True))
    await scene.accept("a2")
    async with locked(scene, a1):
        assert said(await scene.claim()) == []
    assert said(await scene.claim()) == ["a1", "a2"]


async def test_one_that_was_canceled_meanwhile_keeps_nobody_back(scene: Scene) -> None:
    a1 = await scene.accept("a1")
    await scene.accept("a2")
    await scene.cancellations.cancel(scene.principal, a1)
    async with locked(scene, a1):
        assert said(await scene.claim()) == ["a2"]


async def test_what_was_locked_goes_out_soon_though_nobody_tells(scene: Scene) -> None:
    """The dispatcher looks again by itself, without the look of each second."""
    session = ScriptedSession()
    a1 = await scene.accept("a1")
    await scene.accept("a2")
    async with locked(scene, a1):
        scene.outbound(session)
        await scene.accept("b1", BOB)
        await scene.until_statuses({"b1": "sent", "a2": "queued"})
    await scene.until_statuses({"a1": "sent", "a2": "sent"})
    assert session.taken == ["b1", "a1", "a2"]


# --- whoever writes ------------------------------------------------------------------------------


async def edit(scene: Scene, message_id: UUID) -> object:
    return await scene.edits.edit(scene.principal, message_id, Text("Otherwise"))


async def react(scene: Scene, message_id: UUID) -> object:
    return await scene.edits.react(scene.principal, message_id, "👍")


async def delete_behind(scene: Scene, message_id: UUID) -> object:
    await scene.rows("UPDATE messages SET in_doubt = true WHERE id = $1", message_id)
    return await scene.edits.delete(scene.principal, message_id)


async def be_refused_a_cancelation(scene: Scene, message_id: UUID) -> object:
    await scene.rows("UPDATE messages SET in_doubt = true WHERE id = $1", message_id)
    with pytest.raises(AlreadySentError):
        await scene.cancellations.cancel(scene.principal, message_id)
    return None


async def look_at_its_time(scene: Scene, message_id: UUID) -> object:
    """As the janitor does, who finds that it is not over after all."""
    await scene.expire(message_id)
    return None


async def release(scene: Scene, message_id: UUID) -> object:
    """What the end of a restriction does, to a message that it held."""
    now = scene.database.clock.now()
    until = now + timedelta(hours=1)
    for table, column in (("messages", "id"), ("message_queue", "message_id")):
        await scene.rows(
            f"UPDATE {table} SET next_attempt_at = $2 WHERE {column} = $1",  # noqa: S608 - our own names
            message_id,
            until,
        )
    account = (scene.principal.tenant, scene.account.id)
    return await scene.database.transact(release_held, *account, until, now)


WRITERS = [edit, react, delete_behind, be_refused_a_cancelation, look_at_its_time, release]


@pytest.mark.parametrize("writer", WRITERS, ids=[writer.__name__ for writer in WRITERS])
async def test_no_writer_lets_the_next_one_overtake(
    scene: Scene, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is stopped just before its commit, while another node claims."""
    first = await scene.accept("first")
    await scene.accept("second")
    commits, go_on = asyncio.Event(), asyncio.Event()
    transact = type(scene.database).transact

    async def stop_before_commit(self, work, *arguments, **keywords):  # type: ignore[no-untyped-def]  # as in Database
        async def stopped(connection, *more, **named):  # type: ignore[no-untyped-def]  # as above
            try:
                return await work(connection, *more, **named)
            finally:
                commits.set()
                await go_on.wait()

        return await transact(self, stopped, *arguments, **keywords)

    monkeypatch.setattr(type(scene.database), "transact", stop_before_commit)
    writing = asyncio.create_task(writer(scene, first))
    await commits.wait()
    monkeypatch.undo()
    during = said(await scene.claim())
    go_on.set()
    with suppress(AlreadySentError):
        await writing
    assert during != ["second"]
    rest = said(await scene.claim())
    assert [text for text in (*during, *rest) if text == "second"] == ["second"]


async def edit_unless_sent(scene: Scene, message_id: UUID) -> None:
    with suppress(TooOldError):  # the scripted session says that it sent everything long ago
        await edit(scene, message_id)


async def test_pairs_of_a_message_that_is_edited_and_its_successor_stay_in_order(
    scene: Scene,
) -> None:
    session = ScriptedSession()
    dispatcher = scene.outbound(session)
    for number in range(60):
        to = f"155501{number:05}@sandbox"
        first = await scene.accept("A", to)
        writer = (edit_unless_sent, react, be_refused_a_cancelation)[number % 3]
        dispatcher.wake()
        await asyncio.gather(writer(scene, first), scene.accept("B", to))
        dispatcher.wake()
    await scene.until(lambda: len(session.log) == 120)
    seen: set[str] = set()
    for message in session.log:
        assert (message.recipient in seen) is (message.content.summary == "B")
        seen.add(message.recipient)
