"""What every driver needs beside the port: a backoff, and reports that are made until taken."""

import asyncio
import random
from collections.abc import Callable, Sequence
from uuid import UUID

import structlog

from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import AccountStatus, Events, NetworkEvent, SessionState

LONGEST_BACKOFF = 60.0

log = structlog.get_logger(__name__)


def backoff(
    attempt: int,
    patience: float,
    longest: float = LONGEST_BACKOFF,
    chance: Callable[[], float] = random.random,
) -> float:
    """Seconds to wait: doubling from `patience` up to `longest`, ±50 % by `chance`."""
    # not all accounts of a server that was away may come back in the same moment
    middle: float = min(longest, patience * 2.0 ** min(attempt, 10))
    return middle * (0.5 + chance())


class Reporter:
    """Reports what one session has to say, and remembers the state that it was in last.

    What the gateway does not take is published again, first after about `patience` seconds and at
    last every `longest`. Every method raises `LeaseLostError` once another node owns the account.
    """

    def __init__(
        self,
        events: Events,
        account_id: UUID,
        *,
        patience: float,
        longest: float = LONGEST_BACKOFF,
    ) -> None:
        self._events = events
        self.account_id = account_id
        self._patience = patience
        self._longest = longest
        self.status: AccountStatus | None = None

    async def require_lease(self) -> None:
        """Ask the gateway before a log-in, which would end the session of another node."""
        await self._events.publish([])

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        """Return when the gateway has taken the events, however long that takes."""
        attempt = 0
        while True:
            try:
                await self._events.publish(events)
            except LeaseLostError:
                raise
            except Exception:
                if not attempt:  # what follows is the same again
                    log.exception("events_not_taken", account_id=str(self.account_id))
                await asyncio.sleep(backoff(attempt, self._patience, self._longest))
                attempt += 1
            else:
                return

    async def report(self, state: SessionState, before: Sequence[NetworkEvent] = ()) -> None:
        """Report a state, and in the same transaction the events that belong before it."""
        self.status = state.status
        await self.publish([*before, state])

    async def show(self, status: AccountStatus, reason: str | None = None) -> None:
        """Report a state unless it is the one reported last."""
        if status is not self.status:
            await self.report(SessionState(status, reason))
