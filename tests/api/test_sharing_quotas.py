"""Who is refused when several want to send under a plan's quota."""

from collections import Counter
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.core.messages.accepting.quotas import QuotaPeriod, QuotaRequest, allocate_quotas
from heliograph.core.messages.accepting.quotas_sql import QuotaKey
from heliograph.core.tenants.plans import Plan

NOW = datetime(2026, 2, 28, 23, 59, 30, tzinfo=UTC)
ACME, GLOBEX = UUID(int=1), UUID(int=2)
DAY = QuotaKey(ACME, "day", NOW.date())
MONTH = QuotaKey(ACME, "month", NOW.date().replace(day=1))


def wanted(count: int, plan: Plan, organization_id: UUID = ACME) -> list[QuotaRequest]:
    base = 1000 * organization_id.int
    return [QuotaRequest(organization_id, UUID(int=base + n), plan) for n in range(count)]


def test_first_come_first_served() -> None:
    asking = wanted(5, Plan("small", messages_per_day=10))
    refused, taken = allocate_quotas(asking, {DAY: 7}, NOW)
    assert list(refused) == [request.message_id for request in asking[3:]]
    assert taken == {DAY: 3}


def test_a_refusal_names_the_limit_its_value_and_when_it_resets() -> None:
    refused, _ = allocate_quotas(wanted(1, Plan("small", messages_per_day=10)), {DAY: 10}, NOW)
    [error] = refused.values()
    assert error.body() == {
        "detail": "This organization has reached the limit of its plan 'small': messages_per_day = "
        "10. It resets at 2026-03-01T00:00:00Z.",
        "code": "plan_limit_reached",
        "retry_after": 30,
        "limit": "messages_per_day",
        "value": 10,
        "resets_at": "2026-03-01T00:00:00Z",
    }


def test_of_two_spent_limits_the_one_that_lasts_longer_is_named() -> None:
    plan = Plan("small", messages_per_day=1, messages_per_month=1)
    refused, taken = allocate_quotas(wanted(1, plan), {DAY: 1, MONTH: 1}, NOW)
    assert [error.members["limit"] for error in refused.values()] == ["messages_per_month"]
    assert not taken


def test_what_one_organization_spends_is_not_anothers() -> None:
    plan, theirs = Plan("small", messages_per_day=2), QuotaKey(GLOBEX, "day", NOW.date())
    asking = wanted(3, plan) + wanted(2, plan, GLOBEX)
    refused, taken = allocate_quotas(asking, {DAY: 0, theirs: 0}, NOW)
    assert list(refused) == [asking[2].message_id]
    assert taken == {DAY: 2, theirs: 2}


@for_each(
    ("at", "day", "month"),
    [
        ("2026-02-28T12:00", "2026-03-01", "2026-03-01"),
        ("2028-02-28T12:00", "2028-02-29", "2028-03-01"),
        ("2026-12-31T23:59", "2027-01-01", "2027-01-01"),
        ("2026-01-31T00:00", "2026-02-01", "2026-02-01"),
        ("2026-11-05T00:00", "2026-11-06", "2026-12-01"),
    ],
)
def test_spans_end_where_the_next_one_begins(at: str, day: str, month: str) -> None:
    today = datetime.fromisoformat(at).date()
    assert QuotaPeriod.DAY.ends_at(today).isoformat() == f"{day}T00:00:00+00:00"
    assert QuotaPeriod.MONTH.ends_at(today).isoformat() == f"{month}T00:00:00+00:00"


@given(
    count=st.integers(0, 20),
    used=st.integers(0, 30),
    day=st.none() | st.integers(0, 15),
    month=st.none() | st.integers(0, 15),
)
def test_no_more_is_taken_than_there_is_and_none_is_kept_back(
    count: int, used: int, day: int | None, month: int | None
) -> None:
    plan = Plan("any", messages_per_day=day, messages_per_month=month)
    refused, taken = allocate_quotas(wanted(count, plan), {DAY: used, MONTH: used}, NOW)
    given_out = count - len(refused)
    limits = [limit for limit in (day, month) if limit is not None]
    assert given_out == min([count, *(max(0, limit - used) for limit in limits)])
    expected = {key: given_out for key, limit in ((DAY, day), (MONTH, month)) if limit is not None}
    assert taken == Counter(expected)
