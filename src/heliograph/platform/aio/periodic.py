"""What is done every so often: by the clock, or sooner when somebody wakes it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

import structlog

from heliograph.errors import UnavailableError

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

log = structlog.get_logger()


async def run_every(seconds: float, step: Callable[[], Awaitable[object]], *, failure: str) -> None:
    """Wait, run `step`, and so on until cancelled. Log as `failure` what it raises, and go on."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await step()
        except Exception:
            log.warning(failure, exc_info=True)


async def wait_until_set(event: asyncio.Event, seconds: float) -> bool:
    """Wait for `event`, so many seconds at most; return whether it is set."""
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return event.is_set()


class PeriodicWriter(Generic[Key, Value]):
    """Keeps the newest value of each key, and every `interval` seconds writes them all together.

    What can't be written because the database is away is kept for the next time. `failure` is what
    is logged then, and when `write` fails in any other way.
    """

    def __init__(
        self,
        write: Callable[[Mapping[Key, Value]], Awaitable[None]],
        *,
        interval: float,
        failure: str,
    ) -> None:
        self._write = write
        self._interval = interval
        self._failure = failure
        self._values: dict[Key, Value] = {}

    def record(self, key: Key, value: Value) -> None:
        """Have the value written next time; costs no I/O."""
        self._values[key] = value

    async def run(self) -> None:
        """Write again and again until cancelled. What is recorded after that waits for `flush`."""
        await run_every(self._interval, self.flush, failure=self._failure)

    async def flush(self) -> None:
        """Write now. Raises what `write` raises."""
        values, self._values = self._values, {}
        if not values:
            return
        try:
            await self._write(values)
        except UnavailableError:
            self._values = values | self._values
            raise
