"""The claims of a session of which something is still being sent."""

from collections.abc import Collection, Iterable
from uuid import UUID

from heliograph.core.messages.model import Claim

FORGOTTEN_TOGETHER = 16
"""Claims that are over are deleted once there are so many: a statement for each would cost more
than their rows do."""


class OpenClaims:
    """Knows which messages of each claim are not over, and which claims are.

    A claim is over once the outcome of each of its messages is written. Until then its row in the
    database must stay: whoever takes the account over finds there what was being sent.
    """

    def __init__(self) -> None:
        self._left: dict[UUID, set[UUID]] = {}
        self._claim_of: dict[UUID, UUID] = {}
        self._over: list[UUID] = []

    def add(self, claim: Claim) -> None:
        self._left[claim.id] = {message.id for message in claim.messages}
        self._claim_of.update((message.id, claim.id) for message in claim.messages)

    def end(self, message_id: UUID) -> None:
        """The outcome of this message is written."""
        claim_id = self._claim_of.pop(message_id, None)
        left = self._left.get(claim_id) if claim_id else None
        if claim_id is None or left is None:
            return
        left.discard(message_id)
        if not left:
            del self._left[claim_id]
            self._over.append(claim_id)

    def keep(self, message_ids: Collection[UUID]) -> None:
        """All others were put back into the queue, if their outcome was not written."""
        for message_id in self._claim_of.keys() - set(message_ids):
            self.end(message_id)

    def to_forget(self) -> tuple[UUID, ...]:
        """Take claims that are over, if it is time to delete them: nobody else gets them, too."""
        if len(self._over) < FORGOTTEN_TOGETHER:
            return ()
        taken, self._over = tuple(self._over), []
        return taken

    def remember(self, claim_ids: Iterable[UUID]) -> None:
        """These were taken and may not have been deleted."""
        self._over.extend(claim_ids)
