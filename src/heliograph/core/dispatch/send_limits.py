"""Limits on how many messages an account may send: its send rate and its warm-up."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from heliograph.core.accounts.sql import find_account
from heliograph.core.accounts.warm_up import allowance_on, sent_on
from heliograph.core.cluster.model import Lease
from heliograph.platform.database.pool import Database

UNLIMITED = 1_000_000


class SendRate:
    """A token bucket: how many messages an account may send now.

    It holds at most `burst` tokens and refills at `per_minute`; None means no limit.
    """

    def __init__(
        self, per_minute: int | None, *, burst: int = 5, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_minute = per_minute
        self._burst = burst
        self._now = now
        self._level = float(burst)
        self._filled_at = now()

    @property
    def is_limited(self) -> bool:
        return self._per_minute is not None

    def allowance(self) -> int:
        """Return how many messages may be started now."""
        if self._per_minute is None:
            return UNLIMITED
        self._fill(self._per_minute)
        return int(self._level)

    def take(self, count: int) -> None:
        if self._per_minute is not None:
            self._level -= count

    def pause(self) -> float:
        """Return the seconds until one more message may be started."""
        if self._per_minute is None or self._level >= 1:
            return 0.0
        return (1 - self._level) * 60 / self._per_minute

    def _fill(self, per_minute: int) -> None:
        now = self._now()
        self._level = min(self._burst, self._level + (now - self._filled_at) * per_minute / 60)
        self._filled_at = now


class DailyAllowance:
    """The number of messages that the warm-up still allows an account today.

    It queries the database only for an account in warm-up, and not again on a day whose allowance
    is used up.  `is_warming` is whether the account was in warm-up when its session was opened.
    """

    def __init__(self, database: Database, lease: Lease, *, is_warming: bool) -> None:
        self._database = database
        self._lease = lease
        self._is_warming = is_warming
        self._spent_until: datetime | None = None

    @property
    def is_limited(self) -> bool:
        return self._is_warming

    async def left(self, in_hand: int) -> int:
        """Return how many messages may be started, given that `in_hand` are started and not counted
        yet."""
        now = self._database.clock.now()
        if not self._is_warming:
            return UNLIMITED
        if self._spent_until is not None and now < self._spent_until:
            return 0
        self._spent_until = None
        account = await self._database.read(
            find_account, self._lease.tenant, self._lease.resource_id
        )
        today = now.astimezone(UTC).date()
        allowance = None if account is None else allowance_on(account, today)
        if account is None or allowance is None:
            return UNLIMITED
        sent = sent_on(account, today)
        if sent >= allowance:
            self._spent_until = datetime.combine(
                today + timedelta(days=1), datetime.min.time(), UTC
            )
        return max(0, allowance - sent - in_hand)

    def pause(self) -> float:
        """Return the seconds until it is worth asking again: 1, or the rest of the day if it is
        used up."""
        if self._spent_until is None:
            return 1.0
        return max(0.0, (self._spent_until - self._database.clock.now()).total_seconds())
