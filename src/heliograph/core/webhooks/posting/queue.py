"""One owned webhook in memory: its claimed deliveries, its destination, and its width."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.cluster.model import Lease
from heliograph.core.webhooks.model import Batching, ClaimedDelivery, ClaimRequest, Destination
from heliograph.core.webhooks.queue.batching import BATCH_WIDTH, BatchFormer
from heliograph.core.webhooks.queue.lanes import LANE_LIMIT, Lanes
from heliograph.core.webhooks.subscriptions.secrets import WebhookSecrets
from heliograph.platform.database.floors import START, Floor

MAX_WIDTH = 16
MIN_WIDTH = 1
MAX_UNRECORDED = 2 * MAX_WIDTH
"""Requests in progress and outcomes being written: a crash repeats no more than these. It is twice
the width, so that posting and recording are pipelined."""
HELD_PER_SLOT = 16
FAILURES_IN_A_ROW = 3
"""Consecutive failures after which a webhook counts as failing."""


class WebhookQueue:
    """The deliveries that one lease on a webhook holds in memory, from `gained` to `lost`.

    It is reopened if the same lease is gained again: deliveries in progress are still held then.

    `width` is the concurrency limit of its requests (AIMD): halved by every request without an
    answer, and raised by one with every answer. So a hanging endpoint holds few of the node's
    connections and little of its memory.
    """

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.lanes = Lanes()
        self.width = MAX_WIDTH
        self.under_way = 0
        self.unrecorded = 0
        self.destination: Destination | None = None
        self.secrets: WebhookSecrets | None = None
        self._former = BatchFormer()
        self._batch_timer: asyncio.TimerHandle | None = None
        self.closed = False
        self.claiming = False
        self._asked: ClaimRequest | None = None
        self._ended: set[UUID] = set()  # since the claim was sent, which may not have seen that
        self._on_close: Sequence[Callable[[], None]] = ()
        self._failures = 0
        self._left_some = False
        self._passed_over: Sequence[UUID] = ()
        self._retry: tuple[datetime, asyncio.TimerHandle] | None = None

    @property
    def webhook_id(self) -> UUID:
        return self.lease.resource_id

    @property
    def batching(self) -> Batching | None:
        return None if self.destination is None else self.destination.batch

    def set_destination(self, destination: Destination, secrets: WebhookSecrets | None) -> None:
        """Use this destination, with its batching, from now on."""
        self.destination, self.secrets = destination, secrets
        most = 0 if destination.batch is None else destination.batch.max_events
        self.lanes.limit = max(LANE_LIMIT, most)

    def room(self, share: int) -> int:
        """Return how many more may be claimed, up to `share`; 0 until half of that has ended."""
        wanted = 0 if self.batching is None else 2 * self.batching.max_events
        capacity = min(max(self.width * HELD_PER_SLOT, wanted), share)
        free = capacity - len(self.lanes)
        return free if free * 2 >= capacity else 0

    def wants_more(self, share: int) -> bool:
        """Whether the rest that the last claim left in the table should be claimed now."""
        freed = any(self.lanes.waiting(key) <= self.lanes.limit // 2 for key in self._passed_over)
        return (self._left_some or freed) and self.room(share) > 0

    def postpone_claim(self) -> None:
        """Claim as soon as there is room again."""
        self._left_some = True

    def request(self, share: int, floor: Floor = START) -> ClaimRequest:
        """Return the next claim's request, for deliveries that are not held yet."""
        lanes = self.lanes
        request = ClaimRequest(self.lease, self.room(share), lanes.busy, lanes.held, floor)
        self._asked = request
        self._ended.clear()
        return request

    def claimed(self, request: ClaimRequest, deliveries: Sequence[ClaimedDelivery]) -> None:
        """Add the claimed deliveries, unless the queue has forgotten something since the claim was
        sent."""
        if request is not self._asked:
            return
        self._asked = None
        firsts = sum(1 for delivery in deliveries if not delivery.attempt_count)
        self._left_some = max(firsts, len(deliveries) - firsts) >= request.room
        self._passed_over = request.busy
        self.lanes.add(each for each in deliveries if each.id not in self._ended)

    def ended(self, delivery: ClaimedDelivery) -> None:
        """Record that a delivery has ended, or is no longer ours."""
        if self._asked is not None:
            self._ended.update(delivery.delivery_ids)
        self.lanes.end(delivery)

    def is_outdated_by(self, delivery: ClaimedDelivery) -> bool:
        """Whether the webhook was changed since its destination was read."""
        known = self.destination
        return known is None or known.updated_at != delivery.webhook_updated_at

    def take(self) -> ClaimedDelivery | None:
        """Return the next delivery to attempt now, or None."""
        if self.closed or self.under_way >= self.width:
            return None
        if self.under_way + self.unrecorded >= MAX_UNRECORDED:
            return None
        delivery = self.lanes.take() if self.batching is None else self._take(self.batching)
        if delivery is not None:
            self.under_way += 1
        return delivery

    def _take(self, batching: Batching) -> ClaimedDelivery | None:
        """Return the next attempt of a webhook that takes batches: an earlier delivery or batch,
        else a new batch."""
        if (delivery := self.lanes.take_attempted()) is not None:
            return delivery
        if self.under_way >= BATCH_WIDTH:
            return None
        more = self._left_some or bool(self._passed_over)  # waiting would not make the batch larger
        now = asyncio.get_running_loop().time()
        return self._former.take(self.lanes, batching, now, at_once=more)

    def wake_for_batch(self, callback: Callable[[], None]) -> None:
        """Call back when the next batch has waited long enough, if there is one."""
        if self.batching is None or self._batch_timer is not None or self.closed:
            return
        loop = asyncio.get_running_loop()
        delay = self._former.delay(self.batching, loop.time())
        if delay:

            def due() -> None:
                self._batch_timer = None
                callback()

            self._batch_timer = loop.call_later(delay, due)

    @property
    def is_failing(self) -> bool:
        """Whether its last few requests have all failed."""
        return self._failures >= FAILURES_IN_A_ROW

    def attempted(self, *, answered: bool, delivered: bool) -> None:
        """Record that a request has ended."""
        self.under_way -= 1
        self.unrecorded += 1
        self._failures = 0 if delivered else self._failures + 1
        grown = self.width + 1 if answered else self.width // 2
        self.width = min(MAX_WIDTH, max(MIN_WIDTH, grown))

    def recorded(self) -> None:
        """Record that the outcome of a request is on disk, or was given up."""
        self.unrecorded -= 1

    def not_attempted(self) -> None:
        """Record that the taken delivery did not begin after all."""
        self.under_way -= 1

    def wake_at(self, at: datetime, delay: float, callback: Callable[[], None]) -> None:
        """Call back after `delay` seconds, at `at`, unless an earlier call is scheduled."""
        if self._retry is not None:
            earlier, timer = self._retry
            if earlier <= at:
                return
            timer.cancel()

        def due() -> None:
            self._retry = None
            callback()

        self._retry = (at, asyncio.get_running_loop().call_later(max(0.0, delay), due))

    def open(self, on_close: Sequence[Callable[[], None]]) -> None:
        """Begin, now that the lease is ours. `on_close` is called when it is lost."""
        self.closed = False
        self._on_close = on_close

    def close(self) -> None:
        """Begin nothing more, since the lease is lost."""
        self.closed = True
        for release in self._on_close:
            release()
        self._on_close = ()
        if self._retry is not None:
            self._retry[1].cancel()
            self._retry = None
        if self._batch_timer is not None:
            self._batch_timer.cancel()
            self._batch_timer = None

    def forget_waiting(self) -> None:
        """Forget deliveries that have not begun: the next claim, ours or another node's, finds them
        in order."""
        self.lanes.drop_waiting()
        self._asked = None
