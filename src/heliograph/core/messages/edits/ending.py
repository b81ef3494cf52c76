"""Ends messages before they are sent, because somebody cancels them or they expire, and the changes
that wait for them."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.accounts.sql import list_forgetful
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.redaction_sql import insert_events_to_redact
from heliograph.core.events.service import EventBuilder
from heliograph.core.messages import sql
from heliograph.core.messages.accepting import expiry_sql
from heliograph.core.messages.accepting.service import MessageService
from heliograph.core.messages.edits.sql import take_changes_behind
from heliograph.core.messages.events import (
    add_failed_change_event,
    add_status_event,
    log_failure,
)
from heliograph.core.messages.lists.names_sql import list_with_names
from heliograph.core.messages.model import WAITING, Message, MessageChange, MessageStatus
from heliograph.core.messages.queue.sql import follow_changes
from heliograph.core.messages.search.sql import delete_words
from heliograph.core.messages.serializers import MessageRecord, RenewLink
from heliograph.core.messages.statistics.sql import CountChanges, change_message_counts
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.errors import AlreadySentError, MessageNotFoundError
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection, Database

EXPIRED = "expired"
"""The failure reason of a message that expired before it could be sent."""
NOTHING_TO_CHANGE = "The message was not sent, so there is nothing to change."
"""The failure reason of a change of such a message."""
CHANGED_IN_DOUBT = (
    "It is not known whether the message was sent: it may be on the phone, where it can only be "
    "deleted."
)
"""The failure reason of a change of a message that may be on the phone."""
CANCEL = Write(
    scope="messages:write",
    unaudited="the message itself says that it was canceled, and its event tells of it",
    is_repeatable=True,
)
_LOOK_AGAIN = timedelta(seconds=10)
"""After this time an expired message that was being sent is checked again."""


class CancellationService:
    def __init__(self, changes: Changes, messages: MessageService) -> None:
        self._changes = changes
        self._messages = messages

    async def cancel(self, principal: Principal, message_id: UUID) -> MessageRecord:
        """Cancel a message that no attempt may have sent, and return it.

        Canceling a canceled message has no effect. Its quota is not given back. Raises
        `MessageNotFoundError`, `OtherOrganizationError`, `AccountNotAllowedError`, and
        `AlreadySentError` when it is too late.
        """
        CANCEL.require(principal)
        await self._messages.get(principal, message_id)  # it raises 403 or 404
        return await self._changes.run(CANCEL, principal, self._cancel, message_id)

    async def _cancel(self, change: Change, message_id: UUID) -> MessageRecord:
        connection, tenant = change.connection, change.tenant
        key = (tenant.organization_id, message_id)
        message = (await sql.lock_messages(connection, tenant.shard, [key])).get(message_id)
        if message is None:
            raise MessageNotFoundError(message_id)
        if message.status is not MessageStatus.CANCELED:
            if not message.is_here_alone:
                raise AlreadySentError(message.status, in_doubt=message.may_have_arrived)
            canceled = replace(message, status=MessageStatus.CANCELED, updated_at=change.now)
            ended, renew = [Ended(message, canceled)], self._messages.renew
            webhooks = await end_messages(connection, change.clock, tenant.shard, ended, renew)
            change.wake(*map(topics.deliveries_of, webhooks))
        return await self._messages.read_in(connection, tenant, message_id)


class Ended(NamedTuple):
    """A locked message as it was and as it is now."""

    before: Message
    after: Message


async def end_messages(
    connection: Connection, clock: Clock, shard: int, ended: Sequence[Ended], renew: RenewLink
) -> set[UUID]:
    """Write the ends of locked messages of one shard, with their events and those of the changes
    that waited for them. The changes of a message that may be on the phone stay: a receipt may
    prove that it is.

    Returns the webhooks that have new deliveries.
    """
    after = [message.after for message in ended]
    await sql.update_messages(connection, shard, after)
    await follow_changes(connection, shard, ended)
    counts = CountChanges()
    for old, new in ended:
        organization_id = old.tenant.organization_id
        counts.move(
            organization_id,
            old.account_id,
            old.created_at,
            old.direction,
            old.status,
            new.status,
        )
    accounts = {(message.tenant.organization_id, message.account_id) for message in after}
    forgetful = await list_forgetful(connection, shard, sorted(accounts))
    keys = [(message.tenant.organization_id, message.id) for message in after]
    webhooks = await tell_ends(connection, clock, shard, keys, renew, forgetful)
    unsent = [(one.tenant.organization_id, one.id) for one in after if not one.in_doubt]
    changes = await take_changes_behind(connection, shard, unsent)
    webhooks |= await tell_failed_changes(
        connection, clock, shard, changes, lambda _: NOTHING_TO_CHANGE, renew, forgetful
    )
    await change_message_counts(connection, shard, counts)
    return webhooks


async def tell_ends(
    connection: Connection,
    clock: Clock,
    shard: int,
    keys: Sequence[tuple[UUID, UUID]],
    renew: RenewLink,
    forgetful: Collection[UUID],
) -> set[UUID]:
    """Store the events of ended messages of one shard, given by (organization id, id), and empty
    the contents of those whose accounts are `forgetful`. Returns the webhooks that have new
    deliveries."""
    named = await list_with_names(connection, shard, keys)
    events = EventBuilder(clock)
    for key in keys:
        message, names = named[key]
        add_status_event(events, renew(message), message.status, names)
    webhooks = await _store(connection, clock, shard, events, forgetful)
    over = [key for key in sorted(keys) if named[key].message.account_id in forgetful]
    if over:
        await sql.empty_contents(connection, shard, over)
        await delete_words(connection, shard, over)
    return webhooks


async def tell_failed_changes(
    connection: Connection,
    clock: Clock,
    shard: int,
    changes: Sequence[MessageChange],
    reason_of: Callable[[MessageChange], str],
    renew: RenewLink,
    forgetful: Collection[UUID],
) -> set[UUID]:
    """Store the events of changes of one shard that will not be made any more. Returns the webhooks
    that have new deliveries."""
    if not changes:
        return set()
    keys = {(change.tenant.organization_id, change.message_id) for change in changes}
    named = await list_with_names(connection, shard, sorted(keys))
    events = EventBuilder(clock)
    for change in changes:
        found = named.get((change.tenant.organization_id, change.message_id))
        if found is not None:
            message = renew(found.message)
            add_failed_change_event(events, message, change, reason_of(change), found.names)
    return await _store(connection, clock, shard, events, forgetful)


async def _store(
    connection: Connection,
    clock: Clock,
    shard: int,
    events: EventBuilder,
    forgetful: Collection[UUID],
) -> set[UUID]:
    webhooks = await fan_out(connection, shard, events.events, clock)
    told = [event for event in events.events if event.account_id in forgetful]
    if told:
        await insert_events_to_redact(connection, shard, told)
    return webhooks


async def expire_messages(
    database: Database, shard: int, now: datetime, limit: int, renew: RenewLink
) -> tuple[int, set[UUID]]:
    """Fail messages of one shard that expired before they could be sent. One that is being sent is
    checked again later.

    Returns how many rows were due, at most `limit`, and the webhooks that have new deliveries.
    """

    async def work(connection: Connection) -> tuple[int, list[Message], set[UUID]]:
        keys = await expiry_sql.take_expired(connection, shard, now, limit)
        unsent = await expiry_sql.lock_unsent(connection, shard, keys) if keys else []
        waiting = [message for message in unsent if message.status in WAITING]
        if sending := [message for message in unsent if message.status not in WAITING]:
            await expiry_sql.look_again(connection, shard, sending, now + _LOOK_AGAIN)
        if not waiting:
            return len(keys), [], set()
        ended = [Ended(message, _expired(message, now)) for message in waiting]
        webhooks = await end_messages(connection, database.clock, shard, ended, renew)
        return len(keys), waiting, webhooks

    count, failed, webhooks = await database.transact(work)
    for message in failed:
        log_failure(message.id, message.account_id, message.run_id, EXPIRED)
    return count, webhooks


def _expired(message: Message, now: datetime) -> Message:
    return replace(
        message,
        status=MessageStatus.FAILED,
        failure_reason=EXPIRED,
        failed_at=now,
        next_attempt_at=None,
        updated_at=now,
    )
