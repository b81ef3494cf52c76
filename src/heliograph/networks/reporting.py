"""Reports of a session, made again until the gateway has taken them."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import structlog

from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import AccountStatus, Events, NetworkEvent, SessionState
from heliograph.platform.aio.backoff import MAX_DELAY, backoff

log = structlog.get_logger(__name__)


class Reporter:
    """Reports what one session has to say, and remembers the state that it was in last.

    What the gateway does not take is published again, first after about `first_delay` seconds and
    at last every `max_delay`. Every method raises `LeaseLostError` once another node owns the
    account.
    """

    def __init__(
        self,
        events: Events,
        account_id: UUID,
        *,
        first_delay: float,
        max_delay: float = MAX_DELAY,
    ) -> None:
        self._events = events
        self.account_id = account_id
        self._first_delay = first_delay
        self._max_delay = max_delay
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
                await asyncio.sleep(backoff(attempt, self._first_delay, self._max_delay))
                attempt += 1
            else:
                return

    async def report(self, state: SessionState, before: Sequence[NetworkEvent] = ()) -> None:
        """Report a state, and in the same transaction the events that belong before it."""
        self.status = state.status
        await self.publish([*before, state])

    async def show(
        self, status: AccountStatus, reason: str | None = None, *, stays_away: bool = False
    ) -> None:
        """Report a state unless it is the one reported last."""
        if status is not self.status:
            await self.report(SessionState(status, reason, stays_away=stays_away))
