"""How many messages an account may send now: `send_rate` a minute, without bursts beyond it."""

import time
from collections.abc import Callable

UNLIMITED = 1_000_000


class SendRate:
    """A bucket that holds at most `burst` messages and fills at `per_minute`. None is no limit."""

    def __init__(
        self,
        per_minute: int | None,
        *,
        burst: int = 5,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_minute = per_minute
        self._burst = burst
        self._now = now
        self._level = float(burst)
        self._filled_at = now()

    def allowance(self) -> int:
        """How many messages may be begun at once."""
        if self._per_minute is None:
            return UNLIMITED
        self._fill(self._per_minute)
        return int(self._level)

    def take(self, count: int) -> None:
        if self._per_minute is not None:
            self._level -= count

    def pause(self) -> float:
        """Seconds until one more message may be begun."""
        if self._per_minute is None or self._level >= 1:
            return 0.0
        return (1 - self._level) * 60 / self._per_minute

    def _fill(self, per_minute: int) -> None:
        now = self._now()
        self._level = min(self._burst, self._level + (now - self._filled_at) * per_minute / 60)
        self._filled_at = now
