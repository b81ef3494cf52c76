"""Windows in memory: they begin with a request, end a minute later, and are forgotten then."""

import pytest

from heliograph.core.rates import counts as request_windows
from heliograph.core.rates.counts import (
    WINDOW,
    Charge,
    Count,
    MemoryWindows,
    Quota,
    add_up,
    split_counts,
)

KEY, OTHER = Quota("key/a", 10), Quota("key/b", 10)


class Clock:
    def __init__(self) -> None:
        self.at = 1_000_000.0

    def time(self) -> float:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(request_windows, "time", clock)
    return clock


async def test_a_window_lasts_a_minute_from_its_first_request(clock: Clock) -> None:
    windows = MemoryWindows()
    first = await windows.add(KEY, 1)
    clock.at += WINDOW - 1
    assert await windows.add(KEY, 2) == Count(3, first.ends_at) == Count(3, 1_000_060.0)
    clock.at += 1
    assert await windows.add(KEY, 1) == Count(1, clock.at + WINDOW)


async def test_quotas_are_counted_apart(clock: Clock) -> None:
    windows = MemoryWindows()
    await windows.add(KEY, 5)
    assert (await windows.add(OTHER, 1)).so_far == 1
    assert (await windows.add(Quota("key/a", 99), 1)).so_far == 1, "another plan begins anew"


async def test_what_has_ended_is_forgotten(clock: Clock) -> None:
    windows = MemoryWindows()
    for number in range(100):
        await windows.add(Quota(f"key/{number}", 10), 1)
        clock.at += 1
    await windows.add(KEY, 1)
    assert len(windows._open) == WINDOW
    assert (await windows.add(Quota("key/99", 10), 1)).so_far == 2


def test_each_of_many_has_its_place() -> None:
    charges = [Charge(KEY, 1), Charge(OTHER, 1), Charge(KEY, 3), Charge(KEY, 1), Charge(OTHER, 1)]
    assert add_up(charges) == {KEY: 5, OTHER: 2}
    counts = {KEY: Count(9, 60.0), OTHER: Count(2, 90.0)}
    assert split_counts(charges, counts) == [
        Count(5, 60.0),
        Count(1, 90.0),
        Count(8, 60.0),
        Count(9, 60.0),
        Count(2, 90.0),
    ]
