"""How long drivers wait, and that what they report is taken in the end."""

import asyncio
from uuid import uuid4

import pytest

from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import AccountStatus, SessionState
from heliograph.networks.reporting import LONGEST_BACKOFF, Reporter, backoff
from heliograph.networks.testing import Recorder

CONNECTED = SessionState(AccountStatus.CONNECTED)


def test_waits_double_up_to_the_longest() -> None:
    waits = [backoff(attempt, 1.0, chance=lambda: 0.5) for attempt in range(9)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    waits = [backoff(attempt, 2.0, 300.0, lambda: 0.5) for attempt in range(9)]
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert backoff(10**6, 0.05, chance=lambda: 0.5) == pytest.approx(0.05 * 1024)


def test_waits_differ_by_half_of_themselves_at_most() -> None:
    for attempt in range(12):
        shortest = backoff(attempt, 1.0, chance=lambda: 0.0)
        longest = backoff(attempt, 1.0, chance=lambda: 1.0)
        assert shortest == longest / 3
        assert longest <= 1.5 * LONGEST_BACKOFF
        waits = {backoff(attempt, 1.0) for _ in range(20)}
        assert all(shortest <= wait <= longest for wait in waits)
        assert len(waits) > 1


async def test_what_is_refused_is_reported_until_it_is_taken() -> None:
    events = Recorder()
    events.refusing = OSError("the database is away")
    reporter = Reporter(events, uuid4(), patience=0.01)
    report = asyncio.create_task(reporter.publish([CONNECTED]))
    await events.refusal()
    assert not report.done()
    events.refusing = None
    await report
    assert events.events == [CONNECTED]


async def test_who_lost_the_lease_reports_no_more() -> None:
    events = Recorder()
    events.refusing = LeaseLostError()
    with pytest.raises(LeaseLostError):
        await Reporter(events, uuid4(), patience=0.01).publish([CONNECTED])
    assert events.refused == [CONNECTED]


async def test_a_state_is_shown_once() -> None:
    events = Recorder()
    reporter = Reporter(events, uuid4(), patience=0.01)
    await reporter.report(CONNECTED)
    await reporter.show(AccountStatus.CONNECTED)
    await reporter.show(AccountStatus.DISCONNECTED, "The server is away.")
    assert events.events == [
        CONNECTED,
        SessionState(AccountStatus.DISCONNECTED, "The server is away."),
    ]
