"""Requests and jobs whose node died in the middle: taken over once, looked for, never doubled."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace

from core_scene import AT, Scene, ScriptedSession, jobs_of, register
from core_scene import scene as scene
from heliograph.core.dispatch import job_runner
from heliograph.core.dispatch.job_runner import JobRunner
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    StoredResponse,
    UnfinishedRequest,
    encode_response,
)
from heliograph.core.jobs import sql as job_store
from heliograph.core.jobs.model import SAFE_TO_REPEAT, Job, JobKind, JobStatus, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.media.service import MediaService
from heliograph.errors import (
    IdempotencyConflictError,
    NetworkSilentError,
    NetworkTimeoutError,
)
from heliograph.networks.errors import AlreadyInGroupError, NetworkError
from heliograph.networks.port import ContactSeen, GroupSeen
from media_scene import media_of
from waiting import seen_until

T = TypeVar("T")
KEY = IdempotencyKey("order-7", b"f" * 32)
GROUP = GroupSeen("4242@g.sandbox", "Trip", owner_jid="1@sandbox", created_at=AT)
REQUESTS: dict[JobKind, dict[str, object]] = {
    JobKind.CREATE_GROUP: {"subject": "Trip", "participants": ["2@sandbox"]},
    JobKind.JOIN_GROUP: {"invite_link": "link"},
    JobKind.SYNC_CONTACTS: {},
}


class Club(ScriptedSession):
    """A session that knows groups and contacts. `there` is a group that exists already."""

    def __init__(self, there: GroupSeen | None = None, trouble: NetworkError | None = None) -> None:
        super().__init__()
        self.there, self.trouble = there, trouble
        self.created: list[str] = []

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
        self.created.append(subject)
        await self.gate.wait()
        if self.trouble:
            raise self.trouble
        return GROUP

    async def find_group(self, subject: str, since: datetime) -> GroupSeen | None:
        return self.there

    async def join_group(self, invite_link: str) -> GroupSeen:
        if self.trouble:
            raise self.trouble
        return GROUP

    async def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]:
        yield [ContactSeen("2@sandbox"), ContactSeen("3@sandbox")]


@dataclass
class Office:
    """Makes jobs and has them done."""

    scene: Scene
    media: MediaService
    service: JobService

    async def make(self, kind: JobKind) -> Job:
        plan = NewJob(self.scene.account.id, kind, REQUESTS[kind])
        return await self.service.start(self.scene.principal, plan)

    async def begin(self, kind: JobKind) -> Job:
        """A job that an owner has claimed, and nothing more is heard of."""
        job = await self.make(kind)
        await self.scene.database.transact(job_store.claim_jobs, self.scene.lease, 10)
        return job

    def work(self, session: Club) -> JobRunner:
        worker = self.scene.job_runner(session, self.media)
        worker.wake()
        return worker

    async def ended(self, job: Job) -> Job:
        async def find() -> Job | None:
            return await self.scene.database.read(job_store.find_job, job.tenant, job.id)

        found = await seen_until(find, lambda found: found and found.status.is_final)
        assert found is not None
        return found


@pytest.fixture
def office(scene: Scene, tmp_path: Path) -> Office:
    media = media_of(scene.database, tmp_path.as_uri())
    return Office(scene, media, jobs_of(scene, timeout=20))


# --- jobs in doubt ---


JOINED = AlreadyInGroupError("Already there.", remote_jid=GROUP.remote_jid)
IN_DOUBT = {
    "a group that is found": (JobKind.CREATE_GROUP, {"there": GROUP}, JobStatus.COMPLETED),
    "a group that is not found": (JobKind.CREATE_GROUP, {}, JobStatus.UNKNOWN),
    "a join that had worked": (JobKind.JOIN_GROUP, {"trouble": JOINED}, JobStatus.UNKNOWN),
    "a join that had not worked": (JobKind.JOIN_GROUP, {}, JobStatus.COMPLETED),
    "a synchronization": (JobKind.SYNC_CONTACTS, {}, JobStatus.COMPLETED),
}


@pytest.mark.parametrize(("kind", "network", "end"), IN_DOUBT.values(), ids=IN_DOUBT)
async def test_a_job_in_doubt_is_ended_by_the_next_owner(
    scene: Scene, office: Office, kind: JobKind, network: dict[str, Any], end: JobStatus
) -> None:
    job = await office.begin(kind)
    scene.lease = await scene.take_over()
    office.work(session := Club(**network))
    ended = await office.ended(job)
    assert ended.status is end
    assert session.created == []
    if session.there is not None:
        assert (ended.result or {})["remote_jid"] == GROUP.remote_jid
    if kind is JobKind.SYNC_CONTACTS:
        assert ended.result == {"contacts": 2}


def test_all_but_two_kinds_of_jobs_are_simply_done_again() -> None:
    assert set(JobKind) - SAFE_TO_REPEAT == {JobKind.CREATE_GROUP, JobKind.JOIN_GROUP}


async def test_a_session_that_is_opened_anew_goes_on_with_its_jobs(
    scene: Scene, office: Office
) -> None:
    session = Club()
    session.gate.clear()
    job = await office.make(JobKind.CREATE_GROUP)
    office.work(session)
    await scene.until(lambda: session.created == ["Trip"])
    await scene.stop_sending()
    office.work(Club(there=GROUP))
    assert (await office.ended(job)).status is JobStatus.COMPLETED


async def test_a_job_that_is_being_done_is_not_begun_again(scene: Scene, office: Office) -> None:
    session = Club()
    session.gate.clear()
    await office.make(JobKind.CREATE_GROUP)
    worker = office.work(session)
    await scene.until(lambda: len(session.created) == 1)
    await office.make(JobKind.CREATE_GROUP)
    worker.wake()
    await scene.until(lambda: len(session.created) == 2)
    worker.wake()
    await asyncio.sleep(0.2)
    assert len(session.created) == 2


async def test_an_answer_that_was_lost_on_the_network_ends_unknown(
    scene: Scene, office: Office
) -> None:
    job = await office.make(JobKind.CREATE_GROUP)
    office.work(Club(trouble=NetworkError("The line broke.", certain=False)))
    ended = await office.ended(job)
    assert ended.status is JobStatus.UNKNOWN
    assert (ended.error or {})["reason"] == "The line broke."


@pytest.mark.parametrize(
    ("kind", "created"), [(JobKind.SYNC_CONTACTS, []), (JobKind.CREATE_GROUP, ["Trip"])]
)
async def test_a_claim_whose_answer_was_lost_has_begun_nothing_and_loses_no_job(
    scene: Scene, office: Office, kind: JobKind, created: list[str]
) -> None:
    job = await office.make(kind)
    scene.database.forgets = 1
    office.work(session := Club())
    assert (await office.ended(job)).status is JobStatus.COMPLETED
    assert session.created == created


@pytest.mark.parametrize(
    ("kind", "end"),
    [(JobKind.CREATE_GROUP, JobStatus.UNKNOWN), (JobKind.SYNC_CONTACTS, JobStatus.FAILED)],
)
async def test_a_network_that_never_answers_keeps_no_job(
    scene: Scene, office: Office, kind: JobKind, end: JobStatus
) -> None:
    class Silent(Club):
        async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
            await asyncio.Event().wait()
            raise AssertionError

        async def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]:
            await asyncio.Event().wait()
            yield []

    office.service = jobs_of(scene, timeout=1)
    job = await office.make(kind)
    office.work(Silent())
    with pytest.raises(NetworkTimeoutError):
        await office.service.wait_for_end(job)
    ended = await office.ended(job)
    assert ended.status is end
    waited = (ended.finished_at or AT) - job.created_at
    assert timedelta(seconds=1.9) < waited < timedelta(seconds=10)


async def test_a_network_has_as_long_as_the_setting_says(
    scene: Scene, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def answer(asked: Awaitable[T], seconds: float) -> T:
        waited.append(seconds)
        return await asked

    monkeypatch.setattr(job_runner, "_answer", answer)
    office.service = jobs_of(scene, timeout=300)
    jobs = [await office.make(kind) for kind in REQUESTS]
    office.work(Club())
    assert {(await office.ended(job)).status for job in jobs} == {JobStatus.COMPLETED}
    assert len(waited) >= len(jobs)
    assert min(waited) > 500
    assert max(waited) == 600


@pytest.mark.parametrize("kind", [JobKind.CREATE_GROUP, JobKind.JOIN_GROUP])
async def test_a_job_whose_time_is_over_is_not_begun(
    scene: Scene, office: Office, kind: JobKind
) -> None:
    job = await office.make(kind)
    await scene.rows("UPDATE jobs SET deadline = created_at")
    office.work(session := Club(trouble=NetworkError("It was asked.")))
    with pytest.raises(NetworkSilentError):
        await office.service.wait_for_end(job)
    assert (await office.ended(job)).status is JobStatus.FAILED
    assert session.created == []


async def test_a_group_in_doubt_is_found_after_its_time(scene: Scene, office: Office) -> None:
    job = await office.begin(JobKind.CREATE_GROUP)
    await scene.rows(
        "UPDATE jobs SET created_at = created_at - interval '1 hour',"
        " deadline = deadline - interval '1 hour'"
    )
    scene.lease = await scene.take_over()
    office.work(Club(there=GROUP))
    assert (await office.ended(job)).status is JobStatus.COMPLETED


async def test_names_that_cannot_be_stored_are_mended(scene: Scene, office: Office) -> None:
    class Rude(Club):
        async def join_group(self, invite_link: str) -> GroupSeen:
            return replace(GROUP, subject="Trip\x00")

        async def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]:
            yield [ContactSeen("2@sandbox", chat_name="Mallory\x00")]

    joined = await office.make(JobKind.JOIN_GROUP)
    synced = await office.make(JobKind.SYNC_CONTACTS)
    office.work(Rude())
    assert (await office.ended(joined)).result["subject"] == "Trip\ufffd"  # type: ignore[index]  # it has one
    assert (await office.ended(synced)).status is JobStatus.COMPLETED
    [person] = await scene.rows("SELECT chat_name FROM contacts")
    assert person["chat_name"] == "Mallory\ufffd"


# --- idempotency keys of nodes that died ---


async def take(scene: Scene, service: IdempotencyService, job_id: UUID) -> None:
    tenant = scene.principal.tenant
    record = service.record(tenant, KEY, resource_id=job_id)
    await scene.database.transact(service.take, tenant, record)


def service_of(scene: Scene, node_id: UUID) -> IdempotencyService:
    return IdempotencyService(scene.database, lambda: node_id)


async def test_a_repeat_goes_on_with_the_job_of_a_dead_node(scene: Scene) -> None:
    job_id = uuid4()
    await take(scene, service_of(scene, uuid4()), job_id)
    found = await scene.idempotency.look_up(scene.principal.tenant, KEY)
    assert found == UnfinishedRequest(job_id)


async def test_of_repeats_on_several_nodes_one_goes_on(scene: Scene) -> None:
    await take(scene, service_of(scene, uuid4()), uuid4())
    services = [service_of(scene, await register(scene.database, uuid4())) for _ in range(5)]
    repeats = [service.look_up(scene.principal.tenant, KEY) for service in services]
    outcomes = await asyncio.gather(*repeats, return_exceptions=True)
    assert sum(isinstance(outcome, UnfinishedRequest) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, IdempotencyConflictError) for outcome in outcomes) == 4


async def test_a_kept_answer_is_everybodys(scene: Scene) -> None:
    await take(scene, scene.idempotency, uuid4())
    kept = encode_response(201, {"subject": "Trip"})
    await scene.idempotency.finish(scene.principal.tenant, KEY, kept)
    found = await service_of(scene, uuid4()).look_up(scene.principal.tenant, KEY)
    assert found == StoredResponse(201, kept.body, replayed=True)


async def test_after_a_day_the_key_is_free(scene: Scene) -> None:
    await take(scene, scene.idempotency, uuid4())
    await scene.database.pool.execute(
        "UPDATE idempotency_keys SET expires_at = now() - interval '1 second'"
    )
    assert await scene.idempotency.look_up(scene.principal.tenant, KEY) is None
    await take(scene, scene.idempotency, uuid4())


async def test_a_timed_out_request_is_answered_by_its_repeat(scene: Scene, office: Office) -> None:
    async def plan() -> NewJob:
        return NewJob(scene.account.id, JobKind.CREATE_GROUP, REQUESTS[JobKind.CREATE_GROUP])

    async def respond(job: Job) -> StoredResponse:
        done = await office.service.wait_for_end(job)
        return encode_response(201, {"jid": (done.result or {})["remote_jid"]})

    patient, office.service = office.service, jobs_of(scene, timeout=3)
    with pytest.raises(NetworkTimeoutError):
        await office.service.perform(scene.principal, KEY, plan, respond)
    office.service = patient
    office.work(Club())
    await scene.until_job_ended()
    repeat = await office.service.perform(scene.principal, KEY, plan, respond)
    again = await office.service.perform(scene.principal, KEY, plan, respond)
    assert repeat == encode_response(201, {"jid": GROUP.remote_jid})
    assert (again.body, again.replayed) == (repeat.body, True)
    assert await scene.count("jobs") == 1
