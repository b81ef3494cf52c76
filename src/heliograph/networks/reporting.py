"""What every driver needs beside the port: to wait longer each time, and to report until it is
taken."""

import asyncio
import random
from collections.abc import Callable, Sequence
from uuid import UUID

import structlog

from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import Event, Events

LONGEST_BACKOFF = 60.0

log = structlog.get_logger(__name__)


def backoff(
    attempt: int,
    patience: float,
    longest: float = LONGEST_BACKOFF,
    chance: Callable[[], float] = random.random,
) -> float:
    """Seconds to wait: doubling from `patience` up to `longest`, ±50 % by `chance`.

    So that not all accounts of a server that was away come back in the same moment.
    """
    middle: float = min(longest, patience * 2.0 ** min(attempt, 10))
    return middle * (0.5 + chance())


async def report_until_taken(
    events: Events,
    news: Sequence[Event],
    *,
    account_id: UUID,
    patience: float,
    longest: float = LONGEST_BACKOFF,
) -> None:
    """Publish this, however long it takes to have it taken. Raises `LeaseLostError`."""
    attempt = 0
    while True:
        try:
            await events.publish(news)
        except LeaseLostError:
            raise
        except Exception:
            if not attempt:  # what follows is the same again
                log.exception("events_not_taken", account_id=str(account_id))
            await asyncio.sleep(backoff(attempt, patience, longest))
            attempt += 1
        else:
            return
