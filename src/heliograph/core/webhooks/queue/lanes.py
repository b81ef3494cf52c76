"""What one webhook's deliveries wait for: the first attempts of one order key follow each other."""

from collections import deque
from collections.abc import Iterable
from uuid import UUID

from heliograph.core.webhooks.model import ClaimedDelivery

LANE_LIMIT = 32
"""How much of one order key is held; the rest stays in the table and leaves room for others."""


class Lanes:
    """What has been claimed for one webhook: waiting, ready to begin, begun. No I/O.

    A lane holds the first attempts of one order key, with the one that may begin or has begun in
    front: the next may when that has ended. A batch stands in the lane of each of its order keys,
    and may begin when it is in front of all of them. Retries run by themselves, and lanes run side
    by side.
    """

    def __init__(self) -> None:
        self.limit = LANE_LIMIT
        self._lanes: dict[UUID, deque[ClaimedDelivery]] = {}
        self._ready: deque[ClaimedDelivery] = deque()
        self._held: dict[UUID, int] = {}
        self._blocking: set[UUID] = set()
        self._behind: dict[UUID, int] = {}  # in how many lanes a batch is not in front

    def __len__(self) -> int:
        """How many are held, those that have begun included."""
        return len(self._held)

    @property
    def held(self) -> list[int]:
        """The `seq` of each that is held."""
        return list(self._held.values())

    @property
    def busy(self) -> list[UUID]:
        """The order keys of which enough is held."""
        return [key for key, lane in self._lanes.items() if len(lane) > self.limit]

    def waiting(self, order_key: UUID) -> int:
        """Count those of this order key that wait behind the one that may begin."""
        return max(0, len(self._lanes.get(order_key, ())) - 1)

    def add(self, deliveries: Iterable[ClaimedDelivery]) -> None:
        """Take in what was claimed, by `seq`; what is held already is passed over."""
        for delivery in deliveries:
            if delivery.id in self._held:
                continue
            self._held.update((each.id, each.seq) for each in delivery.each)
            if delivery.attempt_count or self._enter(delivery):
                self._ready.append(delivery)

    def _enter(self, delivery: ClaimedDelivery) -> bool:
        """Put a first attempt into its lanes. Returns whether it is in front of all of them."""
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
        """Return a delivery that may begin now, or None; `end` must follow, `release_next` may."""
        if not self._ready:
            return None
        return self._begin(self._ready.popleft())

    def take_attempted(self) -> ClaimedDelivery | None:
        """The same, but for what may go into a new batch: retries, and batches that exist."""
        for position, delivery in enumerate(self._ready):
            if not _is_new(delivery):
                del self._ready[position]
                return self._begin(delivery)
        return None

    def list_new(self) -> list[ClaimedDelivery]:
        """List what may go into a new batch, by `seq`: what is ready and what is behind it in its
        lane. Whatever is taken from the start of this list leaves each lane in order."""
        found = []
        for delivery in self._ready:
            if _is_new(delivery):
                for behind in self._lanes[delivery.order_key]:
                    if not _is_new(behind):
                        break
                    found.append(behind)
        return sorted(found, key=lambda delivery: delivery.seq)

    def take_batch(self, batch: ClaimedDelivery) -> ClaimedDelivery:
        """Begin a batch of the first of `list_new`; it takes their places."""
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
        """Make the next of each lane ready, since the attempt of this one has ended."""
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
        """Note that it is in front of one more of its lanes."""
        behind = self._behind.pop(delivery.id, 1) - 1
        if behind:
            self._behind[delivery.id] = behind
        else:
            self._ready.append(delivery)

    def end(self, delivery: ClaimedDelivery) -> None:
        """Forget a delivery whose outcome is durable, or which is not ours any more."""
        for id_ in delivery.delivery_ids:
            self._held.pop(id_, None)
        self.release_next(delivery)

    def drop_waiting(self) -> None:
        """Forget all that has not begun."""
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
    """Whether it has never been attempted, and is in no batch."""
    return not (delivery.attempt_count or delivery.members)
