"""Jobs: queue what is asked of an account's session, wait for it, and answer.

A request waits 30 s for its job; after that it is answered 504 and the job goes on. A repeat with
the same idempotency key waits for that job and gets its real answer.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from heliograph.core import topics
from heliograph.core.idempotency.service import (
    Answer,
    IdempotencyKey,
    IdempotencyService,
    UnfinishedRequest,
    answer,
)
from heliograph.core.jobs import sql as store
from heliograph.core.jobs.model import SAFE_TO_REPEAT, Job, JobKind, JobStatus
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.errors import (
    AlreadyInGroupError,
    ApprovalRequiredError,
    ChatAccountNotConnectedError,
    GatewayError,
    InvalidInputError,
    InviteRevokedError,
    JobUnknownError,
    NetworkRefusedError,
    NetworkSilentError,
    NetworkTimeoutError,
    NotFoundError,
    PictureNotFoundError,
    RefusedForGoodError,
    StorageUnavailableError,
    UnavailableError,
)
from heliograph.platform.aio.periodic import wait_until_set
from heliograph.platform.aio.shares import Shares
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database, RepeatTransactionError

_LOOK_EVERY = 1.0


_COME_TO_NOTHING = (
    ChatAccountNotConnectedError,
    InvalidInputError,
    NetworkRefusedError,
    NetworkSilentError,
    StorageUnavailableError,
)


def had_no_effect(error: BaseException) -> bool:
    """Whether the job is over and nothing was done, so that a repeat begins anew."""
    return isinstance(error, _COME_TO_NOTHING)


def job_error(job: Job) -> GatewayError | InvalidInputError:
    """The answer: 422 where a value of the request is to blame, 409 for another refusal for good,
    502 for one that may pass, 504 for silence. The network's own words are kept.
    """
    error = job.error or {}
    if job.status is JobStatus.UNKNOWN:
        return JobUnknownError()
    return _invalid(job, error) or _known(error) or _refused(error)


def _invalid(job: Job, error: dict[str, Any]) -> InvalidInputError | None:
    """The error of a value that the network alone can judge, if it named one."""
    if error.get("code") == "InvalidInviteError":
        link = job.request.get("invite_link")
        return InvalidInputError.at(("body", "invite_link"), error["reason"], input=link)
    given = job.request.get("given", {}).get(error.get("value"))
    if given is None or not error.get("permanent"):
        return None
    position, text = given
    return InvalidInputError.at(("body", "participants", position), error["reason"], input=text)


def _known(error: dict[str, Any]) -> GatewayError | None:
    """The error that has a code of its own."""
    match error.get("code"):
        case "InviteNotFoundError":
            return NotFoundError(error["reason"])
        case "InviteRevokedError":
            return InviteRevokedError()
        case "ApprovalRequiredError":
            return ApprovalRequiredError()
        case "AlreadyInGroupError":
            return AlreadyInGroupError(error.get("remote_jid", ""))
        case "PictureNotFoundError":
            return PictureNotFoundError()
        case "StorageUnavailableError":
            return StorageUnavailableError()
        case "NotConnectedError" | "LoggedOutError" | "BannedError":
            return ChatAccountNotConnectedError()
        case "NoAnswerError":
            return NetworkSilentError()
    return None


def _refused(error: dict[str, Any]) -> GatewayError:
    reason = error.get("reason", "")
    return RefusedForGoodError(reason) if error.get("permanent") else NetworkRefusedError(reason)


_MOST, _SHARE = 16, 2
"""Jobs that a node looks into or puts in line at once, in all and of one organization: one may be
about a thousand people, and 64 of them side by side would hold everybody up."""


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to make for this account."""

    account_id: UUID
    kind: JobKind
    request: dict[str, Any]


Respond = Callable[[Job], Awaitable[Answer]]


class JobService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        idempotency: IdempotencyService,
        *,
        timeout: float,
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._idempotency = idempotency
        self._timeout = timeout
        self._beginning = Shares(_MOST, _SHARE)

    async def perform(
        self,
        principal: Principal,
        key: IdempotencyKey | None,
        plan: Callable[[], Awaitable[NewJob]],
        respond: Respond,
    ) -> Answer:
        """Make the planned job, or go on with the one that this key made; its answer.

        `plan` raises what forbids the job; `respond` turns the job into the answer, waiting for it
        with `finished` or not, and raises what its failure means.
        """
        tenant = principal.tenant
        if key is None:
            return await _respond(await self.start(tenant, await self._plan(tenant, plan)), respond)
        while True:
            known = await self._idempotency.look_up(tenant, key)
            if isinstance(known, Answer):
                return known
            if isinstance(known, UnfinishedRequest):
                make = partial(self._get, tenant, known.resource_id)
            else:
                try:
                    make = partial(self._insert, tenant, await self._plan(tenant, plan), key)
                except GatewayError as error:
                    if not error.is_final:
                        raise
                    return await self._idempotency.record_error(tenant, key, error)
            with suppress(_KeyTakenError):  # a twin of this request was faster by a moment
                return await self._answer(tenant, key, make, respond)

    async def _plan(self, tenant: Tenant, plan: Callable[[], Awaitable[NewJob]]) -> NewJob:
        async with self._beginning.hold(tenant.organization_id):
            return await plan()

    async def _answer(
        self,
        tenant: Tenant,
        key: IdempotencyKey,
        make: Callable[[], Awaitable[Job]],
        respond: Respond,
    ) -> Answer:
        """Answer, and leave the key in the state that a repeat needs, whatever happens."""
        try:
            answered = await _respond(await make(), respond)
        except _KeyTakenError:
            raise
        except BaseException as error:
            await self._leave(tenant, key, error)
            raise
        await self._idempotency.finish(tenant, key, answered)
        return answered

    async def _leave(self, tenant: Tenant, key: IdempotencyKey, error: BaseException) -> None:
        """A repeat gets this error again, or begins anew; unless the job is known to have ended, it
        goes on with the job."""
        if isinstance(error, GatewayError) and error.is_final:
            await self._idempotency.finish(tenant, key, answer(error.status, error.body()))
        elif had_no_effect(error):
            await self._idempotency.forget(tenant, key)
        else:
            await self._idempotency.release(tenant, key)

    async def start(self, tenant: Tenant, plan: NewJob) -> Job:
        """Make a job that no key repeats."""
        return await self._insert(tenant, plan, None)

    async def _insert(self, tenant: Tenant, plan: NewJob, key: IdempotencyKey | None) -> Job:
        """The new job and its key in one transaction; for a sync under way, that one's job.

        Raises `_KeyTakenError` when the key is another request's by now.
        """
        job_id = self._database.clock.new_id()

        async def work(connection: Connection) -> Job:
            job = await self._insert_or_find(connection, tenant, plan, job_id)
            if key is not None:
                record = self._idempotency.record(tenant, key, resource_id=job.id)
                if not await self._idempotency.take(connection, tenant, record):
                    raise _KeyTakenError
            return job

        async with self._beginning.hold(tenant.organization_id):
            job = await self._database.transact(work)
        self._notifications.notify_owner(topics.jobs_of(plan.account_id))
        return job

    async def _insert_or_find(
        self, connection: Connection, tenant: Tenant, plan: NewJob, job_id: UUID
    ) -> Job:
        job = await store.insert_job(
            connection,
            tenant,
            job_id=job_id,
            account_id=plan.account_id,
            kind=plan.kind,
            safe_to_repeat=plan.kind in SAFE_TO_REPEAT,
            request=plan.request,
            at=self._database.clock.now(),
        )
        if job is None:
            job = await store.find_job(connection, tenant, job_id)
        if job is None:
            job = await store.find_open_job(connection, tenant, plan.account_id, plan.kind)
        if job is None:
            raise RepeatTransactionError("the running job ended between two looks")
        return job

    async def _get(self, tenant: Tenant, job_id: UUID) -> Job:
        job = await self._database.read(store.find_job, tenant, job_id)
        if job is None:
            raise JobUnknownError
        return job

    async def _has_ended(self, job: Job) -> bool:
        status = await self._database.read(store.find_job_status, job.tenant, job.id)
        if status is None:
            raise JobUnknownError
        return status.is_final

    async def finished(self, job: Job) -> Job:
        """Wait for the job's end. Raises `NetworkTimeoutError`, and what `job_error` gives."""
        woken = asyncio.Event()
        unsubscribe = self._notifications.subscribe(topics.job_ended(job.id), woken.set)
        try:
            async with asyncio.timeout(self._timeout):
                while not job.status.is_final:
                    await wait_until_set(woken, _LOOK_EVERY)
                    woken.clear()
                    if await self._has_ended(job):
                        job = await self._get(job.tenant, job.id)
        except TimeoutError:
            raise NetworkTimeoutError from None
        finally:
            unsubscribe()
        if job.status is not JobStatus.COMPLETED:
            raise job_error(job)
        return job


class _KeyTakenError(Exception):
    pass


async def _respond(job: Job, respond: Respond) -> Answer:
    try:
        return await respond(job)
    except UnavailableError as error:
        raise UnavailableError(maybe_stored=True) from error
