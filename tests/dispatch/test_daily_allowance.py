"""How many messages a new number may send on its first days."""

from datetime import date, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.warm_up import (
    MAX_ALLOWANCE,
    allowance_on,
    daily_allowance,
    own_limit,
    sent_on,
)

TODAY = date(2026, 3, 1)


def account(**fields: Any) -> Account:
    nothing: dict[str, Any] = dict.fromkeys(Account.__struct_fields__)
    return Account(**(nothing | {"auto_warmer_enabled": True, "sent_that_day": 0} | fields))


def test_the_first_days() -> None:
    assert [daily_allowance(day) for day in range(6)] == [20, 36, 65, 117, 210, 378]


def test_it_grows_until_the_accounts_own_limit() -> None:
    slow = account(send_rate=1, warming_since=TODAY)  # 1,440 a day
    found = [allowance_on(slow, TODAY + timedelta(days=day)) for day in range(9)]
    assert found == [20, 36, 65, 117, 210, 378, 680, 1224, None]
    assert own_limit(slow) == 1440


def test_an_account_that_does_not_warm_up_is_not_limited() -> None:
    assert allowance_on(account(auto_warmer_enabled=False, warming_since=TODAY), TODAY) is None
    assert allowance_on(account(), TODAY) is None


@given(days=st.integers(-5, 100_000), rate=st.none() | st.integers(1, 100_000))
def test_no_day_allows_less_than_the_one_before(days: int, rate: int | None) -> None:
    warming = account(send_rate=rate, warming_since=TODAY - timedelta(days=min(days, 30_000)))
    allowance = allowance_on(warming, TODAY)
    before = allowance_on(warming, TODAY - timedelta(days=1))
    if allowance is None:
        assert own_limit(warming) <= max(daily_allowance(max(0, days)), MAX_ALLOWANCE)
    else:
        assert before is not None
        assert 20 <= before <= allowance < own_limit(warming)


def test_what_was_sent_on_another_day_does_not_count() -> None:
    sender = account(sent_on=TODAY, sent_that_day=7)
    assert sent_on(sender, TODAY) == 7
    assert sent_on(sender, TODAY + timedelta(days=1)) == 0
