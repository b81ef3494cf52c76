"""What one webhook's deliveries wait for: the first attempts of one order key follow each other."""

from collections import deque
from collections.abc import Iterable
from uuid import UUID

from heliograph.core.webhooks.model import ClaimedDelivery

LANE_LIMIT = 32
"""How much of one order key is held; the rest stays in the table and leaves room for others."""


class Lanes:
    """What has been claimed for one webhook: waiting, ready to begin, begun. No I/O.

    A lane holds the first attempts of one order key: the next may begin when the one before it has
    ended. Retries run by themselves, and lanes run side by side.
    """

    def __init__(self) -> None:
        self._lanes: dict[UUID, deque[ClaimedDelivery]] = {}
        self._ready: deque[ClaimedDelivery] = deque()
        self._held: set[UUID] = set()
        self._blocking: set[UUID] = set()

    def __len__(self) -> int:
        """How many are held, those that have begun included."""
        return len(self._held)

    @property
    def known(self) -> list[UUID]:
        return list(self._held)

    @property
    def busy(self) -> list[UUID]:
        """The order keys of which enough is held."""
        return [key for key, lane in self._lanes.items() if len(lane) >= LANE_LIMIT]

    def waiting(self, order_key: UUID) -> int:
        """Count those of this order key that wait behind the one that may begin."""
        return len(self._lanes.get(order_key, ()))

    def add(self, deliveries: Iterable[ClaimedDelivery]) -> None:
        """Take in what was claimed, by `seq`; what is held already is passed over."""
        for delivery in deliveries:
            if delivery.id in self._held:
                continue
            self._held.add(delivery.id)
            lane = self._lanes.get(delivery.order_key)
            if delivery.attempt_count:
                self._ready.append(delivery)
            elif lane is None:
                self._lanes[delivery.order_key] = deque()
                self._ready.append(delivery)
            else:
                lane.append(delivery)

    def take(self) -> ClaimedDelivery | None:
        """Return a delivery that may begin now, or None; `end` must follow, `release_next` may."""
        if not self._ready:
            return None
        delivery = self._ready.popleft()
        if not delivery.attempt_count:
            self._blocking.add(delivery.id)
        return delivery

    def release_next(self, delivery: ClaimedDelivery) -> None:
        """Make the next of the lane ready, since the attempt of this one has ended."""
        if delivery.id not in self._blocking:
            return
        self._blocking.discard(delivery.id)
        lane = self._lanes.get(delivery.order_key)
        if lane:
            self._ready.append(lane.popleft())
        elif lane is not None:
            del self._lanes[delivery.order_key]

    def end(self, delivery: ClaimedDelivery) -> None:
        """Forget a delivery whose outcome is durable, or which is not ours any more."""
        self._held.discard(delivery.id)
        self.release_next(delivery)

    def drop_waiting(self) -> list[UUID]:
        """Forget all that has not begun. Returns its ids."""
        ready_keys = {delivery.order_key for delivery in self._ready if not delivery.attempt_count}
        dropped = [
            delivery.id for lane in (self._ready, *self._lanes.values()) for delivery in lane
        ]
        self._ready.clear()
        for key in ready_keys:
            del self._lanes[key]
        for lane in self._lanes.values():
            lane.clear()
        self._held.difference_update(dropped)
        return dropped
