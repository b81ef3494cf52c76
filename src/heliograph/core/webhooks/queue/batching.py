"""Batches: several events in one request. The membership is committed before the first attempt.

The first delivery represents the batch: its id is the batch's, and the `webhook-id` of each
attempt; only it is claimed, and the others follow. So every attempt, even on another node, posts
the same events under the same id (decision 50).
"""

from collections import deque
from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.core.cluster.model import Lease
from heliograph.core.webhooks.model import Batching, ClaimedDelivery
from heliograph.core.webhooks.queue.batch_sql import commit_batch, open_batch
from heliograph.core.webhooks.queue.lanes import Lanes
from heliograph.platform.database.pool import Database

BATCH_TYPE = "batch"
MAX_BATCH_BYTES = 1024 * 1024
MAX_BATCH_EVENTS = 500
MAX_BATCH_WAIT_MS = 5000
BATCH_WIDTH = 4
"""New batches of one webhook in progress at a time: each may take 1 MiB of memory, and after a
crash each is posted again."""

_ID = b'{"id":"%s",'
_FRAME = b'{"type":"%s","timestamp":%s,"data":{"events":[%s]}}'
_OVERHEAD = len(_ID) + 36
_ROOM = MAX_BATCH_BYTES - 256  # for the frame


class _Dated(msgspec.Struct):
    timestamp: msgspec.Raw


_read_dated = msgspec.json.Decoder(_Dated).decode


class BatchFormer:
    """Forms new batches of one webhook from the deliveries that are ready in its lanes.

    The first event waits `max_wait_ms` for others, but no longer than until a batch is full: until
    there are `max_events`, or more than fit into a body.
    """

    def __init__(self) -> None:
        self._ready: deque[tuple[int, float]] = deque()
        """How many deliveries were ready at which time, for each time at which they were more."""

    def take(
        self, lanes: Lanes, batching: Batching, now: float, *, at_once: bool
    ) -> ClaimedDelivery | None:
        """Begin a batch, or return None if nothing is ready or the batch waits for more
        (`delay`)."""
        found = lanes.list_new()
        self._note(len(found), now)
        if not found:
            return None
        told = [(each.event_id, each.payload) for each in found[: batching.max_events]]
        count = _count_fitting(told)
        is_full = count == batching.max_events or count < len(told)
        if not (is_full or at_once) and self.delay(batching, now) > 0:
            return None
        self._ready = deque((ready - count, at) for ready, at in self._ready if ready > count)
        return lanes.take_batch(_form(found[:count], told[:count]))

    def _note(self, ready: int, now: float) -> None:
        if self._ready and ready < self._ready[-1][0]:
            self._ready.clear()  # some were forgotten, and will be claimed again
        if ready and (not self._ready or ready > self._ready[-1][0]):
            self._ready.append((ready, now))

    def delay(self, batching: Batching, now: float) -> float:
        """Return the seconds until the ready deliveries are sent; 0 if none waits."""
        if not self._ready:
            return 0.0
        return max(0.0, self._ready[0][1] + batching.max_wait_ms / 1000 - now)


def _form(
    members: Sequence[ClaimedDelivery], told: Sequence[tuple[UUID, bytes]]
) -> ClaimedDelivery:
    """Make one batch of these deliveries, which have these events."""
    return replace(
        members[0],
        payload=batch_body(told),
        members=tuple(replace(member, payload=b"") for member in members),
    )


def _count_fitting(events: Sequence[tuple[UUID, bytes]]) -> int:
    """Return how many of these events fit into one body, but at least 1."""
    size = 0
    for count, (_, payload) in enumerate(events):
        size += len(payload) + _OVERHEAD
        if count and size > _ROOM:
            return count
    return len(events)


def split(
    events: Sequence[tuple[UUID, bytes]], most: int
) -> Iterator[Sequence[tuple[UUID, bytes]]]:
    """Split events into batches of at most `most` events, each of which fits into a body."""
    while events:
        count = _count_fitting(events[:most])
        yield events[:count]
        events = events[count:]


def batch_body(events: Sequence[tuple[UUID, bytes]]) -> bytes:
    """Join the bodies of events, each with its event's id. The batch's timestamp is that of the
    last event, so that every attempt has the same body."""
    kept = [(event_id, payload) for event_id, payload in events if payload]
    timestamp = bytes(_read_dated(kept[-1][1]).timestamp) if kept else b"null"
    told = [_ID % str(event_id).encode() + payload[1:] for event_id, payload in kept]
    return _FRAME % (BATCH_TYPE.encode(), timestamp, b",".join(told))


async def prepare_batch(
    database: Database, lease: Lease, batch: ClaimedDelivery
) -> ClaimedDelivery:
    """Return the batch with its body: a new batch is committed first, an existing one is loaded.

    Raises `NotOursError`, and `UnavailableError`.
    """
    if batch.payload:
        await database.transact(commit_batch, lease, batch.delivery_ids)
        return batch
    events = await database.transact(open_batch, lease, batch)
    return replace(batch, payload=batch_body(events))
