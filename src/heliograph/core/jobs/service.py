"""Jobs: queue what is asked of an account's session, wait for it, and answer.

A request waits `timeout` seconds for its job; after that it is answered 504 and the job goes on:
the network has twice as long. A repeat with the same idempotency key waits for that job and gets
its real answer.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from heliograph.core import topics
from heliograph.core.changes.model import Change
from heliograph.core.changes.service import Changes
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    KeyTakenError,
    StoredResponse,
    UnfinishedRequest,
    encode_response,
)
from heliograph.core.jobs import model, sql
from heliograph.core.jobs.model import Job, JobStatus, NewJob
from heliograph.core.jobs.writes import WRITES
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
from heliograph.networks import errors as network_errors
from heliograph.platform.aio.limits import FairSemaphore
from heliograph.platform.aio.periodic import wait_until_set
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database, RepeatTransactionError

_POLL_INTERVAL = 1.0
_TIMEOUTS_OF_JOB = 2
"""How many times as long as its request a job waits: a repeat still gets a late answer."""
_WITHOUT_EFFECT = (
    ChatAccountNotConnectedError,
    InvalidInputError,
    NetworkRefusedError,
    NetworkSilentError,
    StorageUnavailableError,
)
"""The errors of a job that did nothing, so that a repeat starts over."""


def job_error(job: Job) -> GatewayError | InvalidInputError:
    """Return the error to answer with: 422 if a value of the request is to blame, 409 for another
    permanent refusal, 502 for one that may pass, 504 for silence. The network's reason is kept."""
    error = job.error or {}
    if job.status is JobStatus.UNKNOWN:
        return JobUnknownError()
    known = _invalid_input(job, error) or _known_error(error)
    if known is not None:
        return known
    reason = error.get("reason", "")
    return RefusedForGoodError(reason) if error.get("permanent") else NetworkRefusedError(reason)


def _invalid_input(job: Job, error: dict[str, Any]) -> InvalidInputError | None:
    """Return the error of a value that only the network can check, if it names one."""
    if error.get("code") == network_errors.InvalidInviteError.kind:
        link = job.request.get("invite_link")
        return InvalidInputError.at(("body", "invite_link"), error["reason"], input=link)
    given = job.request.get("given", {}).get(error.get("value"))
    if given is None or not error.get("permanent"):
        return None
    position, text = given
    return InvalidInputError.at(("body", "participants", position), error["reason"], input=text)


def _known_error(error: dict[str, Any]) -> GatewayError | None:
    """Return the error that has a code of its own."""
    match error.get("code"):
        case network_errors.InviteNotFoundError.kind:
            return NotFoundError(error["reason"])
        case network_errors.GroupNotFoundError.kind | network_errors.ParticipantNotFoundError.kind:
            return NotFoundError(error["reason"])
        case network_errors.InviteRevokedError.kind:
            return InviteRevokedError()
        case network_errors.ApprovalRequiredError.kind:
            return ApprovalRequiredError()
        case network_errors.AlreadyInGroupError.kind:
            return AlreadyInGroupError(error.get("remote_jid", ""))
        case network_errors.PictureNotFoundError.kind:
            return PictureNotFoundError()
        case model.STORAGE_UNAVAILABLE:
            return StorageUnavailableError()
        case (
            network_errors.NotConnectedError.kind
            | network_errors.LoggedOutError.kind
            | network_errors.BannedError.kind
        ):
            return ChatAccountNotConnectedError()
        case network_errors.NoAnswerError.kind:
            return NetworkSilentError()
    return None


_MAX_STARTING, _MAX_STARTING_OF_ORGANIZATION = 16, 2
"""Jobs that a node plans or inserts at once: one may be about a thousand people, and 64 of them at
a time would hold up all other requests."""

Respond = Callable[[Job], Awaitable[StoredResponse]]


class JobService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        changes: Changes,
        idempotency: IdempotencyService,
        *,
        timeout: float,
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._changes = changes
        self._idempotency = idempotency
        self._timeout = timeout
        self._starting = FairSemaphore(_MAX_STARTING, _MAX_STARTING_OF_ORGANIZATION)

    async def perform(
        self,
        principal: Principal,
        key: IdempotencyKey | None,
        plan: Callable[[], Awaitable[NewJob]],
        respond: Respond,
    ) -> StoredResponse:
        """Make the planned job, or continue the one that this key made, and return its answer.

        `plan` raises the error that forbids the job; `respond` makes the answer of the job, after
        `wait_for_end` or at once, and raises the error of a job that failed.
        """
        tenant = principal.tenant
        if key is None:
            planned = await self._plan(tenant, plan)
            return await _respond(await self.start(principal, planned), respond)
        while True:
            known = await self._idempotency.look_up(tenant, key)
            if isinstance(known, StoredResponse):
                return known
            # else the same request was sent twice, and the other was faster
            with suppress(KeyTakenError):
                if isinstance(known, UnfinishedRequest):
                    make = partial(self._get, tenant, known.resource_id)
                else:
                    planned = await self._plan_under(tenant, key, plan)
                    make = partial(self._insert, principal, planned, key)
                return await self._answer(tenant, key, make, respond)

    async def _plan(self, tenant: Tenant, plan: Callable[[], Awaitable[NewJob]]) -> NewJob:
        async with self._starting.hold(tenant.organization_id):
            return await plan()

    async def _plan_under(
        self, tenant: Tenant, key: IdempotencyKey, plan: Callable[[], Awaitable[NewJob]]
    ) -> NewJob:
        try:
            return await self._plan(tenant, plan)
        except (GatewayError, InvalidInputError) as error:
            await self._idempotency.refuse(tenant, key, error)

    async def _answer(
        self,
        tenant: Tenant,
        key: IdempotencyKey,
        make: Callable[[], Awaitable[Job]],
        respond: Respond,
    ) -> StoredResponse:
        """Answer, and in any case leave the key in the state that a repeat needs."""
        try:
            answered = await _respond(await make(), respond)
        except KeyTakenError:
            raise
        except BaseException as error:
            await self._keep_failure(tenant, key, error)
            raise
        await self._idempotency.finish(tenant, key, answered)
        return answered

    async def _keep_failure(
        self, tenant: Tenant, key: IdempotencyKey, error: BaseException
    ) -> None:
        """Let a repeat get a final error again, start over if nothing was done, and otherwise
        continue the job."""
        if isinstance(error, GatewayError) and error.is_final:
            await self._idempotency.finish(tenant, key, encode_response(error.status, error.body()))
        elif isinstance(error, _WITHOUT_EFFECT):
            await self._idempotency.forget(tenant, key)
        else:
            await self._idempotency.release(tenant, key)

    async def start(self, principal: Principal, new: NewJob) -> Job:
        """Make a job without an idempotency key."""
        return await self._insert(principal, new, None)

    async def _insert(self, principal: Principal, new: NewJob, key: IdempotencyKey | None) -> Job:
        """Insert the job and its key in one transaction. If an account can have one job of the kind
        at a time, and has one, return that.

        Raises `KeyTakenError` if another request has taken the key.
        """
        job_id = self._database.clock.new_id()
        async with self._starting.hold(principal.organization_id):
            return await self._changes.run(
                WRITES[new.kind], principal, self._insert_in, new, job_id, key
            )

    async def _insert_in(
        self, change: Change, new: NewJob, job_id: UUID, key: IdempotencyKey | None
    ) -> Job:
        job = await self._insert_or_find(change, new, job_id)
        if key is not None:
            record = self._idempotency.record(change.tenant, key, resource_id=job.id, at=change.now)
            await self._idempotency.take(change.connection, change.tenant, record)
        change.wake(topics.jobs_of(new.account_id))
        return job

    async def _insert_or_find(self, change: Change, new: NewJob, job_id: UUID) -> Job:
        connection, tenant = change.connection, change.tenant
        deadline = change.now + timedelta(seconds=_TIMEOUTS_OF_JOB * self._timeout)
        job = await sql.insert_job(connection, tenant, job_id, new, change.now, deadline)
        if job is not None:
            for action in WRITES[new.kind].audits:
                change.audit(action, new.account_id, **new.about)
        if job is None:
            job = await sql.find_job(connection, tenant, job_id)
        if job is None:
            job = await sql.find_open_job(connection, tenant, new.account_id, new.kind)
        if job is None:
            raise RepeatTransactionError("the running job ended meanwhile")
        return job

    async def _get(self, tenant: Tenant, job_id: UUID) -> Job:
        job = await self._database.read(sql.find_job, tenant, job_id)
        if job is None:
            raise JobUnknownError
        return job

    async def _has_ended(self, job: Job) -> bool:
        status = await self._database.read(sql.find_job_status, job.tenant, job.id)
        if status is None:
            raise JobUnknownError
        return status.is_final

    async def wait_for_end(self, job: Job) -> Job:
        """Wait for the job to end. Raises `NetworkTimeoutError` and what `job_error` returns."""
        woken = asyncio.Event()
        unsubscribe = self._notifications.subscribe(topics.job_ended(job.id), woken.set)
        try:
            async with asyncio.timeout(self._timeout):
                while not job.status.is_final:
                    await wait_until_set(woken, _POLL_INTERVAL)
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


async def _respond(job: Job, respond: Respond) -> StoredResponse:
    try:
        return await respond(job)
    except UnavailableError as error:
        raise UnavailableError(maybe_stored=True) from error
