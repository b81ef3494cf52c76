"""How often loops look at all shards."""

from types import SimpleNamespace
from typing import cast

import pytest

from heliograph.platform.database import pace
from heliograph.platform.database.pace import MAX_INTERVAL, RESTS, Pace
from heliograph.platform.database.pool import Database

USUAL = 1.0


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock shows at the beginning and end of each look."""
    times: list[float] = []
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: times.pop(0)))
    return times


def new_pace(*, is_distributed: bool) -> Pace:
    return Pace(cast(Database, SimpleNamespace(is_distributed=is_distributed)), USUAL)


def rest_after(found: Pace, watch: list[float], *took: float) -> float:
    for seconds in took:
        watch[:] = [100.0, 100.0 + seconds]
        with found.look():
            pass
    return found.rest


def test_one_server_is_always_asked_as_often(watch: list[float]) -> None:
    assert rest_after(new_pace(is_distributed=False), watch, 5.0) == USUAL


@pytest.mark.parametrize(
    ("took", "rest"),
    [
        ((), USUAL),
        ((USUAL / RESTS / 2,), USUAL),
        ((0.1,), 0.1 * RESTS),
        ((30.0,), MAX_INTERVAL),
        ((30.0, 0.001), USUAL),
    ],
)
def test_where_each_shard_is_asked_looks_take_a_fiftieth_of_the_time(
    watch: list[float], took: tuple[float, ...], rest: float
) -> None:
    found = rest_after(new_pace(is_distributed=True), watch, *took)

    assert found == pytest.approx(rest)


def test_a_look_that_fails_counts_too(watch: list[float]) -> None:
    found = new_pace(is_distributed=True)
    watch[:] = [0.0, 5.0]

    with pytest.raises(TimeoutError), found.look():
        raise TimeoutError

    assert found.rest == MAX_INTERVAL
