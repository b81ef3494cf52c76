"""When a batch begins, and how long what is left waits for the next."""

from uuid import UUID

import pytest

from delivery_tables import claimed_delivery
from heliograph.core.webhooks.model import Batching
from heliograph.core.webhooks.queue.batching import MAX_BATCH_BYTES, BatchFormer
from heliograph.core.webhooks.queue.lanes import Lanes

BATCHING = Batching(max_events=100, max_wait_ms=1000)
PAYLOAD = b'{"type":"message.sent","timestamp":"2026-01-01T00:00:00Z","data":{}}'
LARGE = PAYLOAD[:-1] + b',"x":"' + b"x" * (MAX_BATCH_BYTES // 4) + b'"}'
"""Three of these fit into a body."""


class Waiting:
    """Deliveries that become ready one after another, each in a lane of its own."""

    def __init__(self) -> None:
        self.lanes, self.former, self.count = Lanes(), BatchFormer(), 0

    def add(self, count: int, payload: bytes = PAYLOAD) -> None:
        for _ in range(count):
            self.count += 1
            key = UUID(int=self.count)
            self.lanes.add([claimed_delivery(self.count, key, payload=payload)])

    def take(self, now: float) -> int:
        """How many deliveries the batch has that begins now; 0 if none does."""
        batch = self.former.take(self.lanes, BATCHING, now, at_once=False)
        return 0 if batch is None else len(batch.members)

    def delay(self, now: float) -> float:
        return self.former.delay(BATCHING, now)


def test_what_fits_no_more_into_a_body_goes_at_once() -> None:
    waiting = Waiting()
    waiting.add(3, LARGE)
    assert waiting.take(0.0) == 0
    waiting.add(5, LARGE)
    assert [waiting.take(0.1), waiting.take(0.1), waiting.take(0.1)] == [3, 3, 0]


def test_what_is_left_has_waited_already() -> None:
    waiting = Waiting()
    waiting.add(60)
    assert waiting.take(0.0) == 0
    waiting.add(10)
    assert waiting.take(0.6) == 0
    waiting.add(40)
    assert waiting.take(0.9) == 100  # full
    assert waiting.take(0.9) == 0
    assert waiting.delay(0.9) == pytest.approx(1.0), "the last ten have come just now"


def test_what_came_earlier_waits_shorter() -> None:
    waiting = Waiting()
    waiting.add(2, LARGE)
    assert waiting.take(0.0) == 0
    waiting.add(2, LARGE)
    assert waiting.take(0.4) == 3
    waiting.add(1, LARGE)
    assert waiting.take(0.8) == 0
    assert waiting.delay(0.8) == pytest.approx(0.6)
    assert waiting.take(1.5) == 2
    assert waiting.delay(1.5) == 0


def test_what_was_forgotten_waits_anew() -> None:
    waiting = Waiting()
    waiting.add(5)
    assert waiting.take(0.0) == 0
    waiting.lanes.drop_waiting()
    assert waiting.take(0.5) == 0
    assert waiting.delay(0.5) == 0
    waiting.add(2)
    assert waiting.take(0.6) == 0
    assert waiting.delay(0.6) == pytest.approx(1.0)
