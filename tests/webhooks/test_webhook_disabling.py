"""When a webhook counts as failing, and when it is disabled."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from delivery_tables import claimed_delivery
from each_case import for_each
from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import DeliveryStatus, Outcome
from heliograph.core.webhooks.posting.disabling import (
    DISABLE_AFTER,
    REASON_FAILING,
    REASON_GONE,
    judge_health,
)

START = datetime(2026, 3, 2, tzinfo=UTC)
LEASE = Lease(Tenant(0, UUID(int=1)), UUID(int=2), UUID(int=3), 1)


def outcome(hours: float, code: int | None) -> Outcome:
    delivered = code is not None and 200 <= code < 300
    return Outcome(
        lease=LEASE,
        delivery=claimed_delivery(4, UUID(int=4)),
        webhook_url="https://example.com/",
        number=1,
        started_at=START,
        ended_at=START + timedelta(hours=hours),
        duration_ms=1,
        status=DeliveryStatus.DELIVERED if delivered else DeliveryStatus.PENDING,
        next_attempt_at=None,
        response_code=code,
        response_body=None,
        error_message=None,
        address=None,
    )


HOUR = timedelta(hours=1)
IN_TIME = DISABLE_AFTER / HOUR - 0.001
JUDGED = {
    "the first failure begins a time of failing": (
        [outcome(2, 500), outcome(1, None)],
        None,
        (START + HOUR, None),
    ),
    "further failures change nothing": ([outcome(1, 500)], START, None),
    "success while all is well changes nothing": ([outcome(1, 200)], None, None),
    "a success ends it": ([outcome(1, 500), outcome(2, 204)], START, (None, None)),
    "gone disables at once": ([outcome(1, 410)], None, (START + HOUR, REASON_GONE)),
    "not a moment less than five days": ([outcome(IN_TIME, 500)], START, None),
    "five days disable": (
        [outcome(DISABLE_AFTER / HOUR, 500)],
        START,
        (START, REASON_FAILING),
    ),
}


@for_each(("outcomes", "since", "wanted"), JUDGED.values(), ids=JUDGED)
def test_what_an_endpoint_answers_says_how_it_does(
    outcomes: Sequence[Outcome],
    since: datetime | None,
    wanted: tuple[datetime | None, str | None] | None,
) -> None:
    change = judge_health(outcomes, since)
    assert (change and (change.failing_since, change.disabled_reason)) == wanted


@given(
    codes=st.lists(st.sampled_from([200, 204, 301, 404, 500, None]), min_size=1, max_size=12),
    was_failing=st.booleans(),
    cut=st.integers(0, 12),
)
def test_it_does_not_matter_how_outcomes_are_grouped(
    codes: Sequence[int | None], was_failing: bool, cut: int
) -> None:
    outcomes = [outcome(hours, code) for hours, code in enumerate(codes, 1)]
    since = START if was_failing else None

    def after(outcomes: Sequence[Outcome], since: datetime | None) -> datetime | None:
        change = judge_health(outcomes, since) if outcomes else None
        return since if change is None else change.failing_since

    assert after(outcomes[cut:], after(outcomes[:cut], since)) == after(outcomes, since)
