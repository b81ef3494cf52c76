"""Runs an account's jobs over its session, and reports their outcomes.

Each job waits for the network until its deadline; a job whose deadline has passed is not started.

For a job that an earlier owner had begun and that is not safe to repeat, the network is asked first
whether it was done; if it can't tell, the job ends `unknown`. That search has the job's whole time
again, and so has each page of contacts, for which nobody waits.
"""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import structlog
from msgspec.structs import replace

from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, lock_leases
from heliograph.core.contacts import sql as contacts_sql
from heliograph.core.contacts.model import ContactPicture
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.session_jobs import find_work
from heliograph.core.ingest.model import JobEnded, Report
from heliograph.core.ingest.service import ReportService
from heliograph.core.ingest.storable import clean, storable
from heliograph.core.jobs import sql as jobs_sql
from heliograph.core.jobs.model import STORAGE_UNAVAILABLE, Job, JobKind, JobStatus
from heliograph.core.media.service import MEDIA_TYPE, MediaService
from heliograph.errors import StorageUnavailableError
from heliograph.networks.errors import AlreadyInGroupError, NetworkError, NoAnswerError
from heliograph.networks.port import (
    AccountStatus,
    Contacts,
    FetchedPicture,
    Groups,
    GroupSeen,
    Pictures,
    Session,
    SessionState,
)
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.pictures.encoder import UnusablePictureError

T = TypeVar("T")
log = structlog.get_logger()

CLAIM_BATCH = 2
"""Jobs of one account at a time: one may concern a thousand people, and more at once would hold up
other accounts."""
_GROUP_CLOCK_SKEW = timedelta(minutes=2)
"""By how much the network's creation time of a group may precede the job that created it."""
_SILENCE = "The chat network did not answer in time."
_TOO_LATE = "The account's session had no time for it."
_LOGGED_OUT = "The account was logged out: pair it again."


class JobRunner:
    """Runs the jobs of one account, under one lease: at most `CLAIM_BATCH` at a time."""

    def __init__(
        self,
        database: Database,
        reports: ReportService,
        media: MediaService,
        lease: Lease,
        network: str,
        active: ActiveSession,
    ) -> None:
        self._database = database
        self._reports = reports
        self._media = media
        self._lease = lease
        self._network = network
        self._active = active
        self._wake = asyncio.Event()
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    def wake(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        """Work until canceled."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._active.is_open() and await self._claim():
                    pass
        finally:
            tasks = list(self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _claim(self) -> bool:
        room = CLAIM_BATCH - len(self._tasks)
        if room <= 0:
            return False

        begun: dict[UUID, bool] = {}  # as the first try found them: the claim may be repeated

        async def claim(connection: Connection) -> list[tuple[Job, bool]]:
            if not await lock_leases(connection, ACCOUNT_LEASES, [self._lease]):
                return []
            found = await jobs_sql.claim_jobs(connection, self._lease, room, list(self._tasks))
            return [(job, begun.setdefault(job.id, had_begun)) for job, had_begun in found]

        claimed = await self._database.within(None).transact(claim)
        for job, had_begun in claimed:
            task = asyncio.create_task(self._do(job, had_begun=had_begun))
            self._tasks[job.id] = task
            task.add_done_callback(partial(self._done, job.id))
        return bool(claimed)

    def _done(self, job_id: UUID, task: "asyncio.Task[None]") -> None:
        del self._tasks[job_id]
        self._wake.set()
        if not task.cancelled() and task.exception() is not None:
            log.error("a job was not reported", error=repr(task.exception()))

    async def _do(self, job: Job, *, had_begun: bool) -> None:
        try:
            ended = await self._resume(job) if had_begun else await self._begin(job)
        except NetworkError as error:
            ended = _failed(job, error)
        except StorageUnavailableError as error:
            details = {"code": STORAGE_UNAVAILABLE, "reason": error.detail}
            ended = JobEnded(job, JobStatus.FAILED, error=details)
        except Exception as error:
            log.exception("a job failed in a way nobody expected", kind=job.kind)
            ended = _failed(job, NetworkError(f"The gateway failed: {type(error).__name__}."))
        await self._reports.report([Report(self._lease, self._network, ended)])

    async def _resume(self, job: Job) -> JobEnded:
        """Resume a job whose outcome was lost with its node."""
        if job.safe_to_repeat:
            return await self._begin(job)
        session = self._active.session
        if job.kind is JobKind.CREATE_GROUP and isinstance(session, Groups):
            began = (job.started_at or job.created_at) - _GROUP_CLOCK_SKEW
            sought = session.find_group(job.request["subject"], began)
            group = await _answer(sought, job.answer_timeout)
            if group is not None:
                return _ended_with(job, group)
        if job.kind is JobKind.JOIN_GROUP and isinstance(session, Groups):
            return await self._join_again(job, session)
        return JobEnded(job, JobStatus.UNKNOWN)

    async def _join_again(self, job: Job, session: Groups) -> JobEnded:
        """Join again: that tells whether the first attempt worked, and has no effect if it did."""
        try:
            joined = session.join_group(job.request["invite_link"])
            group = await _answer(joined, job.answer_timeout)
        except AlreadyInGroupError:
            return JobEnded(job, JobStatus.UNKNOWN)
        return _ended_with(job, group)

    async def _begin(self, job: Job) -> JobEnded:
        session, request = self._active.session, job.request
        if job.kind is JobKind.SYNC_CONTACTS and isinstance(session, Contacts):
            return await self._sync(job, session)
        seconds = self._time_left(job)
        if job.kind is JobKind.CREATE_GROUP and isinstance(session, Groups):
            created = session.create_group(request["subject"], request["participants"])
            return _ended_with(job, await _answer(created, seconds))
        if job.kind is JobKind.JOIN_GROUP and isinstance(session, Groups):
            joined = session.join_group(request["invite_link"])
            return _ended_with(job, await _answer(joined, seconds))
        if job.kind is JobKind.FETCH_PICTURE and isinstance(session, Pictures):
            return await self._fetch_picture(job, session, seconds)
        if job.kind is JobKind.LOG_OUT:
            return await self._log_out(job, session, seconds)
        work = find_work(job, session)
        if work is None:
            raise NetworkError("This network can't do that.", permanent=True)
        return await _answer(work, seconds)

    def _time_left(self, job: Job) -> float:
        """Return the seconds until the deadline. Raises `NoAnswerError` if it has passed."""
        seconds = (job.deadline - self._database.clock.now()).total_seconds()
        if seconds <= 0:
            raise NoAnswerError(_TOO_LATE, certain=True)
        return seconds

    async def _log_out(self, job: Job, session: Session, seconds: float) -> JobEnded:
        """Log out, and report that before the job ends: the session's own report may come later."""
        await _answer(session.log_out(), seconds)
        state = SessionState(AccountStatus.LOGGED_OUT, _LOGGED_OUT)
        await self._reports.report([Report(self._lease, self._network, state)])
        return JobEnded(job, JobStatus.COMPLETED)

    async def _sync(self, job: Job, session: Contacts) -> JobEnded:
        count, pages = 0, session.contacts()
        while (page := await _answer(anext(pages, None), job.answer_timeout)) is not None:
            count += len(page)
            await self._reports.report(
                [Report(self._lease, self._network, storable(contact)) for contact in page]
            )
        return JobEnded(job, JobStatus.COMPLETED, {"contacts": count})

    async def _fetch_picture(self, job: Job, session: Pictures, seconds: float) -> JobEnded:
        request = job.request
        fetched = session.picture(
            request["remote_jid"], preview=request["preview"], known_id=request["known_id"]
        )
        picture = await _answer(fetched, seconds)
        if picture is None:
            return JobEnded(job, JobStatus.COMPLETED, {"unchanged": True})
        await self._keep_picture(job, picture)
        return JobEnded(job, JobStatus.COMPLETED, {"picture_id": picture.picture_id})

    async def _keep_picture(self, job: Job, picture: FetchedPicture) -> None:
        preview = bool(job.request["preview"])
        try:
            object_key = await self._media.store_picture(job.tenant, picture.data, preview=preview)
        except UnusablePictureError as error:
            raise NetworkError(f"The network's picture is unusable: {error}.") from error
        kept = ContactPicture(
            tenant=job.tenant,
            contact_id=job.request["contact_id"],
            account_id=job.account_id,
            preview=preview,
            picture_id=picture.picture_id,
            object_key=object_key,
            media_type=MEDIA_TYPE,
            checked_at=self._database.clock.now(),
        )
        await self._database.within(None).transact(contacts_sql.upsert_picture, kept)


async def _answer(asked: Awaitable[T], seconds: float) -> T:
    """Wait for the network's answer. Raises `NoAnswerError` after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await asked
    except TimeoutError:
        raise NoAnswerError(_SILENCE) from None


def _ended_with(job: Job, group: GroupSeen) -> JobEnded:
    group = replace(group, subject=clean(group.subject))
    created_at = group.created_at
    result = {
        "remote_jid": group.remote_jid,
        "subject": group.subject,
        "owner_jid": group.owner_jid,
        "created_at": created_at and created_at.isoformat().replace("+00:00", "Z"),
    }
    return JobEnded(job, JobStatus.COMPLETED, result, group=group)


def _failed(job: Job, error: NetworkError) -> JobEnded:
    details: dict[str, Any] = {
        "code": error.kind,
        "reason": clean(error.reason),
        "permanent": error.permanent,
        "value": error.value,
    }
    if isinstance(error, AlreadyInGroupError):
        details["remote_jid"] = error.remote_jid
    if not error.certain and not job.safe_to_repeat:
        return JobEnded(job, JobStatus.UNKNOWN, error=details)
    return JobEnded(job, JobStatus.FAILED, error=details)
