"""Posts webhooks: claims, attempts and records the due deliveries of the webhooks that this node
owns.

    woken ──▶ claim (one statement for all that were woken) ──▶ lanes ──▶ attempt ──▶ record
                 ▲                                                │          (many at once)
                 └──── room again, a retry due, once a second ◀───┴── the next of the lane

A claim exists only in memory and writes nothing: whatever this node forgets is found by the next
claim, its own or that of the lease's next owner. Webhooks share the node's limit of concurrent
requests and its database, and do not wait for each other otherwise, except that those which keep
failing are attempted one at a time.
"""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from uuid import UUID

import structlog

from heliograph.core import topics
from heliograph.core.cluster.chores import Chore
from heliograph.core.cluster.due_sql import (
    list_due_webhooks,
    list_due_webhooks_of_node,
    list_overdue_shards,
)
from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.commit import shared_key
from heliograph.core.tenants.rows import Shards, shards_of
from heliograph.core.webhooks.model import (
    ClaimedDelivery,
    ClaimRequest,
    DeliveryStatus,
    Destination,
    Outcome,
)
from heliograph.core.webhooks.posting.attempts import Poster
from heliograph.core.webhooks.posting.disabling import KEPT_WHILE_DISABLED
from heliograph.core.webhooks.posting.outcomes import OutcomeWriter
from heliograph.core.webhooks.posting.queue import WebhookQueue
from heliograph.core.webhooks.queue.batch_sql import NotOursError
from heliograph.core.webhooks.queue.batching import prepare_batch
from heliograph.core.webhooks.queue.cancel_sql import (
    cancel_expired_deliveries,
    list_disabled_webhooks,
)
from heliograph.core.webhooks.queue.sql import QUEUED, claim_deliveries
from heliograph.core.webhooks.subscriptions.secrets import WebhookSecrets, open_secrets
from heliograph.core.webhooks.subscriptions.sql import list_destinations
from heliograph.errors import UnavailableError
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.aio.limits import FairSemaphore, Pacer
from heliograph.platform.aio.periodic import Attempt, attempt_and_log, wait_until_set
from heliograph.platform.crypto.secret_box import DecryptError, SecretBox
from heliograph.platform.database.floors import Floors
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pace import Pace
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.outbound_http import GuardedClient
from heliograph.platform.telemetry.tracing import OFF, Tracer

log = structlog.get_logger()

LOOK_INTERVAL = 1.0
SWEEP_INTERVAL = 60.0
MAX_IN_FLIGHT = 512
"""Concurrent requests of one node; each takes a file descriptor, of which many systems allow
1024."""
MAX_IN_FLIGHT_OF_ONE = 128
"""Concurrent requests of one organization: hundreds of hanging endpoints leave room for others."""
MAX_HELD = 16_384
"""Deliveries in memory, over all webhooks of this node; each webhook may hold `MIN_HELD` in any
case."""
MIN_HELD = 8
FAILING_GAP = 0.005
"""Seconds between the requests of a node to webhooks that keep failing. An event for many of them
would occupy the processor for 20 ms, and working webhooks would wait."""
FAILING_WAIT = 1.0
"""The longest that one of them waits for its turn, in seconds, however many there are."""
_SWEEP_LIMIT = 1000

Found = tuple[
    list[ClaimRequest], Mapping[UUID, list[ClaimedDelivery]], dict[UUID, Destination | None]
]
"""The requests, the claimed deliveries by webhook, and the webhooks that had changed."""


class DeliveryWorker:
    """Delivers for the webhooks whose leases this node holds.

    `is_valid` is the lease keeper's; `random` returns numbers in [0, 1) for the jitter of retries.
    """

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        client: GuardedClient,
        secret_box: SecretBox,
        is_valid: Callable[[Lease], bool],
        random: Callable[[], float],
        sweep_interval: float = SWEEP_INTERVAL,
        tracer: Tracer = OFF,
        attempt: Attempt = attempt_and_log,
    ) -> None:
        self._database = database
        self._patient = database.within(None)
        self._clock = database.clock
        self._notifications = notifications
        self._secret_box = secret_box
        self._is_valid = is_valid
        self._sweep_interval = sweep_interval
        self._attempt_chore = attempt
        self._attempts = Poster(client, database.clock, random, tracer)
        self._outcomes = OutcomeWriter(database, is_valid)
        self._claims: GroupCommit[int, WebhookQueue, None] = GroupCommit(
            self._claim, max_batch=1000
        )
        # on a distributed database, other servers hold locks of their own
        self._floors: Floors[Lease] = Floors(
            database.read, QUEUED, are_known=not database.is_distributed
        )
        self._list_due = list_due_webhooks_of_node if database.is_distributed else list_due_webhooks
        self._slots = FairSemaphore(MAX_IN_FLIGHT, MAX_IN_FLIGHT_OF_ONE)
        self._failing = Pacer(FAILING_GAP, FAILING_WAIT)
        self._queues: dict[UUID, WebhookQueue] = {}
        self._closing: dict[UUID, WebhookQueue] = {}
        self._active: set[WebhookQueue] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._look_now = asyncio.Event()
        self._stopping = False
        database.on_lost_connection.append(self._forget_waiting)
        self.attempts_ended: Counter[str] = Counter()
        """The number of attempts that ended in each delivery status, since the start."""

    # --- ownership --------------------------------------------------------------------------

    def gained(self, lease: Lease) -> None:
        queue = self._closing.pop(lease.resource_id, None)
        if queue is None or queue.lease != lease:
            queue = WebhookQueue(lease)
        self._queues[lease.resource_id] = queue
        queue.open(
            [
                self._notifications.subscribe(
                    topics.deliveries_of(lease.resource_id), partial(self._request_claim, queue)
                ),
                self._notifications.subscribe(
                    topics.webhook_changed(lease.resource_id), self._look_now.set
                ),
            ]
        )
        self._request_claim(queue)

    def lost(self, lease: Lease) -> None:
        queue = self._queues.get(lease.resource_id)
        if queue is not None and queue.lease == lease:
            del self._queues[lease.resource_id]
            self._active.discard(queue)
            queue.close()
            queue.forget_waiting()
            if len(queue.lanes):
                self._closing[lease.resource_id] = queue

    async def finish(self, lease: Lease) -> None:
        """Begin nothing more for this webhook. Returns when its outcomes are written."""
        queue = self._queues.get(lease.resource_id)
        if queue is None or queue.lease != lease:
            return
        queue.close()
        while len(queue.lanes):
            queue.close()  # it may have been lost and gained meanwhile
            queue.forget_waiting()
            await asyncio.sleep(0.05)

    def _forget_waiting(self) -> None:
        """Claim again what has not begun: a crashed server may have other rows now, since outcomes
        of deliveries do not wait for the disk."""
        self._floors.forget()
        for queue in self._queues.values():
            queue.forget_waiting()
        self._look_now.set()

    @property
    def under_way(self) -> int:
        """The number of requests in progress."""
        return sum(queue.under_way for queue in self._queues.values())

    # --- the loop ---------------------------------------------------------------------------

    async def run(self) -> None:
        """Poll all webhooks regularly, in case a notification was missed. Runs until canceled."""
        sweep_at = time.monotonic() + self._sweep_interval
        pace = Pace(self._database, LOOK_INTERVAL)
        while not self._stopping:
            await wait_until_set(self._look_now, pace.rest)
            self._look_now.clear()
            await self._attempt_chore(
                Chore.LOOK_FOR_DUE_DELIVERIES, partial(pace.timed, self._look)
            )
            if time.monotonic() >= sweep_at:
                sweep_at = time.monotonic() + self._sweep_interval
                await self._attempt_chore(Chore.CANCEL_DELIVERIES, self.sweep)

    async def stop(self, grace: float = 5.0) -> None:
        """Begin nothing more, and allow requests in progress `grace` seconds."""
        self._stopping = True
        self._look_now.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for queue in list(self._queues.values()):
            self.lost(queue.lease)

    async def _look(self) -> None:
        """Look for due deliveries, with one query for all webhooks of this node."""
        leases = [queue.lease for queue in self._queues.values()]
        if not leases:
            return
        due = await self._floors.look(leases, partial(self._list_due, now=self._clock.now()))
        await self._refresh([queue for queue in self._queues.values() if len(queue.lanes)])
        for lease in due:
            if (queue := self._queues.get(lease.resource_id)) is not None:
                self._request_claim(queue)

    async def _refresh(self, holding: Iterable[WebhookQueue]) -> None:
        """Reload the destinations: held deliveries must not go to an old address or to a disabled
        webhook."""
        together: defaultdict[int, list[WebhookQueue]] = defaultdict(list)
        for queue in holding:
            together[self._key_of(queue)].append(queue)
        for queues in together.values():
            found = await self._database.read(list_destinations, _shards(queues), _ids(queues))
            for queue in queues:
                self._set_destination(queue, found.get(queue.webhook_id))

    async def sweep(self) -> None:
        """Cancel deliveries that have waited too long for a disabled webhook."""
        now = self._clock.now()
        before = now - KEPT_WHILE_DISABLED
        leases = [queue.lease for queue in self._queues.values()]
        for shard in await self._database.read(list_overdue_shards, leases, before):
            for webhook in await self._database.read(list_disabled_webhooks, shard, before):
                values = (*webhook, before, now, _SWEEP_LIMIT)
                while (
                    await self._database.transact(cancel_expired_deliveries, *values)
                    == _SWEEP_LIMIT
                ):
                    pass

    # --- claiming ---------------------------------------------------------------------------

    def _request_claim(self, queue: WebhookQueue) -> None:
        """Include this webhook in the next claim."""
        if not (queue.claiming or queue.closed or self._stopping):
            queue.claiming = True
            self._claims.submit(self._key_of(queue), queue)

    def _key_of(self, queue: WebhookQueue) -> int:
        """Return a key that is equal for queues that may share a statement."""
        return shared_key(self._database, queue.lease.tenant)

    async def _claim(self, _: int, queues: Sequence[WebhookQueue]) -> list[Exception | None]:
        share = self._share(len(queues))
        for queue in queues:
            queue.claiming = False  # a wake-up from now on causes another claim
        asking = [queue for queue in queues if self._may_claim(queue, share)]
        if asking:
            try:
                found = await self._patient.read(self._find_due, asking, share)
                self._accept(asking, *found)
            except Exception:
                log.warning("deliveries could not be claimed", exc_info=True)
        return [None] * len(queues)

    def _share(self, asking: int) -> int:
        """Return how many deliveries one webhook may hold in memory while this many webhooks do."""
        return max(MIN_HELD, MAX_HELD // (len(self._active) + asking))

    def _may_claim(self, queue: WebhookQueue, share: int) -> bool:
        if queue.room(share) == 0:
            queue.postpone_claim()
            return False
        return not queue.closed and self._is_valid(queue.lease)

    async def _find_due(
        self, connection: Connection, asking: Sequence[WebhookQueue], share: int
    ) -> Found:
        requests = [queue.request(share, self._floors.of(queue.lease)) for queue in asking]
        claimed = await claim_deliveries(connection, _shards(asking), requests, self._clock.now())
        by_webhook: defaultdict[UUID, list[ClaimedDelivery]] = defaultdict(list)
        for delivery in claimed:
            by_webhook[delivery.webhook_id].append(delivery)
        outdated = [
            queue
            for queue in asking
            if (own := by_webhook.get(queue.webhook_id)) and queue.is_outdated_by(own[0])
        ]
        if not outdated:
            return requests, by_webhook, {}
        found = await list_destinations(connection, _shards(outdated), _ids(outdated))
        destinations = {queue.webhook_id: found.get(queue.webhook_id) for queue in outdated}
        return requests, by_webhook, destinations

    def _accept(
        self,
        asking: Sequence[WebhookQueue],
        requests: Sequence[ClaimRequest],
        claimed: Mapping[UUID, Sequence[ClaimedDelivery]],
        destinations: Mapping[UUID, Destination | None],
    ) -> None:
        for queue, request in zip(asking, requests, strict=True):
            own = claimed.get(queue.webhook_id, ())
            queue.claimed(request, own)
            if len(queue.lanes):
                self._active.add(queue)
            if queue.webhook_id in destinations:
                self._set_destination(queue, destinations[queue.webhook_id])
            self._begin(queue)
            if queue.wants_more(self._share(1)):
                self._request_claim(queue)

    def _set_destination(self, queue: WebhookQueue, destination: Destination | None) -> None:
        if destination is None or not destination.enabled:
            queue.destination = None
            queue.forget_waiting()
        elif destination != queue.destination:
            queue.set_destination(destination, self._open_secrets(queue.lease, destination))

    def _open_secrets(self, lease: Lease, destination: Destination) -> WebhookSecrets | None:
        try:
            return open_secrets(
                self._secret_box,
                lease.tenant,
                destination.webhook_id,
                destination.secrets,
                self._clock.now(),
                destination.headers,
            )
        except DecryptError as error:
            log.error("webhook secret", webhook_id=str(lease.resource_id), error=str(error))
            return None

    # --- delivering -------------------------------------------------------------------------

    def _begin(self, queue: WebhookQueue) -> None:
        """Start all attempts that may begin now."""
        while not self._stopping and (delivery := queue.take()) is not None:
            self._spawn(self._deliver(queue, delivery))
        queue.wake_for_batch(partial(self._begin, queue))

    async def _deliver(self, queue: WebhookQueue, delivery: ClaimedDelivery) -> None:
        try:
            outcome = await self._attempt(queue, delivery)
            if outcome is None:
                queue.forget_waiting()  # later deliveries must not overtake it
            else:
                self._let_next(queue, delivery, outcome)
                await self._record(queue, outcome)
        except (UnavailableError, NotOursError):
            queue.forget_waiting()  # so that the next claim finds the whole lane, in order
        finally:
            queue.ended(delivery)
            if not len(queue.lanes):
                self._active.discard(queue)
                if self._closing.get(queue.webhook_id) is queue:
                    del self._closing[queue.webhook_id]
        self._begin(queue)
        if queue.wants_more(self._share(1)):
            self._request_claim(queue)

    def _let_next(self, queue: WebhookQueue, delivery: ClaimedDelivery, outcome: Outcome) -> None:
        """Begin the lane's next delivery after a success, without waiting for the record."""
        # after a failure it waits: recording it may disable the webhook
        if outcome.status is DeliveryStatus.DELIVERED:
            queue.lanes.release_next(delivery)
        self._begin(queue)

    async def _attempt(self, queue: WebhookQueue, delivery: ClaimedDelivery) -> Outcome | None:
        """Make the attempt. Returns None if the lease is lost, or the webhook is deleted or
        disabled.

        Raises `UnavailableError`, without having sent anything, if the database is needed and
        unavailable.
        """
        if queue.is_failing:
            await asyncio.sleep(self._failing.take(time.monotonic()))
        async with self._slots.hold(queue.lease.tenant.organization_id):
            destination = queue.destination
            if queue.closed or destination is None or not self._is_valid(queue.lease):
                queue.not_attempted()
                return None
            try:
                if delivery.members:
                    delivery = await prepare_batch(self._database, queue.lease, delivery)
                    if not self._is_valid(queue.lease):
                        raise NotOursError
                outcome = await self._attempts.attempt(
                    queue.lease, delivery, destination.url, queue.secrets
                )
            except (UnavailableError, NotOursError):
                queue.not_attempted()
                raise
        queue.attempted(
            answered=outcome.response_code is not None,
            delivered=outcome.status is DeliveryStatus.DELIVERED,
        )
        self.attempts_ended[outcome.status.value] += 1
        return outcome

    async def _record(self, queue: WebhookQueue, outcome: Outcome) -> None:
        try:
            recorded = await self._outcomes.record(outcome)
        finally:
            queue.recorded()
        if recorded.disabled:
            log.warning("webhook disabled", webhook_id=str(queue.webhook_id))
            self._set_destination(queue, None)
        if recorded.written and outcome.next_attempt_at is not None and not queue.closed:
            delay = (outcome.next_attempt_at - self._clock.now()).total_seconds()
            queue.wake_at(outcome.next_attempt_at, delay, partial(self._request_claim, queue))

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()  # a system call in Python 3.11
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("delivering failed", exc_info=error)


def _shards(queues: Iterable[WebhookQueue]) -> Shards:
    return shards_of(queue.lease.tenant for queue in queues)


def _ids(queues: Iterable[WebhookQueue]) -> list[tuple[UUID, UUID]]:
    return [(queue.lease.tenant.organization_id, queue.webhook_id) for queue in queues]
