"""Who begins when, of those who ask at once."""

from hypothesis import given
from hypothesis import strategies as st

from heliograph.platform.aio.limits import Pacer

GAP, LONGEST = 0.25, 1.0  # exact in binary


def test_the_first_begins_at_once_and_each_other_a_gap_later() -> None:
    pacer = Pacer(GAP, LONGEST)
    assert [pacer.take(100.0) for _ in range(4)] == [0.0, 0.25, 0.5, 0.75]
    assert pacer.take(100.5) == 0.5


def test_a_quiet_moment_is_not_saved_up() -> None:
    pacer = Pacer(GAP, LONGEST)
    pacer.take(100.0)
    assert [pacer.take(500.0) for _ in range(3)] == [0.0, 0.25, 0.5]


def test_who_comes_last_of_many_waits_no_longer_than_the_longest() -> None:
    pacer = Pacer(GAP, LONGEST)
    assert {pacer.take(100.0) for _ in range(1000)} == {0.0, 0.25, 0.5, 0.75, 1.0}
    assert pacer.take(103.0) == 0.0


@given(st.lists(st.integers(0, 8), max_size=50))
def test_turns_come_in_order_and_a_gap_apart_unless_somebody_waited_longest(
    steps: list[int],
) -> None:
    pacer, now, last = Pacer(GAP, LONGEST), 100.0, 0.0
    for step in steps:
        now += step / 16
        wait = pacer.take(now)
        assert 0 <= wait <= LONGEST
        assert now + wait >= last + GAP or wait == LONGEST
        last = now + wait
