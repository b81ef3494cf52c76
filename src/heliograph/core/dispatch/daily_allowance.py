"""What the warm-up leaves an account for today."""

from datetime import UTC, datetime, timedelta

from heliograph.core.accounts.sql import find_account
from heliograph.core.accounts.warm_up import allowance_on, sent_on
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.send_rate import UNLIMITED
from heliograph.platform.database.pool import Database


class DailyAllowance:
    """Asks the database when there is a warm-up, and not again on a day that is spent.

    `is_warming` is the account's, as it was when its session was opened.
    """

    def __init__(self, database: Database, lease: Lease, *, is_warming: bool) -> None:
        self._database = database
        self._lease = lease
        self._is_warming = is_warming
        self._spent_until: datetime | None = None

    async def left(self, in_hand: int) -> int:
        """How many messages may be begun, when so many are begun and not counted yet."""
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
        """Seconds until it is worth asking again; what is begun ends before that, or the day."""
        if self._spent_until is None:
            return 1.0
        return max(0.0, (self._spent_until - self._database.clock.now()).total_seconds())
