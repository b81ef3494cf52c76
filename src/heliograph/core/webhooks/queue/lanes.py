"""The lanes of one webhook: first attempts with the same order key are made one after another."""

from collections import deque
from collections.abc import Iterable
from uuid import UUID

from heliograph.core.webhooks.model import ClaimedDelivery

LANE_LIMIT = 32
"""The most deliveries of one order key that are held; the rest stays in the table and leaves room
for others."""


class Lanes:
    """The claimed deliveries of one webhook: waiting, ready to begin, or begun. No I/O.

    A lane holds the first attempts of one order key, with the one that may begin or has begun at
    the front; the next may begin when that has ended. A batch is in the lane of each of its order
    keys, and may begin when it is at the front of all of them. Retries run outside lanes, and lanes
    run concurrently.
    """

    def __init__(self) -> None:
        self.limit = LANE_LIMIT
        self._lanes: dict[UUID, deque[ClaimedDelivery]] = {}
        self._ready: deque[ClaimedDelivery] = deque()
        self._held: dict[UUID, int] = {}
        self._blocking: set[UUID] = set()
        self._behind: dict[UUID, int] = {}  # in how many lanes a batch is not at the front

    def __len__(self) -> int:
        """Return how many deliveries are held, including those that have begun."""
        return len(self._held)

    @property
    def held(self) -> list[int]:
        """Return the `seq` of all held deliveries."""
        return list(self._held.values())

    @property
    def busy(self) -> list[UUID]:
        """Return the order keys with enough held deliveries."""
        return [key for key, lane in self._lanes.items() if len(lane) > self.limit]

    def waiting(self, order_key: UUID) -> int:
        """Count the deliveries of this order key behind the one that may begin."""
        return max(0, len(self._lanes.get(order_key, ())) - 1)

    def add(self, deliveries: Iterable[ClaimedDelivery]) -> None:
        """Add claimed deliveries, by `seq`; those held already are skipped."""
        for delivery in deliveries:
            if delivery.id in self._held:
                continue
            self._held.update((each.id, each.seq) for each in delivery.each)
            if delivery.attempt_count or self._enter(delivery):
                self._ready.append(delivery)

    def _enter(self, delivery: ClaimedDelivery) -> bool:
        """Put a first attempt into its lanes. Returns whether it is at the front of all of them."""
        behind = 0
        for key in delivery.order_keys:
            lane = self._lanes.get(key)
            if lane is None:
                self._lanes[key] = deque((delivery,))
            else:
                lane.append(delivery)
                behind += 1
        if behind > 1:
            self._behind[delivery.id] = behind
        return not behind

    def take(self) -> ClaimedDelivery | None:
        """Return a delivery that may begin now, or None. `end` must be called later, `release_next`
        may be."""
        if not self._ready:
            return None
        return self._begin(self._ready.popleft())

    def take_attempted(self) -> ClaimedDelivery | None:
        """Return a delivery that may begin now and can't go into a new batch: a retry or an
        existing batch."""
        for position, delivery in enumerate(self._ready):
            if not _is_new(delivery):
                del self._ready[position]
                return self._begin(delivery)
        return None

    def list_new(self) -> list[ClaimedDelivery]:
        """List the deliveries that may go into a new batch, by `seq`: ready ones and those behind
        them in their lanes. Taking any number from the start of this list keeps each lane in
        order."""
        found = []
        for delivery in self._ready:
            if _is_new(delivery):
                for behind in self._lanes[delivery.order_key]:
                    if not _is_new(behind):
                        break
                    found.append(behind)
        return sorted(found, key=lambda delivery: delivery.seq)

    def take_batch(self, batch: ClaimedDelivery) -> ClaimedDelivery:
        """Begin a batch of the first deliveries of `list_new`, which it replaces in their lanes."""
        members = set(batch.delivery_ids)
        self._ready = deque(ready for ready in self._ready if ready.id not in members)
        for key in batch.order_keys:
            lane = self._lanes[key]
            while lane and lane[0].id in members:
                lane.popleft()
            lane.appendleft(batch)
        return self._begin(batch)

    def _begin(self, delivery: ClaimedDelivery) -> ClaimedDelivery:
        if not delivery.attempt_count:
            self._blocking.add(delivery.id)
        return delivery

    def release_next(self, delivery: ClaimedDelivery) -> None:
        """Make the next delivery of each lane ready, since the attempt of this one has ended."""
        if delivery.id not in self._blocking:
            return
        self._blocking.discard(delivery.id)
        for key in delivery.order_keys:
            lane = self._lanes[key]
            lane.popleft()
            if lane:
                self._move_up(lane[0])
            else:
                del self._lanes[key]

    def _move_up(self, delivery: ClaimedDelivery) -> None:
        """Note that the delivery is at the front of one more of its lanes."""
        behind = self._behind.pop(delivery.id, 1) - 1
        if behind:
            self._behind[delivery.id] = behind
        else:
            self._ready.append(delivery)

    def end(self, delivery: ClaimedDelivery) -> None:
        """Forget a delivery whose outcome is durable, or that is no longer ours."""
        for id_ in delivery.delivery_ids:
            self._held.pop(id_, None)
        self.release_next(delivery)

    def drop_waiting(self) -> None:
        """Forget all deliveries that have not begun."""
        dropped = list(self._ready)
        self._ready.clear()
        self._behind.clear()
        for key, lane in list(self._lanes.items()):
            begun = lane[0] if lane[0].id in self._blocking else None
            dropped += list(lane)[1 if begun else 0 :]
            if begun is None:
                del self._lanes[key]
            else:
                self._lanes[key] = deque((begun,))
        for delivery in dropped:
            for id_ in delivery.delivery_ids:
                self._held.pop(id_, None)


def _is_new(delivery: ClaimedDelivery) -> bool:
    """Whether the delivery was never attempted and is in no batch."""
    return not (delivery.attempt_count or delivery.members)
