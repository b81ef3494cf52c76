"""Remove an account: end what still waits to be done through it, and have its network forget it.

The account is deleted in one transaction, which inserts a row in `removed_accounts`; its messages,
then their changes, and its jobs end in small ones, each with its events. These are plain
transactions, since nobody asks for them one by one. After a crash between them, the janitor of any
node finds that row and goes on. Networks forget the account when the row is deleted: its sessions
are closed by then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import structlog

from heliograph.core import topics
from heliograph.core.accounts import sql as accounts_sql
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountService
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.contacts.events import add_synced_event
from heliograph.core.events.service import EventBuilder
from heliograph.core.jobs.model import Job, JobKind
from heliograph.core.jobs.sql import end_abandoned_jobs
from heliograph.core.messages.edits.ending import tell_ends, tell_failed_changes
from heliograph.core.messages.edits.sql import take_changes_of
from heliograph.core.messages.events import log_failure
from heliograph.core.messages.model import MessageChange, MessageStatus
from heliograph.core.messages.queue.removal_sql import end_waiting_messages
from heliograph.core.messages.serializers import RenewLink, keep_link
from heliograph.core.messages.statistics.sql import CountChanges, change_message_counts
from heliograph.core.removals.sql import (
    RemovedAccount,
    delete_removed,
    insert_removed,
    list_removed,
)
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.errors import (
    ChatAccountConnectedError,
    ChatAccountNotFoundError,
    InvalidInputError,
)
from heliograph.networks.errors import NotConnectedError
from heliograph.networks.port import AccountStatus
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.aio.periodic import for_each
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

log = structlog.get_logger()

BATCH = 500
STEP_TIMEOUT = 30.0
"""Seconds that one removal waits for the database before the next one has its turn."""
LATE = timedelta(seconds=60)
"""For this long, a request with a cached account may have a message accepted for it."""
REASON = "The account was removed."
REASON_IN_DOUBT = (
    "The account was removed before it was known whether the message was sent: it may be on the "
    "phone."
)
CHANGE_IN_DOUBT = (
    "The account was removed before it was known whether the change was made: it may be on the "
    "phone."
)
"""The reason why a change failed that was tried before: an attempt may have made it."""


REMOVE = Write(scope="admin:write", audits=(AuditAction.ACCOUNT_REMOVED,))


@dataclass(eq=False)
class RemovalService:
    _database: Database
    _notifications: Notifications
    _changes: Changes
    _accounts: AccountService
    _renew: RenewLink

    async def remove(self, principal: Principal, account_id: UUID, name: str) -> None:
        """Forget the account, whose name has to be given; its conversations and messages stay.

        What still waits to be sent is canceled. What is just being sent, or may have been sent by
        an attempt whose outcome is not known, fails, and so do changes and jobs that wait. Events
        report all of this. Raises `InvalidInputError`, `ChatAccountConnectedError`, and what
        `AccountService.get` raises.
        """
        REMOVE.require(principal)
        account = await self._accounts.get(principal, account_id)
        if name != account.name:
            raise InvalidInputError.at(("name",), "This is not the device's name.")
        removed = await self._changes.run(REMOVE, principal, _delete, account)
        await end_waiting(self._database, self._notifications, removed, self._renew)


async def _delete(change: Change, account: Account) -> RemovedAccount:
    connection, tenant = change.connection, account.tenant
    locked = await accounts_sql.lock_accounts(
        connection, tenant.shard, [(tenant.organization_id, account.id)]
    )
    if not locked:
        raise ChatAccountNotFoundError(account.id)
    if locked[account.id].status is AccountStatus.CONNECTED:
        raise ChatAccountConnectedError(account.name)
    await accounts_sql.delete_account(connection, tenant, account.id, change.now)
    change.audit(
        AuditAction.ACCOUNT_REMOVED,
        account.id,
        name=account.name,
        network=account.network,
        session_name=account.session_name,
    )
    change.wake(topics.FREE_ACCOUNT_LEASES, topics.account_changed(account.id), topics.live(tenant))
    return await insert_removed(connection, account, change.now)


async def end_waiting(
    database: Database,
    notifications: Notifications,
    removed: RemovedAccount,
    renew: RenewLink,
) -> None:
    """Cancel what waits, fail what may have been sent, and then what waits behind it. Raises what
    `transact` does."""
    for end_some in (_end_some_messages, _end_some_changes, _end_some_jobs):
        found = BATCH
        while found == BATCH:
            found, webhooks, jobs = await database.transact(end_some, database, removed, renew)
            notifications.notify_owner(*map(topics.deliveries_of, webhooks))
            notifications.notify(*[topics.job_ended(job.id) for job in jobs])


async def finish_removals(
    database: Database,
    notifications: Notifications,
    networks: NetworkRegistry,
    renew: RenewLink = keep_link,
) -> None:
    """Finish the interrupted removals of all tenants, and forget those that are over. After a
    failure, go on with the others, and raise it at the end."""

    async def finish(removed: RemovedAccount) -> None:
        await end_waiting(database.within(STEP_TIMEOUT), notifications, removed, renew)
        if removed.removed_at >= database.clock.now() - LATE:
            return
        for network in networks.list_networks():
            await network.forget(removed.account_id)
        await database.within(STEP_TIMEOUT).transact(delete_removed, removed=removed)

    await for_each(await database.read(list_removed), finish)


class _Batch(NamedTuple):
    """The number of messages in a batch, the webhooks that have something to deliver, and the jobs
    that have ended."""

    found: int
    webhooks: set[UUID]
    jobs: Sequence[Job] = ()


async def _end_some_messages(
    connection: Connection, database: Database, removed: RemovedAccount, renew: RenewLink
) -> _Batch:
    tenant = removed.tenant
    found, ended = await end_waiting_messages(
        connection,
        tenant,
        removed.account_id,
        database.clock.now(),
        (REASON, REASON_IN_DOUBT),
        BATCH,
    )
    if not ended:
        return _Batch(found, set())
    keys = sorted((tenant.organization_id, message.id) for message in ended)
    webhooks = await tell_ends(
        connection, database.clock, tenant.shard, keys, renew, removed.forgetful
    )
    moves = CountChanges()
    for message in ended:
        moves.move(
            tenant.organization_id,
            removed.account_id,
            message.created_at,
            message.direction,
            message.old,
            message.new,
        )
        if message.new is MessageStatus.FAILED:
            log_failure(message.id, removed.account_id, message.run_id, REASON_IN_DOUBT)
    await change_message_counts(connection, tenant.shard, moves)
    return _Batch(found, webhooks)


async def _end_some_changes(
    connection: Connection, database: Database, removed: RemovedAccount, renew: RenewLink
) -> _Batch:
    changes = await take_changes_of(connection, removed.tenant, removed.account_id, BATCH)
    webhooks = await tell_failed_changes(
        connection,
        database.clock,
        removed.tenant.shard,
        changes,
        _why_it_failed,
        renew,
        removed.forgetful,
    )
    return _Batch(len(changes), webhooks)


def _why_it_failed(change: MessageChange) -> str:
    return CHANGE_IN_DOUBT if change.retry_count else REASON


async def _end_some_jobs(
    connection: Connection, database: Database, removed: RemovedAccount, renew: RenewLink
) -> _Batch:
    error = {"code": NotConnectedError.kind, "reason": REASON}
    jobs = await end_abandoned_jobs(connection, removed.tenant, removed.account_id, error, BATCH)
    events = EventBuilder(database.clock)
    for job in jobs:
        if job.kind is JobKind.SYNC_CONTACTS:
            at = job.finished_at or database.clock.now()
            add_synced_event(events, job, job.status, job.result, job.error, at)
    webhooks = await fan_out(connection, removed.tenant.shard, events.events, database.clock)
    return _Batch(len(jobs), webhooks, jobs)
