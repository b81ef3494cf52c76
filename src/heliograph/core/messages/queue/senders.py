"""Who sends on this node: what is accepted for their accounts need not wait in the queue.

The transaction that accepts a message claims it, too, if its account is owned by this node and
nothing else waits for it: `sending` from the start, under the lease's epoch, as a claim of its own
would have made it a moment later. Then it never stands in the queue, and is written once less.

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
        """Under which they are claimed."""
        ...

    @property
    def floor(self) -> Floor:
        """Where a look for messages that wait begins."""
        ...

    @property
    def over(self) -> Sequence[UUID]:
        """Earlier claims of which nothing is being sent any more, to be deleted with this one."""
        ...

    def use(self, claim: Claim) -> None:
        """Send these: they are claimed, and committed."""
        ...

    def give_up(self) -> None:
        """None of them is claimed."""
        ...


class Sender(Protocol):
    """The session of an account while this node owns it."""

    def reserve(self, message_ids: Collection[UUID]) -> Reservation | None:
        """Keep room for these messages; None if any would have to wait."""
        ...

    def recover_stale_claims(self) -> None:
        """Queue again what is `sending` in the table and not being sent."""
        ...


class Senders:
    """The senders of this process, by account."""

    def __init__(self) -> None:
        self._senders: dict[UUID, Sender] = {}
        self._abandoned: set[UUID] = set()

    def add(self, account_id: UUID, sender: Sender) -> None:
        self._senders[account_id] = sender
        if account_id in self._abandoned:
            self._abandoned.discard(account_id)
            sender.recover_stale_claims()

    def remove(self, account_id: UUID, sender: Sender) -> None:
        if self._senders.get(account_id) is sender:
            del self._senders[account_id]

    def recover(self, account_id: UUID) -> None:
        """Messages of this account may have been claimed that nobody sends."""
        sender = self._senders.get(account_id)
        if sender is None:
            self._abandoned.add(account_id)
        else:
            sender.recover_stale_claims()

    def reserve(self, messages: Sequence[NewMessage]) -> dict[UUID, Reservation]:
        """Keep room for the messages of those accounts that can send all of theirs now."""
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
        """Hand over what was claimed, by account. `in_doubt` is whether an earlier try of the same
        transaction may have claimed something, too."""
        for account_id, reservation in reservations.items():
            claim = claims.get(account_id)
            if claim is None:
                reservation.give_up()
            else:
                reservation.use(claim)
            if in_doubt:
                self.recover(account_id)


def _needs_nothing_else(message: NewMessage) -> bool:
    """Whether it can be sent now, from what is known of it here."""
    return message.scheduled_for is None and message.reply_to_message_id is None
