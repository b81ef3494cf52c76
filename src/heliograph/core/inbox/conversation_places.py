"""Where the rows of conversations were last written, so that a look for one finds it at once.

Each message changes its conversation, and the index by which a conversation is found leads to all
versions of its row that have not been cleaned up: to thousands, while a snapshot stays open. So a
process remembers the `ctid` of the version that it has written. That is a hint: a statement that
looks there names the row's key as well, and where it is not the row that everybody sees, whoever
has moved it, the look by the index follows.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias, TypeVar
from uuid import UUID

from cachetools import LRUCache

from heliograph.core.inbox.model import Conversation, Place

MOST = 10_000
"""Conversations that are remembered: those that were changed last."""

ConversationKey: TypeAlias = tuple[UUID, UUID, str]
"""An organization's id, an account's, and the remote JID."""
K = TypeVar("K", bound=Hashable)


class ConversationPlaces:
    """What one process knows. Without `are_known`, as where a distributed database has copies of a
    row, it is nothing."""

    def __init__(self, *, are_known: bool = True) -> None:
        most = MOST if are_known else 0
        self._of_chats: LRUCache[ConversationKey, Place] = LRUCache(most)
        self._of_ids: LRUCache[tuple[UUID, UUID], Place] = LRUCache(most)
        self._are_known = are_known

    def of_chats(self, keys: Iterable[ConversationKey]) -> list[Place] | None:
        """Return the places of all; None if one is not known."""
        return _all(self._of_chats, keys)

    def of_ids(self, keys: Iterable[tuple[UUID, UUID]]) -> list[Place] | None:
        """The same by (organization id, id)."""
        return _all(self._of_ids, keys)

    def put(self, conversations: Sequence[Conversation]) -> None:
        """Remember where these were written. Should that not be committed, nobody finds them
        there."""
        if not self._are_known:
            return
        for conversation in conversations:
            if conversation.place is not None:
                organization_id = conversation.tenant.organization_id
                chat = organization_id, conversation.account_id, conversation.remote_jid
                self._of_chats[chat] = conversation.place
                self._of_ids[organization_id, conversation.id] = conversation.place


def _all(places: LRUCache[K, Place], keys: Iterable[K]) -> list[Place] | None:
    found = []
    for key in keys:
        place = places.get(key)
        if place is None:
            return None
        found.append(place)
    return found
