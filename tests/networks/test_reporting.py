"""What drivers report is taken in the end."""

import asyncio
from uuid import uuid4

import pytest

from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import AccountStatus, SessionState
from heliograph.networks.reporting import Reporter
from heliograph.networks.testing import Recorder

CONNECTED = SessionState(AccountStatus.CONNECTED)


async def test_what_is_refused_is_reported_until_it_is_taken() -> None:
    events = Recorder()
    events.refusing = OSError("the database is away")
    reporter = Reporter(events, uuid4(), first_delay=0.01)
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
        await Reporter(events, uuid4(), first_delay=0.01).publish([CONNECTED])
    assert events.refused == [CONNECTED]


async def test_a_state_is_shown_once() -> None:
    events = Recorder()
    reporter = Reporter(events, uuid4(), first_delay=0.01)
    await reporter.report(CONNECTED)
    await reporter.show(AccountStatus.CONNECTED)
    await reporter.show(AccountStatus.DISCONNECTED, "The server is away.")
    assert events.events == [
        CONNECTED,
        SessionState(AccountStatus.DISCONNECTED, "The server is away."),
    ]
