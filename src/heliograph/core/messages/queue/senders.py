"""The senders of this node: messages accepted for their accounts need not pass through the queue.

The transaction that accepts a message also claims it if this node owns its account and nothing else
waits for that: the message is `sending` from the start, under the lease's epoch, as a separate
claim would have made it a moment later. So it never enters the queue, which saves a write.

    reserve ──▶ the batch's transaction ──▶ settle
    room for these messages     claims them, or queues those that must wait
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from heliograph.core.cluster.model import Lease
from heliograph.core.messages.model import Claim, NewMessage
from heliograph.platform.database.floors import Floor


class Reservation(Protocol):
    """Room that a sender keeps for messages of one account, until it is used or given up."""

    @property
    def lease(self) -> Lease:
        """The lease under which they are claimed."""
        ...

    @property
    def floor(self) -> Floor:
        """The floor from which waiting messages are searched."""
        ...

    @property
    def over(self) -> Sequence[UUID]:
        """Earlier claims whose messages have all ended, to be deleted with this one."""
        ...

    def use(self, claim: Claim) -> None:
        """Send these messages, whose claim is committed."""
        ...

    def give_up(self) -> None:
        """Release the room: none of the messages is claimed."""
        ...


class AccountSender(Protocol):
    """The session of an account while this node owns it."""

    def reserve(self, message_ids: Collection[UUID]) -> Reservation | None:
        """Reserve room for these messages; None if any would have to wait."""
        ...

    def recover_stale_claims(self) -> None:
        """Requeue messages that are `sending` in the table but not being sent."""
        ...


class Senders:
    """The senders of this process, by account."""

    def __init__(self) -> None:
        self._senders: dict[UUID, AccountSender] = {}
        self._abandoned: set[UUID] = set()

    def add(self, account_id: UUID, sender: AccountSender) -> None:
        self._senders[account_id] = sender
        if account_id in self._abandoned:
            self._abandoned.discard(account_id)
            sender.recover_stale_claims()

    def remove(self, account_id: UUID, sender: AccountSender) -> None:
        if self._senders.get(account_id) is sender:
            del self._senders[account_id]

    def recover(self, account_id: UUID) -> None:
        """Recover messages of this account that may have been claimed without a sender."""
        sender = self._senders.get(account_id)
        if sender is None:
            self._abandoned.add(account_id)
        else:
            sender.recover_stale_claims()

    def reserve(self, messages: Sequence[NewMessage]) -> dict[UUID, Reservation]:
        """Reserve room for the messages of those accounts that can send all of theirs now."""
        if not self._senders:
            return {}
        by_account: dict[UUID, list[NewMessage]] = {}
        for message in messages:
            by_account.setdefault(message.account_id, []).append(message)
        reservations = {}
        for account_id, own in by_account.items():
            sender = self._senders.get(account_id)
            if sender is None or not all(map(_needs_nothing_else, own)):
                continue
            reservation = sender.reserve([message.id for message in own])
            if reservation is not None:
                reservations[account_id] = reservation
        return reservations

    def settle(
        self,
        reservations: Mapping[UUID, Reservation],
        claims: Mapping[UUID, Claim],
        *,
        in_doubt: bool,
    ) -> None:
        """Hand over the claims, by account. `in_doubt` says whether an earlier try of the same
        transaction may have claimed messages, too."""
        for account_id, reservation in reservations.items():
            claim = claims.get(account_id)
            if claim is None:
                reservation.give_up()
            else:
                reservation.use(claim)
            if in_doubt:
                self.recover(account_id)


def _needs_nothing_else(message: NewMessage) -> bool:
    """Whether the message itself does not have to wait."""
    return message.scheduled_for is None and message.reply_to_message_id is None
