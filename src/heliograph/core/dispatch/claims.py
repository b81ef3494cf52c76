"""Claims an account's messages under a lease, and requeues what was claimed without an outcome."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.accounts.model import Restriction
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, lock_lease_alone, lock_leases
from heliograph.core.messages.edits.sql import list_messages_by_id
from heliograph.core.messages.events import log_failed_attempt
from heliograph.core.messages.model import (
    ClaimedMessage,
    ClaimResult,
    Direction,
    Message,
    MessageStatus,
)
from heliograph.core.messages.queue import sql as queue_sql
from heliograph.core.messages.queue.holds_sql import (
    HOLD_BATCH,
    hold_new_conversations,
    release_held,
)
from heliograph.core.messages.statistics.sql import CountChanges, change_message_counts
from heliograph.core.tenants.model import Tenant
from heliograph.networks.port import Quoted
from heliograph.platform.database.floors import START, Floor
from heliograph.platform.database.pool import Connection

_UNKNOWN_OUTCOME = "The outcome of the last attempt is not known."


async def claim_messages(
    connection: Connection, lease: Lease, limit: int, now: datetime, floor: Floor = START
) -> ClaimResult:
    """Claim the account's next due messages, by `seq`: `sending` now, under the lease's epoch.

    Claims none under a lease that this node no longer holds, or if nothing is due. A lease that it
    holds can't be taken over before the commit.
    """
    if not await lock_leases(connection, ACCOUNT_LEASES, [lease]):
        return ClaimResult(None)
    result = await queue_sql.claim_queued(connection, lease, limit, now, floor)
    moves = CountChanges()
    for message in result.claim.messages if result.claim else ():
        moves.move(
            message.tenant.organization_id,
            message.account_id,
            message.created_at,
            Direction.OUTBOUND,
            MessageStatus.QUEUED,
            MessageStatus.SENDING,
        )
    await change_message_counts(connection, lease.tenant.shard, moves)
    return result


async def forget_claims(connection: Connection, lease: Lease, over: Sequence[UUID]) -> None:
    """Delete claims of which nothing is being sent any more."""
    if over and await lock_leases(connection, ACCOUNT_LEASES, [lease]):
        await queue_sql.delete_claims(connection, lease, over)


async def list_quoted(
    connection: Connection, tenant: Tenant, messages: Sequence[ClaimedMessage]
) -> dict[UUID, Quoted]:
    """Return the messages that these ones quote, by the quoting message's id, as far as they still
    exist."""
    answered = {
        message.id: message.reply_to_message_id
        for message in messages
        if message.reply_to_message_id is not None
    }
    if not answered:
        return {}
    found = await list_messages_by_id(connection, tenant, sorted(set(answered.values())))
    return {
        message_id: _quoted(found[quoted_id])
        for message_id, quoted_id in answered.items()
        if quoted_id in found
    }


def _quoted(message: Message) -> Quoted:
    is_own = message.direction is Direction.OUTBOUND
    sender = None if is_own else message.sender_jid
    return Quoted(message.chat_message_id, sender, message.content)


async def release_lapsed(
    connection: Connection, lease: Lease, lapsed: Sequence[datetime], now: datetime
) -> None:
    """Release the messages that this node has held until these times because it did not know yet
    that the restriction had ended or changed."""
    if lapsed and await lock_leases(connection, ACCOUNT_LEASES, [lease]):
        for until in lapsed:
            await release_held(connection, lease.tenant, lease.resource_id, until, now)


async def hold_messages(
    connection: Connection, lease: Lease, restriction: Restriction, network: str, now: datetime
) -> bool:
    """Hold the next messages that the restriction concerns. Returns whether there may be more.

    Holds none under a lease that this node no longer has.
    """
    if not await lock_leases(connection, ACCOUNT_LEASES, [lease]):
        return False
    tenant, account_id = lease.tenant, lease.resource_id
    held = await hold_new_conversations(connection, tenant, account_id, restriction, network, now)
    return held == HOLD_BATCH


async def requeue_claimed(
    connection: Connection, lease: Lease, *, but: Collection[UUID] = ()
) -> bool:
    """Requeue messages that an earlier owner was sending when it died, or that this one claimed in
    a transaction whose answer was lost. `but` are the messages that it holds in memory.

    Return False, and do nothing, under a lease that this node no longer holds.
    """
    # exclusively: claims for this account that are about to commit must be seen
    if not await lock_lease_alone(connection, ACCOUNT_LEASES, lease):
        return False
    moves = CountChanges()
    for message in await queue_sql.requeue_sending(connection, lease, _UNKNOWN_OUTCOME, but):
        moves.move(
            lease.tenant.organization_id,
            lease.resource_id,
            message.created_at,
            Direction.OUTBOUND,
            MessageStatus.SENDING,
            message.status,
        )
        log_failed_attempt(message, _UNKNOWN_OUTCOME)
    await change_message_counts(connection, lease.tenant.shard, moves)
    return True
