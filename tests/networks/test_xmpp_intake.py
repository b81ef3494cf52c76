"""What came, on its way to the gateway."""

import asyncio
from uuid import uuid4

import pytest
from recorder import Recorder

from heliograph.networks.base import Cursor
from heliograph.networks.xmpp.intake import FULL, LONGEST_BACKOFF, Intake, Item, backoff


def test_waits_double_up_to_a_minute() -> None:
    waits = [backoff(attempt, 1.0, lambda: 0.5) for attempt in range(9)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert backoff(10**6, 0.05, lambda: 0.5) == pytest.approx(0.05 * 1024)


def test_waits_differ_by_half_of_themselves_at_most() -> None:
    """So that not all accounts of a server that was away come back in the same moment."""
    for attempt in range(12):
        shortest = backoff(attempt, 1.0, lambda: 0.0)
        longest = backoff(attempt, 1.0, lambda: 1.0)
        assert shortest == longest / 3
        assert longest <= 1.5 * LONGEST_BACKOFF
        waits = {backoff(attempt, 1.0) for _ in range(20)}
        assert all(shortest <= wait <= longest for wait in waits)
        assert len(waits) > 1


async def test_a_connection_that_is_new_is_held_back_like_the_one_before() -> None:
    held_back: list[bool] = []
    intake = Intake(
        uuid4(),
        Recorder(),
        patience=0.01,
        settled=lambda _: None,
        full=held_back.append,
        lost=lambda: None,
    )
    for n in range(FULL + 2):
        intake.put(Item(cursor=Cursor("", str(n))))
    assert held_back == [True, True]

    running = asyncio.create_task(intake.run())
    await intake.drained()
    assert held_back[-1] is False
    running.cancel()
