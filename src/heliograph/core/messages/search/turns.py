"""Decides which messages are indexed next: organizations take turns."""

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from uuid import UUID

from heliograph.core.messages.search.sql import ListedMessage

BATCH = 100
"""The most messages in one batch. Splitting this many into words blocks the event loop, and with it
every request, for 2 ms."""
BATCH_BYTES = 32 * 1024
"""Stored bytes after which no further message joins a batch: a thousand words cost the database as
much as fifty short messages."""
LISTED = 1_000
"""Messages that are listed by one statement."""
MAX_WAITING = 50_000
"""The most messages that wait in memory; above that, no more are listed."""


class ReadingQueue:
    """The messages that wait to be indexed, those of each organization in the order of their
    ids."""

    def __init__(self) -> None:
        self._waiting: dict[UUID, deque[ListedMessage]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def have_room(self) -> bool:
        """Whether more messages may be listed: an organization's messages beyond a batch do not
        count, so that they do not keep others' out."""
        sizes = [len(queue) for queue in self._waiting.values()]
        return sum(sizes) < MAX_WAITING and sum(min(size, BATCH) for size in sizes) < LISTED

    def add(self, messages: Iterable[ListedMessage]) -> None:
        for message in messages:
            self._waiting.setdefault(message.organization_id, deque()).append(message)

    def choose(self) -> list[ListedMessage]:
        """List the messages of the next batch, with about the same number of bytes from each
        organization."""
        return list(islice(self._until_full(), BATCH))

    def _until_full(self) -> Iterator[ListedMessage]:
        shares = [(0, number, iter(queue)) for number, queue in enumerate(self._waiting.values())]
        total = 0
        while shares and total < BATCH_BYTES:
            # the organization with the fewest bytes so far
            taken, number, left = heapq.heappop(shares)
            message = next(left, None)
            if message is not None:
                yield message
                total += message.size
                heapq.heappush(shares, (taken + message.size, number, left))

    def remove(self, chosen: Sequence[ListedMessage]) -> None:
        """Remove the chosen messages; their organizations come last in the next round."""
        for message in chosen:
            self._waiting[message.organization_id].popleft()
        for organization_id in {message.organization_id for message in chosen}:
            queue = self._waiting.pop(organization_id)
            if queue:
                self._waiting[organization_id] = queue

    def find_oldest(self, *, besides: Sequence[ListedMessage]) -> UUID | None:
        """Return the id of the oldest waiting message, not counting the chosen ones."""
        chosen = Counter(message.organization_id for message in besides)
        left = (
            queue[chosen[organization_id]].id
            for organization_id, queue in self._waiting.items()
            if chosen[organization_id] < len(queue)
        )
        return min(left, default=None)
