"""What was accepted is not swallowed: changes and jobs that end before they are done are told."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from core_scene import Scene, arrival, jobs_of
from heliograph.core.jobs.model import JobKind, JobStatus, NewJob
from heliograph.core.jobs.sql import claim_jobs, find_job
from heliograph.core.messages.retention_sql import delete_messages
from heliograph.core.messages.serializers import keep_link
from heliograph.core.removals import service
from heliograph.core.removals.service import finish_removals
from heliograph.core.removals.sql import insert_removed
from heliograph.core.tenants.old_rows import NIL
from heliograph.errors import ChatAccountNotConnectedError, JobUnknownError
from heliograph.networks.content import Text
from heliograph.networks.registry import NetworkRegistry

GONE = "The account was removed."
Ask = Callable[[Scene, UUID], Awaitable[UUID | None]]


async def edit(scene: Scene, message_id: UUID) -> UUID | None:
    record = await scene.edits.edit(scene.principal, message_id, Text("Otherwise"))
    return record["change_id"]


async def delete(scene: Scene, message_id: UUID) -> UUID | None:
    return (await scene.edits.delete(scene.principal, message_id))["change_id"]


async def react(scene: Scene, message_id: UUID) -> UUID | None:
    return (await scene.edits.react(scene.principal, message_id, "👍"))["change_id"]


async def expire(scene: Scene) -> None:
    for row in await scene.rows("SELECT id FROM messages"):
        await scene.expire(row["id"])


async def told(scene: Scene) -> list[dict[str, Any]]:
    """What the events of failed changes say of these, in order."""
    found = await scene.told("message.failed")
    return [data["change"] for data in found if "change" in data]


def failed(change_id: UUID | None, kind: str, reason: str) -> dict[str, Any]:
    return {"id": str(change_id), "kind": kind, "reason": reason}


async def test_a_removed_account_tells_of_each_change_that_waited(scene: Scene) -> None:
    message = await scene.send("Hello")
    await scene.rows("UPDATE messages SET sent_at = now()")  # not too long ago
    ids = [await ask(scene, message.id) for ask in (react, edit, delete)]
    await scene.remove_account()
    assert await told(scene) == [
        failed(ids[0], "reaction", GONE),
        failed(ids[1], "edited", GONE),
        failed(ids[2], "deleted", GONE),
    ]
    assert await scene.count("message_changes") == 0


async def test_a_change_that_was_tried_before_may_have_been_made(scene: Scene) -> None:
    message = await scene.send("Hello")
    await scene.rows("UPDATE messages SET sent_at = now()")  # not too long ago
    tried, waited = await edit(scene, message.id), await delete(scene, message.id)
    await scene.rows("UPDATE message_changes SET retry_count = 1 WHERE kind = 'edited'")
    await scene.remove_account()
    assert await told(scene) == [
        failed(tried, "edited", service.CHANGE_IN_DOUBT),
        failed(waited, "deleted", GONE),
    ]


async def test_a_reaction_to_what_came_in_is_told_too(scene: Scene) -> None:
    await scene.report(arrival("A1"))
    [row] = await scene.rows("SELECT id FROM messages")
    change_id = await react(scene, row["id"])
    await scene.remove_account()
    assert await told(scene) == [failed(change_id, "reaction", GONE)]


@pytest.mark.parametrize("ask", [edit, delete, react])
async def test_changes_of_what_may_be_on_the_phone_are_told(scene: Scene, ask: Ask) -> None:
    message_id = await scene.accept("Hello")
    await scene.lose_its_node()
    change_id = await ask(scene, message_id)
    await scene.remove_account()
    assert [change["id"] for change in await told(scene)] == [str(change_id)]
    assert await scene.event_types() == ["message.failed", "message.failed"]


async def test_a_message_that_waits_is_canceled_before_its_reaction_fails(scene: Scene) -> None:
    message_id = await scene.accept("Hello")
    change_id = await react(scene, message_id)
    await scene.remove_account()
    assert await scene.event_types() == ["message.canceled", "message.failed"]
    assert await told(scene) == [failed(change_id, "reaction", GONE)]


async def test_many_end_in_batches_and_each_is_told_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BATCH", 2)
    messages = [await scene.send(f"{number}") for number in range(3)]
    ids = [await react(scene, message.id) for _ in range(2) for message in messages]
    await scene.remove_account()
    assert [change["id"] for change in await told(scene)] == [str(each) for each in ids]


async def test_a_lost_answer_to_the_commit_tells_nothing_twice(scene: Scene) -> None:
    message = await scene.send("Hello")
    change_id = await react(scene, message.id)
    removed = await scene.database.transact(
        insert_removed, scene.account, scene.database.clock.now()
    )
    scene.database.forgets = 1
    await service.end_waiting(scene.database, scene.notifications, removed, keep_link)
    assert await told(scene) == [failed(change_id, "reaction", GONE)]


async def test_a_change_that_a_node_takes_after_the_removal_is_told_later(scene: Scene) -> None:
    message = await scene.send("Hello")
    first_id = await react(scene, message.id)
    await scene.remove_account()
    change_id = await react(scene, message.id)  # its account is still remembered
    await finish_removals(scene.database, scene.notifications, NetworkRegistry())
    assert await told(scene) == [
        failed(first_id, "reaction", GONE),
        failed(change_id, "reaction", GONE),
    ]


async def test_a_webhook_gets_word_of_it(scene: Scene) -> None:
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    message = await scene.send("Hello")
    await react(scene, message.id)
    await scene.remove_account()
    queued = await scene.rows("SELECT event_type FROM delivery_queue ORDER BY created_at")
    assert [row["event_type"] for row in queued].count("message.failed") == 1


async def test_an_account_that_keeps_nothing_tells_of_it_and_forgets(scene: Scene) -> None:
    message = await scene.send("A secret word")
    await scene.rows("UPDATE messages SET sent_at = now()")  # not too long ago
    await scene.edits.edit(scene.principal, message.id, Text("Another secret"))
    await scene.rows("UPDATE accounts SET message_logging_enabled = false")
    await scene.remove_account()
    [change] = await told(scene)
    assert change["kind"] == "edited"
    redacted = await scene.rows("SELECT event_id FROM unlogged_events")
    events = await scene.rows("SELECT id FROM events WHERE type = 'message.failed'")
    assert [row["event_id"] for row in redacted] == [row["id"] for row in events]


# --- messages that end ---


async def cancel_all(scene: Scene) -> None:
    for row in await scene.rows("SELECT id FROM messages"):
        await scene.cancellations.cancel(scene.principal, row["id"])


@pytest.mark.parametrize("end", [cancel_all, expire])
async def test_a_reaction_behind_what_is_never_sent_fails_with_it(
    scene: Scene, end: Callable[[Scene], Awaitable[None]]
) -> None:
    ids = [await react(scene, await scene.accept(f"{number}")) for number in range(3)]
    await end(scene)
    changes = await told(scene)
    assert {change["id"] for change in changes} == {str(each) for each in ids}
    assert {change["reason"] for change in changes} == {
        "The message was not sent, so there is nothing to change."
    }
    assert await scene.count("message_changes") == 0


async def test_what_may_be_on_the_phone_can_still_be_taken_back_once_it_expired(
    scene: Scene,
) -> None:
    message_id = await scene.accept("Hello")
    await scene.lose_its_node()
    await delete(scene, message_id)
    await expire(scene)
    assert await scene.event_types() == ["message.failed"]
    assert await told(scene) == []
    assert await scene.count("message_changes") == 1


async def test_a_message_that_somebody_asked_to_change_outlives_its_time(scene: Scene) -> None:
    asked, other = await scene.send("Hello"), await scene.send("World")
    await react(scene, asked.id)
    later = scene.database.clock.now() + timedelta(days=365)
    tenant = scene.principal.tenant
    batch = await scene.database.transact(delete_messages, tenant, NIL, later, 10)
    assert (batch.deleted, batch.last) == (1, other.id)
    await scene.remove_account()
    assert len(await told(scene)) == 1
    assert (await scene.database.transact(delete_messages, tenant, NIL, later, 10)).deleted == 1


# --- jobs ---


async def start_job(scene: Scene, kind: JobKind) -> UUID:
    jobs = jobs_of(scene, timeout=30.0)
    job = await jobs.start(scene.principal, NewJob(scene.account.id, kind, {}))
    return job.id


async def test_a_synchronization_that_waited_ends_with_its_event(scene: Scene) -> None:
    job_id = await start_job(scene, JobKind.SYNC_CONTACTS)
    await scene.remove_account()
    [data] = await scene.told("contacts.synced")
    assert (data["job_id"], data["status"], data["error"]) == (str(job_id), "failed", GONE)
    assert data["finished_at"] is not None


@pytest.mark.parametrize(
    ("kind", "begun", "status"),
    [
        (JobKind.GET_GROUP, False, JobStatus.FAILED),
        (JobKind.GET_GROUP, True, JobStatus.FAILED),
        (JobKind.CREATE_GROUP, False, JobStatus.FAILED),
        (JobKind.CREATE_GROUP, True, JobStatus.UNKNOWN),
    ],
)
async def test_who_waits_for_a_job_of_a_removed_account_is_answered(
    scene: Scene, kind: JobKind, begun: bool, status: JobStatus
) -> None:
    jobs = jobs_of(scene, timeout=30.0)
    job = await jobs.start(scene.principal, NewJob(scene.account.id, kind, {}))
    if begun:
        await scene.database.transact(claim_jobs, scene.lease, 1)
    await scene.remove_account()
    ended = await scene.database.read(find_job, scene.principal.tenant, job.id)
    assert ended is not None
    assert ended.status is status
    answer = JobUnknownError if status is JobStatus.UNKNOWN else ChatAccountNotConnectedError
    with pytest.raises(answer):
        await jobs.wait_for_end(job)


async def test_a_job_that_was_over_stays_as_it_was(scene: Scene) -> None:
    job_id = await start_job(scene, JobKind.SYNC_CONTACTS)
    await scene.rows("UPDATE jobs SET status = 'completed', finished_at = now()")
    await scene.remove_account()
    job = await scene.database.read(find_job, scene.principal.tenant, job_id)
    assert job is not None
    assert job.status is JobStatus.COMPLETED
    assert "contacts.synced" not in await scene.event_types()
