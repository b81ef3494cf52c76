"""Requests that wait for a job, while the database forgets, goes away, or the asker does."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from core_scene import Scene, jobs_of, playing
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.ingest.model import JobEnded
from heliograph.core.jobs.model import Job, JobKind, JobStatus, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.jobs.sql import claim_jobs, insert_job
from heliograph.errors import IdempotencyConflictError, UnavailableError
from waiting import seen_until, until

KEY = IdempotencyKey("order-1", b"the same body")


@dataclass
class Desk:
    """Where groups are asked for."""

    scene: Scene
    jobs: JobService
    failure: Exception | None = None
    """What happens while it is waited for the job."""

    async def ask(self, key: IdempotencyKey | None = KEY) -> StoredResponse:
        async def plan() -> NewJob:
            return NewJob(self.scene.account.id, JobKind.CREATE_GROUP, {"subject": "Lunch"})

        async def respond(job: Job) -> StoredResponse:
            if self.failure is not None:
                raise self.failure
            done = await self.jobs.wait_for_end(job)
            return encode_response(201, {"job": done.id})

        return await self.jobs.perform(self.scene.principal, key, plan, respond)

    async def until_there_is_a_job(self) -> None:
        await until(lambda: self.scene.count("jobs"))

    async def until_nobody_is_at_work(self) -> None:
        """What was left undone is tried again."""
        at_work = "SELECT 1 FROM idempotency_keys WHERE node_id IS NOT NULL"
        await seen_until(lambda: self.scene.rows(at_work), lambda rows: not rows)

    async def complete(self) -> None:
        """The account's session does what is asked of it."""
        await self.until_there_is_a_job()
        await self.scene.rows("UPDATE jobs SET status = 'completed', result = '{}'")

    async def answered(self) -> StoredResponse:
        asked = asyncio.create_task(self.ask())
        await self.complete()
        return await asyncio.wait_for(asked, 60)


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with playing(database_url) as scene:
        yield Desk(scene, jobs_of(scene, timeout=60))


async def test_a_commit_in_doubt_is_not_taken_for_a_twin(desk: Desk) -> None:
    desk.scene.database.forgets = 1
    assert (await desk.answered()).status == 201
    assert await desk.scene.count("jobs") == 1


async def test_an_outage_while_waiting_leaves_the_job_to_the_repeat(desk: Desk) -> None:
    desk.failure = UnavailableError()
    with pytest.raises(UnavailableError) as caught:
        await desk.ask()
    assert caught.value.body()["maybe_stored"] is True
    desk.failure = None
    assert (await desk.answered()).status == 201
    assert await desk.scene.count("jobs") == 1


@pytest.mark.usefixtures("hasty_requests")
async def test_an_outage_at_the_first_commit_does_not_hold_the_key(desk: Desk) -> None:
    desk.scene.database.forgets = 10_000
    with pytest.raises(UnavailableError) as caught:
        await desk.ask()
    assert caught.value.body()["maybe_stored"] is True
    desk.scene.database.forgets = 0
    await desk.until_nobody_is_at_work()
    assert (await desk.answered()).status == 201
    assert await desk.scene.count("jobs") == 1


async def test_an_asker_who_leaves_leaves_the_key_free(desk: Desk) -> None:
    asked = asyncio.create_task(desk.ask())
    await desk.until_there_is_a_job()
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert (await desk.answered()).status == 201
    assert await desk.scene.count("jobs") == 1


async def test_taking_over_survives_a_commit_in_doubt(desk: Desk) -> None:
    desk.failure = UnavailableError()
    with pytest.raises(UnavailableError):
        await desk.ask()
    desk.failure = None
    await desk.scene.rows("UPDATE idempotency_keys SET node_id = NULL")
    desk.scene.database.forgets = 1
    assert (await desk.answered()).status == 201


async def test_a_twin_that_comes_too_late_by_a_moment_gets_the_answer(desk: Desk) -> None:
    """Both look the key up before either has taken it."""
    both = await asyncio.gather(
        desk.answered(), *[desk.ask() for _ in range(4)], return_exceptions=True
    )
    assert all(isinstance(outcome, (StoredResponse, IdempotencyConflictError)) for outcome in both)
    assert await desk.scene.count("jobs") == 1
    assert (await desk.ask()).replayed


async def test_an_error_nobody_expected_leaves_the_job_to_the_repeat(desk: Desk) -> None:
    desk.failure = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await desk.ask()
    desk.failure = None
    assert (await desk.answered()).status == 201
    assert await desk.scene.count("jobs") == 1


async def test_the_end_of_a_sync_is_told_once_though_its_commit_was_in_doubt(desk: Desk) -> None:
    scene, database = desk.scene, desk.scene.database
    tenant, now = scene.principal.tenant, database.clock.now()
    new = NewJob(scene.account.id, JobKind.SYNC_CONTACTS, {})
    await database.transact(insert_job, tenant, database.clock.new_id(), new, now, now)
    [(job, _)] = await database.transact(claim_jobs, scene.lease, 10)
    database.forgets = 1
    await scene.report(JobEnded(job, JobStatus.COMPLETED, {"contacts": 3}))
    assert database.forgets == 0
    assert (await scene.event_types()).count("contacts.synced") == 1
    [row] = await scene.rows("SELECT status, result ->> 'contacts' AS contacts FROM jobs")
    assert tuple(row) == ("completed", "3")
