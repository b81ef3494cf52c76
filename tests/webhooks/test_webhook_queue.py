"""How much of one endpoint a node takes on."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from delivery_tables import claimed_delivery
from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.core.webhooks.posting.queue import (
    FAILURES_IN_A_ROW,
    HELD_PER_SLOT,
    MAX_WIDTH,
    MIN_WIDTH,
    WebhookQueue,
)

TENANT = Tenant(0, UUID(int=1))
PLENTY = 10_000


def queue() -> WebhookQueue:
    return WebhookQueue(Lease(TENANT, UUID(int=2), UUID(int=3), 1))


def deliveries(count: int, start: int = 1) -> list[ClaimedDelivery]:
    return [claimed_delivery(n, UUID(int=n)) for n in range(start, start + count)]


@given(answers=st.lists(st.booleans(), max_size=40))
def test_the_width_stays_within_its_bounds(answers: list[bool]) -> None:
    tried = queue()
    for answered in answers:
        tried.under_way += 1
        tried.attempted(answered=answered, delivered=answered)
        assert MIN_WIDTH <= tried.width <= MAX_WIDTH
    assert tried.under_way == 0


def test_an_endpoint_that_hangs_is_narrowed_and_one_that_answers_again_widened() -> None:
    tried = queue()
    for _ in range(5):
        tried.attempted(answered=False, delivered=False)
    assert tried.width == MIN_WIDTH
    for _ in range(MAX_WIDTH):
        tried.attempted(answered=True, delivered=True)
    assert tried.width == MAX_WIDTH


def test_a_webhook_is_failing_after_some_failures_in_a_row_until_something_is_delivered() -> None:
    tried = queue()
    for _ in range(FAILURES_IN_A_ROW - 1):
        tried.attempted(answered=True, delivered=False)
    assert not tried.is_failing
    tried.attempted(answered=True, delivered=True)
    for _ in range(FAILURES_IN_A_ROW):
        assert not tried.is_failing
        tried.attempted(answered=False, delivered=False)
    assert tried.is_failing
    tried.attempted(answered=True, delivered=True)
    assert not tried.is_failing


def test_no_more_is_taken_than_the_width() -> None:
    tried = queue()
    tried.claimed(tried.request(PLENTY), deliveries(100))
    taken = [tried.take() for _ in range(100)]
    assert sum(delivery is not None for delivery in taken) == MAX_WIDTH


def test_a_crash_repeats_32_of_an_endpoint_at_most() -> None:
    tried = queue()
    tried.claimed(tried.request(PLENTY), deliveries(100))
    posted = 0
    while tried.take() is not None:
        tried.attempted(answered=True, delivered=True)
        posted += 1
    assert posted == 32, "all of them unrecorded"
    tried.recorded()
    assert tried.take() is not None
    assert tried.take() is None


def test_room_comes_back_when_half_has_ended() -> None:
    tried = queue()
    capacity = MAX_WIDTH * HELD_PER_SLOT
    assert tried.room(PLENTY) == capacity
    tried.claimed(tried.request(PLENTY), deliveries(capacity))
    assert tried.room(PLENTY) == 0
    assert not tried.wants_more(PLENTY)
    for delivery in deliveries(capacity // 2):
        tried.ended(delivery)
    assert tried.room(PLENTY) == capacity // 2
    assert tried.wants_more(PLENTY), "a full claim left some behind"


def test_a_share_bounds_what_is_held() -> None:
    assert queue().room(20) == 20


def test_what_waited_for_a_lease_that_was_lost_is_claimed_again() -> None:
    tried = queue()
    tried.claimed(tried.request(PLENTY), deliveries(3))
    begun = tried.take()
    assert begun is not None
    tried.close()
    tried.forget_waiting()
    assert tried.take() is None
    tried.open([])
    assert tried.request(PLENTY).held == [begun.seq]


def test_what_is_held_is_not_asked_for_again() -> None:
    tried = queue()
    tried.claimed(tried.request(PLENTY), deliveries(3))
    assert tried.request(PLENTY).held == [1, 2, 3]


def test_what_ended_during_a_claim_is_not_taken_from_its_answer() -> None:
    """The claim may have seen the table as it was before the outcome was written."""
    tried = queue()
    tried.claimed(tried.request(PLENTY), deliveries(2))
    first = tried.take()
    assert first is not None
    asked = tried.request(PLENTY)
    tried.attempted(answered=True, delivered=True)
    tried.ended(first)
    tried.claimed(asked, deliveries(3))
    taken = [tried.take() for _ in range(3)]
    assert [delivery.seq if delivery else None for delivery in taken] == [2, 3, None]


def test_an_answer_counts_for_nothing_once_what_waited_was_forgotten() -> None:
    tried = queue()
    asked = tried.request(PLENTY)
    tried.forget_waiting()
    tried.claimed(asked, deliveries(1))
    assert tried.take() is None, "what belongs before it may come with the next claim"


def test_a_closed_queue_begins_nothing() -> None:
    tried = queue()
    tried.claimed(tried.request(PLENTY), deliveries(3))
    tried.close()
    assert tried.take() is None
