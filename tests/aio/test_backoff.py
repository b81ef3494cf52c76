"""How long is waited after failures in a row."""

from heliograph.platform.aio.backoff import MAX_DELAY, backoff


def test_waits_double_up_to_the_longest() -> None:
    waits = [backoff(attempt, 1.0, chance=lambda: 0.5) for attempt in range(9)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    waits = [backoff(attempt, 2.0, 300.0, chance=lambda: 0.5) for attempt in range(9)]
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert backoff(10**6, 0.05, chance=lambda: 0.5) == MAX_DELAY


def test_waits_differ_by_half_of_themselves_at_most() -> None:
    for attempt in range(12):
        shortest = backoff(attempt, 1.0, chance=lambda: 0.0)
        longest = backoff(attempt, 1.0, chance=lambda: 1.0)
        assert shortest == longest / 3
        assert longest <= 1.5 * MAX_DELAY
        waits = {backoff(attempt, 1.0) for _ in range(20)}
        assert all(shortest <= wait <= longest for wait in waits)
        assert len(waits) > 1
