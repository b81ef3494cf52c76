"""What the benchmark makes of sends beside another tenant's work."""

from collections import Counter

import pytest
from bench.shares import Outcome, Round, Window, compare


def window(p99: float, processors: float = 0.5) -> Window:
    return Window({"accept": p99}, processors)


@pytest.mark.parametrize(("beside", "met"), [(13.0, True), (13.2, False)])
def test_the_bar_is_for_the_median_of_the_rounds_beside_quiet(beside: float, met: bool) -> None:
    rounds = [
        Round(window(10), window(beside, 1.5), window(11)),
        Round(window(100), window(90, 1.6), window(120)),
        Round(window(5), window(50, 1.4), window(60)),
    ]
    found = compare("exports", "accept", Outcome(rounds, Counter({200: 7})))
    assert (found.name, found.met) == ("accept p99 beside exports", met)
    assert found.ratio == pytest.approx(beside / 10)
    assert found.note is not None
    assert "only spin as much, 1.2 times; the work took 1.0 processors" in found.note
    assert "answered 200 × 7" in found.note
