"""Claims made by the transaction that accepts messages; see `senders`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

from heliograph.core.messages.model import Claim, ClaimedMessage, NewMessage
from heliograph.core.messages.queue.senders import Reservation
from heliograph.core.messages.queue.sql import delete_claims, insertion_of_claims, lock_idle
from heliograph.core.tenants.rows import RowWrite
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


class NewClaims:
    """Claims of messages that are about to be inserted as `sending`: one for each account."""

    def __init__(
        self, messages: Sequence[NewMessage], reservations: Mapping[UUID, Reservation]
    ) -> None:
        self._messages: defaultdict[UUID, list[NewMessage]] = defaultdict(list)
        for message in messages:
            self._messages[message.account_id].append(message)
        self._ids = {account_id: uuid4() for account_id in self._messages}
        self._rooms = {account_id: reservations[account_id] for account_id in self._messages}

    def writes(self) -> list[RowWrite]:
        """List the writes that store the claims."""
        rows = [
            (self._rooms[account_id].lease, self._ids[account_id], [each.id for each in own])
            for account_id, own in self._messages.items()
        ]
        return [insertion_of_claims(rows)] if rows else []

    async def delete_over(self, connection: Connection) -> None:
        """Delete earlier claims of these accounts whose messages have all ended."""
        # One look-up each: a planner without statistics may read all claims for a join.
        for room in self._rooms.values():
            if room.over:
                await delete_claims(connection, room.lease, room.over)

    def of(self, seqs: Mapping[UUID, int]) -> dict[UUID, Claim]:
        """Return the claims by account, once their messages are inserted with these numbers."""
        return {
            account_id: Claim(
                self._ids[account_id],
                sorted(
                    (_claimed(message, seqs[message.id]) for message in own),
                    key=lambda message: message.seq,
                ),
            )
            for account_id, own in self._messages.items()
        }


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
