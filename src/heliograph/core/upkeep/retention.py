"""Deleting what is too old, for all tenants, at night, by one node at a time.

It works in small batches, with a long rest after each, so that it takes little from others. No
batch waits for the disk: what a crash takes back, the next clean-up deletes.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar
from uuid import UUID

import structlog

from heliograph.core.cluster.chores import Chore, Chores, describe_failure
from heliograph.core.cluster.sql import claim_chore, extend_chore, finish_chore
from heliograph.core.jobs.retention_sql import delete_jobs
from heliograph.core.media.service import MediaService
from heliograph.core.messages.accepting.quotas_sql import delete_quotas
from heliograph.core.messages.retention_sql import delete_inbound_keys, delete_messages
from heliograph.core.messages.search.sql import delete_orphans
from heliograph.core.messages.statistics.folds_sql import fold_account_counts, fold_counts
from heliograph.core.organizations.removal_sql import delete_organization, list_removed
from heliograph.core.organizations.sql import list_retention
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import NIL, Batch
from heliograph.core.upkeep import erasure_sql
from heliograph.core.upkeep.events import delete_events
from heliograph.core.webhooks.deliveries.retention_sql import delete_deliveries
from heliograph.errors import ConfigurationError
from heliograph.platform.aio.periodic import run_every
from heliograph.platform.database.pool import Connection, Database
from heliograph.settings import RetentionSettings

log = structlog.get_logger()

LOOK_INTERVAL = 60.0
BATCH = 100
REST = 19.0
"""Seconds to rest for each second of work."""
MAX_REST = 15.0
"""Seconds: the chore has to be extended in time, rest or not."""
HURRIED_REST = 3.0
HURRY_AFTER = 6 * 3600.0
"""Seconds after which a clean-up hurries: one that takes a day would never come to an end."""
EXTEND_INTERVAL = 15.0
STEP_TIMEOUT = 30.0
"""Seconds that one step waits for the database before the next organization has its turn: shorter
than a chore is held."""
INBOUND_KEY_DAYS = 30
COUNTED_DAYS = 31
"""Days whose counts are asked for day by day; those before are one sum."""
QUOTA_DAYS = 62
CHORE = "retention"
LATE = timedelta(minutes=5)
"""After so long, no request is under way that began before its organization was removed."""

_P = ParamSpec("_P")
_T = TypeVar("_T")
Delete = Callable[[Connection, Tenant, UUID, datetime, int], Awaitable[Batch]]


class CleanUpProgress(NamedTuple):
    """How far a clean-up has come: organizations done, of all."""

    done: int
    total: int


class _Step(NamedTuple):
    kind: str
    delete: Delete
    before: datetime


class LostChoreError(Exception):
    """Another node does the clean-up now."""


class CleanUpFailedError(ConfigurationError):
    """The clean-up is done but for some organizations."""

    def __init__(self, failures: Mapping[Tenant, Exception], total: int) -> None:
        tenant, first = next(iter(failures.items()))
        super().__init__(
            f"The clean-up failed for {len(failures):,} of {total:,} organizations, such as "
            f"{tenant.organization_id}: {describe_failure(first).rstrip('.')}.",
            remedy="The others are cleaned up. Fix the cause and run `heliograph clean-up`, or "
            "wait for the next night.",
        )


class RetentionService:
    """`node_id` returns this process's present id."""

    def __init__(
        self,
        database: Database,
        settings: RetentionSettings,
        node_id: Callable[[], UUID],
        media: MediaService,
        chores: Chores | None = None,
    ) -> None:
        self._media = media
        self._chores = chores or Chores(database, node_id)
        self._database = database
        self._patient = database.within(STEP_TIMEOUT)
        self._settings = settings
        self._node_id = node_id
        self._extend_at = 0.0
        self._hurry_at = 0.0

    async def run(self) -> None:
        """Clean up when that is due, until canceled; looks once a minute."""
        failure = "the clean-up failed"
        await run_every(LOOK_INTERVAL, self._clean_up_when_due, failure=failure)

    async def _clean_up_when_due(self) -> None:
        deleted = await self.clean_up_when_due()
        if deleted is not None:
            log.info("cleaned up", **deleted)

    async def clean_up_when_due(self) -> Counter[str] | None:
        """Clean up unless it was done since the day's hour, or another process does it.

        Returns how many rows of each kind were deleted.
        """
        return await self._clean_up(last_due(self._database.clock.now(), self._settings.hour))

    async def clean_up_now(
        self, progress: Callable[[CleanUpProgress], None] = lambda _: None
    ) -> Counter[str]:
        """Clean up, whatever the time. Raises `ConfigurationError` when another process does it."""
        deleted = await self._clean_up(self._database.clock.now(), progress)
        if deleted is None:
            raise ConfigurationError(
                "Another process is cleaning up.", remedy="Wait until it is done."
            )
        return deleted

    async def _clean_up(
        self, due_at: datetime, progress: Callable[[CleanUpProgress], None] = lambda _: None
    ) -> Counter[str] | None:
        node_id = self._node_id()
        if not await self._database.transact(claim_chore, CHORE, node_id, due_at):
            return None
        deleted: Counter[str] = Counter()
        await self._chores.watch(Chore.CLEAN_UP, partial(self._clean_up_all, deleted, progress))
        return deleted

    async def _clean_up_all(
        self, deleted: Counter[str], progress: Callable[[CleanUpProgress], None]
    ) -> None:
        """Clean up, one organization after the other. Raises `CleanUpFailedError` at the end."""
        self._extend_at = time.monotonic() + EXTEND_INTERVAL
        self._hurry_at = time.monotonic() + HURRY_AFTER
        failures: dict[Tenant, Exception] = {}
        late = self._database.clock.now() - LATE
        kept = await self._patient.read(list_retention)
        removed = await self._patient.read(list_removed, late)
        total = len(kept) + len(removed)
        works = [
            *((tenant, partial(self._clean_up_of, tenant, days, deleted)) for tenant, days in kept),
            *((tenant, partial(self._erase, tenant, deleted)) for tenant in removed),
        ]
        try:
            for done, (tenant, work) in enumerate(works):
                progress(CleanUpProgress(done, total))
                await self._apart(tenant, work, failures)
        except LostChoreError:
            log.warning("another node goes on with the clean-up")
            return
        progress(CleanUpProgress(total, total))
        await self._patient.transact(finish_chore, CHORE, self._node_id())
        if failures:
            raise CleanUpFailedError(failures, total) from next(iter(failures.values()))

    async def _apart(
        self,
        tenant: Tenant,
        work: Callable[[], Awaitable[None]],
        failures: dict[Tenant, Exception],
    ) -> None:
        """Do the work of one organization, so that its failure stops no other."""
        try:
            await work()
        except LostChoreError:
            raise
        except Exception as error:
            log.warning(
                "the clean-up failed for an organization and goes on with the next",
                organization=str(tenant.organization_id),
                error=describe_failure(error),
            )
            failures[tenant] = error
            await self._extend()  # unless it is the database that is away

    async def _clean_up_of(
        self, tenant: Tenant, message_days: int | None, deleted: Counter[str]
    ) -> None:
        now = self._database.clock.now()
        for step in self._steps(now, message_days):
            deleted[step.kind] += await self._sweep(tenant, step)
        today = now.astimezone(UTC).date()
        await self._patient.transact(delete_quotas, tenant, today - timedelta(days=QUOTA_DAYS))
        counted_from = today - timedelta(days=COUNTED_DAYS)
        for fold in (fold_counts, fold_account_counts):
            while await self._work(fold, tenant, counted_from, BATCH) == BATCH:
                pass
        if message_days is not None:
            # this row's commit waits for the disk, and so for all earlier deletions: no message
            # comes back without its files
            await self._extend()
            deleted["files"] += await self._media.delete_files(
                tenant, today - timedelta(days=message_days)
            )
        deleted["uploads"] += await self._delete_expired_uploads(tenant)

    async def _delete_expired_uploads(self, tenant: Tenant) -> int:
        count = 0
        while expired := await self._media.delete_expired(tenant):
            count += expired
        return count

    async def _erase(self, tenant: Tenant, deleted: Counter[str]) -> None:
        """Delete all that is left of an organization that was removed, itself last."""
        if await self._patient.read(erasure_sql.has_accounts, tenant):
            return  # the janitor is not done with its devices
        for table in erasure_sql.TABLES:
            while await self._work(erasure_sql.delete_some, tenant, table, BATCH) == BATCH:
                pass
        deleted["files"] += await self._media.delete_all(tenant)
        await self._patient.transact(delete_organization, tenant)
        deleted["organizations"] += 1

    def _steps(self, now: datetime, message_days: int | None) -> Iterator[_Step]:
        settings = self._settings
        if message_days is not None:
            before = now - timedelta(days=message_days)
            yield _Step("messages", delete_messages, before)
            yield _Step("words", delete_orphans, before)
        for kind, delete, days in (
            ("deliveries", delete_deliveries, settings.delivery_days),
            ("events", delete_events, settings.event_days),
            ("jobs", delete_jobs, settings.job_days),
            ("inbound_keys", delete_inbound_keys, INBOUND_KEY_DAYS),
        ):
            yield _Step(kind, delete, now - timedelta(days=days))

    async def _sweep(self, tenant: Tenant, step: _Step) -> int:
        total, after = 0, NIL
        while True:
            batch = await self._work(step.delete, tenant, after, step.before, BATCH)
            total, after = total + batch.deleted, batch.last
            if batch.looked_at < BATCH:
                return total

    async def _work(
        self,
        work: Callable[Concatenate[Connection, _P], Awaitable[_T]],
        *args: _P.args,
        **options: _P.kwargs,
    ) -> _T:
        """Run one batch, and rest after it. Raises `LostChoreError`."""
        began = time.monotonic()
        result = await self._patient.unflushed().transact(work, *args, **options)
        ended = time.monotonic()
        rest = (ended - began) * (REST if ended < self._hurry_at else HURRIED_REST)
        await asyncio.sleep(min(rest, MAX_REST))
        if time.monotonic() >= self._extend_at:
            await self._extend()
        return result

    async def _extend(self) -> None:
        """Extend the chore, to remain the one that cleans up. Raises `LostChoreError`."""
        node_id = self._node_id()
        if not await self._patient.transact(extend_chore, CHORE, node_id):
            raise LostChoreError
        self._extend_at = time.monotonic() + EXTEND_INTERVAL


def last_due(now: datetime, hour: int) -> datetime:
    """Return the last moment before `now` at which a day's clean-up was due."""
    due = now.astimezone(UTC).replace(hour=hour, minute=0, second=0, microsecond=0)
    return due if due <= now else due - timedelta(days=1)
