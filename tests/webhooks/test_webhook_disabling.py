"""When a webhook counts as failing, and when it is disabled."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from delivery_tables import claimed_delivery
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


def test_the_first_failure_begins_a_time_of_failing() -> None:
    change = judge_health([outcome(2, 500), outcome(1, None)], None)
    assert change is not None
    assert change.failing_since == START + timedelta(hours=1)
    assert change.disabled_reason is None


def test_further_failures_change_nothing() -> None:
    assert judge_health([outcome(1, 500)], START) is None


def test_success_while_all_is_well_changes_nothing() -> None:
    assert judge_health([outcome(1, 200)], None) is None


def test_a_success_ends_it() -> None:
    change = judge_health([outcome(1, 500), outcome(2, 204)], START)
    assert change is not None
    assert change.failing_since is None


def test_gone_disables_at_once() -> None:
    change = judge_health([outcome(1, 410)], None)
    assert change is not None
    assert change.disabled_reason == REASON_GONE


def test_five_days_disable_and_not_a_moment_less() -> None:
    hours = DISABLE_AFTER / timedelta(hours=1)
    assert judge_health([outcome(hours - 0.001, 500)], START) is None
    change = judge_health([outcome(hours, 500)], START)
    assert change is not None
    assert change.disabled_reason == REASON_FAILING


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
