"""Claims made by the transaction that accepts messages; see `senders`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

from heliograph.core.messages.model import Claim, ClaimedMessage, NewMessage
from heliograph.core.messages.queue.senders import Reservation
from heliograph.core.messages.queue.sql import delete_claims, insert_claims, lock_idle
from heliograph.core.tenants.rows import Shards
from heliograph.networks.content import message_type
from heliograph.platform.database.pool import Connection


async def lock_epochs(
    connection: Connection, reservations: Mapping[UUID, Reservation]
) -> dict[UUID, int]:
    """Return the accounts whose messages are claimed on acceptance, with the epochs of their
    leases.

    The leases stay locked until the transaction ends.
    """
    leases = [reservation.lease for reservation in reservations.values()]
    floors = [reservation.floor for reservation in reservations.values()]
    idle = await lock_idle(connection, leases, floors)
    return {lease.resource_id: lease.epoch for lease in leases if lease.resource_id in idle}


async def claim_accepted(
    connection: Connection,
    shards: Shards,
    messages: Sequence[NewMessage],
    seqs: Mapping[UUID, int],
    reservations: Mapping[UUID, Reservation],
) -> dict[UUID, Claim]:
    """Insert the claims of messages that were inserted as `sending`, with these numbers.

    Returns them by account.
    """
    by_account: defaultdict[UUID, list[ClaimedMessage]] = defaultdict(list)
    for message in messages:
        if message.id in seqs:
            by_account[message.account_id].append(_claimed(message, seqs[message.id]))
    claims = {
        account_id: Claim(uuid4(), sorted(own, key=lambda message: message.seq))
        for account_id, own in by_account.items()
    }
    if claims:
        own = [(reservations[account_id], claim) for account_id, claim in claims.items()]
        await insert_claims(connection, shards, [(room.lease, claim) for room, claim in own])
        # One look-up each: a planner without statistics may read all claims for a join.
        for room, _ in own:
            if room.over:
                await delete_claims(connection, room.lease, room.over)
    return claims


def _claimed(message: NewMessage, seq: int) -> ClaimedMessage:
    return ClaimedMessage(
        tenant=message.tenant,
        id=message.id,
        seq=seq,
        account_id=message.account_id,
        message_type=message_type(message.content),
        recipient=message.recipient,
        content=message.content,
        chat_message_id=message.chat_message_id,
        created_at=message.created_at,
        run_id=message.run_id,
        media_url=message.media_url,
        reply_to_message_id=message.reply_to_message_id,
        retry_count=0,
        connected_seconds=0.0,
        expires_at=message.expires_at,
        trace_context=message.trace_context,
    )
