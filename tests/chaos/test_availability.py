"""One caller stalls nobody else: attacks beside a tenant who goes on with their work."""

from collections.abc import AsyncIterator

import pytest
from bench.availability import Outcome, Scene, playing
from bench.receiver import receiving

from chaos.conftest import Form
from chaos.stalls import Stalls

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.own_postgres("measures a gateway as the benchmark starts it"),
]

IN_TIME = 8.0  # seconds that a lease of 15, renewed every 3, has left at the least


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with receiving() as receiver, playing(receiver.url) as made:
        yield made


@pytest.mark.timeout(3600)
async def test_one_caller_stalls_nobody_else(scene: Scene, form: Form, stalls: Stalls) -> None:
    outcomes: dict[str, Outcome] = {}
    for name in form.each("attacks", scene.attacks):
        seconds, rounds = form.pick(1, 10), form.pick(1, 3)
        outcomes[name] = await scene.play(name, seconds=seconds, rounds=rounds)
        _record(form, name, outcomes[name])
    failed = {name: found.failed for name, found in outcomes.items() if found.failed}
    assert stalls.are_felt or failed == {}
    late = {name: found.least_left for name, found in outcomes.items()}
    assert {name: left for name, left in late.items() if left + stalls.worst < IN_TIME} == {}


def _record(form: Form, name: str, outcome: Outcome) -> None:
    form.record(
        f"An attack: {name}",
        times=sum(outcome.statuses.values()),
        slowest_s=max(times.max for times in outcome.beside_attack) / 1000,
        p99_beside_ms=outcome.p99,
        p99_beside_harmless_ms=outcome.harmless_p99,
        ratio=round(outcome.ratio, 2),
        bar_met="yes" if outcome.is_met else "no",
        least_seconds_of_a_lease=round(outcome.least_left, 1),
        failed=outcome.failed,
        **{f"answered {status}": count for status, count in sorted(outcome.statuses.items())},
    )
