"""When a message is tried again, and how many may be begun in a minute."""

from hypothesis import given
from hypothesis import strategies as st

from heliograph.core.dispatch.retries import is_exhausted, retry_delay
from heliograph.core.dispatch.send_limits import SendRate
from moved_clock import MovedClock


def evenly() -> float:
    return 0.5


def test_retries_double_from_a_second_to_five_minutes() -> None:
    delays = [retry_delay(count, None, evenly) for count in range(12)]
    assert delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_chance_moves_a_retry_by_a_fifth_at_most(count: int, chance: float) -> None:
    plain = retry_delay(count, None, evenly)
    assert 0.8 * plain <= retry_delay(count, None, lambda: chance) <= 1.2 * plain


def test_the_networks_word_counts_where_it_is_longer() -> None:
    assert retry_delay(0, 30.0, evenly) == 30.0
    assert retry_delay(8, 30.0, evenly) == 256.0


def test_a_day_of_connected_time_is_enough() -> None:
    assert not is_exhausted(24 * 3600 - 1)
    assert is_exhausted(24 * 3600)


def test_a_rate_allows_a_short_burst_and_then_its_share() -> None:
    watch = MovedClock()
    rate = SendRate(30, burst=5, now=watch)
    assert rate.allowance() == 5
    rate.take(5)
    assert rate.allowance() == 0
    assert rate.pause() == 2.0
    watch.now += rate.pause()
    assert rate.allowance() == 1
    watch.now += 3600
    assert rate.allowance() == 5


@given(st.lists(st.floats(0, 30), max_size=60))
def test_a_rate_is_never_exceeded(pauses: list[float]) -> None:
    watch, sent = MovedClock(), 0
    rate = SendRate(30, burst=5, now=watch)
    began = watch.now
    for pause in pauses:
        watch.now += pause
        allowed = rate.allowance()
        rate.take(allowed)
        sent += allowed
        assert sent <= 5 + (watch.now - began) * 30 / 60 + 1e-6


def test_no_rate_is_no_limit() -> None:
    rate = SendRate(None)
    rate.take(10_000)
    assert rate.allowance() > 100_000
    assert rate.pause() == 0.0
