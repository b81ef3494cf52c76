"""Work that is done at intervals, or sooner when somebody wakes it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

import structlog

from heliograph.errors import UnavailableError

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

Item = TypeVar("Item")
Work = Callable[[], Awaitable[object]]
Attempt = Callable[[str, Work], Awaitable[None]]
"""Runs a piece of work under its name, and deals with whatever it raises."""

log = structlog.get_logger()


async def attempt_and_log(chore: str, work: Work) -> None:
    """Run a chore, and log what it raises."""
    try:
        await work()
    except Exception:
        log.warning("a chore failed and is tried again", chore=chore, exc_info=True)


async def run_chore_every(seconds: float, chore: str, work: Work, attempt: Attempt) -> None:
    """Wait and attempt the chore, again and again until canceled."""
    while True:
        await asyncio.sleep(seconds)
        await attempt(chore, work)


async def for_each(items: Iterable[Item], work: Callable[[Item], Awaitable[object]]) -> None:
    """Do the work for each item, even after a failure. At the end, raise the failure or, if there
    were several, an `ExceptionGroup` of them."""
    failures: list[Exception] = []
    for item in items:
        try:
            await work(item)
        except Exception as error:
            failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise ExceptionGroup(f"{len(failures)} of these failed", failures)


async def run_every(seconds: float, step: Callable[[], Awaitable[object]], *, failure: str) -> None:
    """Wait and run `step`, again and again until canceled. Log what it raises as `failure`."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await step()
        except Exception:
            log.warning(failure, exc_info=True)


async def wait_until_set(event: asyncio.Event, seconds: float) -> bool:
    """Wait for `event`, at most this many seconds. Return whether it is set."""
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return event.is_set()


class PeriodicWriter(Generic[Key, Value]):
    """Keeps the newest value of each key, and every `interval` seconds writes them all together.

    What can't be written because the database is away is kept for the next time. `chore` is its
    name where a failure is reported.
    """

    def __init__(
        self,
        write: Callable[[Mapping[Key, Value]], Awaitable[None]],
        *,
        interval: float,
        chore: str,
    ) -> None:
        self._write = write
        self._interval = interval
        self._chore = chore
        self._values: dict[Key, Value] = {}

    def record(self, key: Key, value: Value) -> None:
        """Have the value written next time; costs no I/O."""
        self._values[key] = value

    async def run(self, attempt: Attempt = attempt_and_log) -> None:
        """Write again and again until canceled. What is recorded after that waits for `flush`."""
        await run_chore_every(self._interval, self._chore, self.flush, attempt)

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
