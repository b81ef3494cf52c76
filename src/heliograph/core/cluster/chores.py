"""Chores: recurring background tasks of nodes, and the record of their failures.

Examples are the clean-up, queuing scheduled messages and counting. Nobody waits for the outcome, so
a failure is logged, counted and recorded in a row until the chore succeeds again; `/readyz`,
`heliograph doctor`, the metrics and the dashboard show it.
"""

import time
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from uuid import UUID

import structlog

from heliograph.core.cluster import chores_sql
from heliograph.core.cluster.chores_sql import FailingChore
from heliograph.errors import ConfigurationError
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.aio.periodic import Work, attempt_and_log
from heliograph.platform.database.pool import Database
from heliograph.platform.telemetry import metrics

log = structlog.get_logger()

RECORD_TIMEOUT = 1.0
"""Seconds that recording a failure may delay a chore: an unavailable database is reported
elsewhere."""
RETRY_INTERVAL = 10.0
"""Seconds until recording is tried again: loops must not stall while the database is
unavailable."""
RECORD_INTERVAL = 60.0
"""Seconds after which a lasting failure is recorded again, and successes check again for failures
recorded by nodes that are gone. One statement serves all chores, so that idle nodes query
little."""
TTL = 2.0
_MAX_PROBLEM_LENGTH = 300  # characters of a failure


class Chore(StrEnum):
    """The chores, by the names under which their failures are reported."""

    CLEAN_UP = "clean-up"
    LOOK_FOR_WORK = "due work"
    EXPIRE_MESSAGES = "expired messages"
    START_SCHEDULED = "scheduled messages"
    END_SNOOZES = "snoozes"
    END_RESTRICTIONS = "restrictions"
    FORGET_KEYS = "idempotency keys"
    REDACT_EVENTS = "contents not to be kept"
    FINISH_REMOVALS = "removed devices"
    FINISH_LABELS = "changed labels"
    FOLD_COUNTERS = "counters"
    SWEEP_UPLOADS = "unfinished uploads"
    READ_WORDS = "search words"
    RECORD_KEY_USE = "last use of keys"
    RECORD_HEALTH_CHECKS = "health checks"
    LOOK_FOR_DUE_MESSAGES = "due messages"
    LOOK_FOR_CHANGED_ACCOUNTS = "changed accounts"
    LOOK_FOR_DUE_DELIVERIES = "due deliveries"
    CANCEL_DELIVERIES = "deliveries of disabled webhooks"
    KEEP_LEASES = "leases"


_BY_ONE_NODE = frozenset({Chore.CLEAN_UP})
"""Chores that one node does for all: the success of any node clears all their failures."""


class Chores:
    """Runs chores and records their failures. `node_id` returns this process's id."""

    def __init__(self, database: Database, node_id: Callable[[], UUID]) -> None:
        self._database = database.within(RECORD_TIMEOUT)
        self._clock = database.clock
        self._node_id = node_id
        self._failed: set[str] = set()
        self._quiet_until: dict[str, float] = {}
        self._retry_at: dict[str, float] = {}
        self._cache = CachedValue(self._list, ttl=TTL, timeout=RECORD_TIMEOUT)
        self._recorded = CachedValue(self._list, ttl=RECORD_INTERVAL, timeout=RECORD_TIMEOUT)

    async def attempt(self, chore: str, work: Work) -> None:
        """Run a chore. Its exceptions are logged and recorded."""
        await attempt_and_log(chore, partial(self.watch, chore, work))

    async def watch(self, chore: str, work: Work) -> None:
        """Run a chore, and record whether it succeeds. Raises what the chore raises."""
        try:
            await work()
        except Exception as error:
            await self._record_failure(chore, error)
            raise
        await self._record_success(chore)

    async def _record_failure(self, chore: str, error: Exception) -> None:
        """Record that a chore failed, at most once in `RECORD_INTERVAL` seconds."""
        metrics.CHORE_FAILURES.labels(chore).inc()
        if chore in self._failed and self._is_quiet(chore):
            return
        values = (chore, self._node_id(), self._clock.now(), describe_failure(error))
        if await self._write(chores_sql.record_failure, *values):
            self._failed.add(chore)
            self._be_quiet(chore)

    async def _record_success(self, chore: str) -> None:
        """Clear the recorded failure of a chore."""
        if chore not in self._failed and (
            self._is_quiet(chore) or not await self._is_recorded(chore)
        ):
            return
        if chore in _BY_ONE_NODE:
            done = await self._write(chores_sql.forget_failure_of_all, chore)
        else:
            done = await self._write(chores_sql.forget_failure, chore, self._node_id())
        if done:
            self._failed.discard(chore)
            self._be_quiet(chore)

    async def _is_recorded(self, chore: str) -> bool:
        """Return whether a failure of the chore is recorded; False while the database is
        unavailable."""
        if self._waits(chore):
            return False
        try:
            return any(each.chore == chore for each in await self._recorded.get())
        except Exception as error:
            self._wait(chore, error)
            return False

    async def list_failing(self) -> list[FailingChore]:
        """List the chores that fail at present, on any node. Raises `UnavailableError`."""
        return await self._cache.get()

    async def _list(self) -> list[FailingChore]:
        return await self._database.read(chores_sql.list_failing)

    async def _write(self, statement: Callable[..., object], *values: object) -> bool:
        chore = str(values[0])
        if self._waits(chore):
            return False
        try:
            await self._database.transact(statement, *values)  # type: ignore[arg-type]  # any of them
        except Exception as error:
            self._wait(chore, error)
            return False
        return True

    def _waits(self, chore: str) -> bool:
        return time.monotonic() < self._retry_at.get(chore, 0.0)

    def _wait(self, chore: str, error: Exception) -> None:
        log.warning("the state of a chore is not recorded", chore=chore, error=repr(error))
        self._retry_at[chore] = time.monotonic() + RETRY_INTERVAL

    def _is_quiet(self, chore: str) -> bool:
        return time.monotonic() < self._quiet_until.get(chore, 0.0)

    def _be_quiet(self, chore: str) -> None:
        self._quiet_until[chore] = time.monotonic() + RECORD_INTERVAL


def describe_failure(error: BaseException) -> str:
    """Describe a failure in one line: the first of several, or the cause of an error meant for
    clients."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ConfigurationError):
        return error.problem[:_MAX_PROBLEM_LENGTH]
    cause = error.__cause__ or error
    text = " ".join(str(cause).split())
    return f"{type(cause).__name__}: {text}"[:_MAX_PROBLEM_LENGTH] if text else type(cause).__name__
