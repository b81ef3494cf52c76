"""The open claims of a session: those with messages that are still being sent."""

from collections.abc import Collection, Iterable
from uuid import UUID

from heliograph.core.messages.model import Claim

FORGOTTEN_TOGETHER = 16
"""Finished claims are deleted in batches of this size: a statement for each would cost more than
their rows do."""


class OpenClaims:
    """Tracks the unfinished messages of each claim, and the claims that are finished.

    A claim is finished once the outcomes of all its messages are written. Until then its row has to
    stay in the database: a node that takes the account over reads there what was being sent.
    """

    def __init__(self) -> None:
        self._left: dict[UUID, set[UUID]] = {}
        self._claim_of: dict[UUID, UUID] = {}
        self._over: list[UUID] = []

    def add(self, claim: Claim) -> None:
        self._left[claim.id] = {message.id for message in claim.messages}
        self._claim_of.update((message.id, claim.id) for message in claim.messages)

    def end(self, message_id: UUID) -> None:
        """Note that the outcome of this message is written."""
        claim_id = self._claim_of.pop(message_id, None)
        left = self._left.get(claim_id) if claim_id else None
        if claim_id is None or left is None:
            return
        left.discard(message_id)
        if not left:
            del self._left[claim_id]
            self._over.append(claim_id)

    def keep(self, message_ids: Collection[UUID]) -> None:
        """Drop all other messages: those without a written outcome were requeued."""
        for message_id in self._claim_of.keys() - set(message_ids):
            self.end(message_id)

    def to_forget(self) -> tuple[UUID, ...]:
        """Take finished claims for deletion, once there are enough. Each is returned to one caller
        only."""
        if len(self._over) < FORGOTTEN_TOGETHER:
            return ()
        taken, self._over = tuple(self._over), []
        return taken

    def remember(self, claim_ids: Iterable[UUID]) -> None:
        """Put back claims that were taken and may not have been deleted."""
        self._over.extend(claim_ids)
