"""What happens by the clock: start scheduled messages and fail those whose time is over, end
snoozes and restrictions, delete expired idempotency keys and contents that are not to be kept, and
finish removals of accounts that were cut short."""

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import product
from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.restrictions import end_restrictions
from heliograph.core.changes.service import Changes
from heliograph.core.cluster import counter_rounds_sql, due_sql
from heliograph.core.cluster.chores import Chore
from heliograph.core.events.redaction_sql import list_tenants_to_redact
from heliograph.core.idempotency import sql as idempotency_sql
from heliograph.core.inbox.snoozes import SnoozeEnder
from heliograph.core.messages.accepting.scheduled import start_scheduled
from heliograph.core.messages.edits.ending import expire_messages
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.serializers import RenewLink, keep_link
from heliograph.core.messages.statistics.sql import CountChanges, change_message_counts
from heliograph.core.removals.service import finish_removals
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import NIL
from heliograph.core.upkeep.events import redact_events
from heliograph.core.upkeep.rounds_sql import FOLDS, Fold, list_tenants_with_rounds
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.aio.periodic import (
    Attempt,
    Work,
    attempt_and_log,
    for_each,
    wait_until_set,
)
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pace import Pace
from heliograph.platform.database.pool import Connection, Database

LOOK_INTERVAL = 1.0
"""Seconds; sooner when a scheduled message is due before, so that it starts on time."""
SWEEP_INTERVAL = 60.0
COUNTERS_INTERVAL = 20.0
"""Seconds. While a counter stays in the same row, each update has to skip that row's earlier
versions."""
BATCH = 500
WATCHED = timedelta(seconds=60)
"""For this long, a client that follows the events can read their payloads."""


class Janitor:
    """Runs what is due by the clock. `networks` are asked to forget removed accounts. `also` are
    chores of other subjects, which have their turn in each sweep."""

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        changes: Changes,
        *,
        networks: NetworkRegistry | None = None,
        renew: RenewLink = keep_link,
        sweep_interval: float = SWEEP_INTERVAL,
        also: Sequence[tuple[Chore, Work]] = (),
        attempt: Attempt = attempt_and_log,
    ) -> None:
        self._attempt = attempt
        self._pause = LOOK_INTERVAL
        self._database = database
        self._notifications = notifications
        self._changes = changes
        self._snoozes = SnoozeEnder(database, changes)
        self._networks = networks or NetworkRegistry({})
        self._renew = renew
        self._sweep_interval = sweep_interval
        self._also = also

    async def run(self) -> None:
        look = asyncio.Event()
        unsubscribe = self._notifications.subscribe(topics.SCHEDULED, look.set)
        pace = Pace(self._database, LOOK_INTERVAL)
        sweep_at = time.monotonic() + self._sweep_interval
        count_at = time.monotonic() + COUNTERS_INTERVAL
        try:
            while True:
                await wait_until_set(look, self._pause)
                look.clear()
                self._pause = LOOK_INTERVAL
                await self._attempt(Chore.LOOK_FOR_WORK, partial(self._do_what_is_due, pace))
                if time.monotonic() >= sweep_at:
                    sweep_at = time.monotonic() + self._sweep_interval
                    await self._sweep()
                if time.monotonic() >= count_at:
                    count_at = time.monotonic() + COUNTERS_INTERVAL
                    await self._attempt(Chore.FOLD_COUNTERS, self.look_after_counters)
        finally:
            unsubscribe()

    async def _sweep(self) -> None:
        for chore, work in (
            (Chore.FORGET_KEYS, self.forget_expired_keys),
            (Chore.REDACT_EVENTS, self.redact_events),
            (Chore.FINISH_REMOVALS, self._finish_removals),
            *self._also,
        ):
            await self._attempt(chore, work)

    async def look_after_counters(self) -> None:
        """Begin a round of the counters while a snapshot lags behind; fold them when none does."""
        now = self._database.clock.now()
        if await self._database.read(counter_rounds_sql.find_lag) > counter_rounds_sql.LAGGING:
            await self._database.transact(counter_rounds_sql.begin_round, now)
            return
        await self._database.transact(counter_rounds_sql.end_rounds, now)
        if await self._database.read(counter_rounds_sql.find_round) is None:
            await for_each(
                product(await self._database.read(list_tenants_with_rounds), FOLDS), self._fold
            )

    async def _fold(self, rounds: tuple[Tenant, Fold]) -> None:
        tenant, fold = rounds
        while await self._database.transact(fold, tenant, BATCH) == BATCH:
            pass

    async def _do_what_is_due(self, pace: Pace) -> None:
        """Do what the clock says, and pause until there is more to do."""
        with pace.look():
            times = await self._database.read(due_sql.find_next_times)
        now = self._database.clock.now()
        for at, chore, work in (
            (times.expiry, Chore.EXPIRE_MESSAGES, self.expire_messages),
            (times.scheduled, Chore.START_SCHEDULED, self.start_scheduled),
            (times.snooze, Chore.END_SNOOZES, self.end_snoozes),
            (times.restriction, Chore.END_RESTRICTIONS, self._end_restrictions),
        ):
            if at is not None and at <= now:
                await self._attempt(chore, work)
        upcoming = [(at - now).total_seconds() for at in times if at is not None and at > now]
        self._pause = min([pace.rest, *upcoming])

    async def _finish_removals(self) -> None:
        await finish_removals(self._database, self._notifications, self._networks, self._renew)

    async def _end_restrictions(self) -> None:
        await end_restrictions(self._database, self._changes)

    async def start_scheduled(self) -> float:
        """Queue the scheduled messages whose time has come. Returns the seconds until the next."""
        pause = await self._until_next()
        if pause > 0:
            return pause
        now = self._database.clock.now()

        async def start_all(shard: int) -> None:
            while await self._start_in(shard) == BATCH:
                pass

        await for_each(await self._database.read(due_sql.list_scheduled_shards, now), start_all)
        pause = await self._until_next()
        return pause if pause > 0 else LOOK_INTERVAL  # another transaction has locked what is due

    async def _until_next(self) -> float:
        at = await self._database.read(due_sql.find_next_scheduled)
        if at is None:
            return LOOK_INTERVAL
        return (at - self._database.clock.now()).total_seconds()

    async def _start_in(self, shard: int) -> int:
        now = self._database.clock.now()

        async def work(connection: Connection) -> tuple[int, set[UUID]]:
            due, started = await start_scheduled(connection, shard, now, BATCH)
            moves = CountChanges()
            for message in started:
                moves.move(
                    message.tenant.organization_id,
                    message.account_id,
                    message.created_at,
                    message.direction,
                    MessageStatus.SCHEDULED,
                    message.status,
                )
            await change_message_counts(connection, shard, moves)
            return due, {message.account_id for message in started}

        due, account_ids = await self._database.transact(work)
        self._notifications.notify(*map(topics.messages_of, account_ids))
        return due

    async def expire_messages(self) -> None:
        """Fail the messages that could not be sent in time."""
        now = self._database.clock.now()

        async def expire_all(shard: int) -> None:
            taken = BATCH
            while taken == BATCH:
                taken, webhooks = await expire_messages(
                    self._database, shard, now, BATCH, self._renew
                )
                self._notifications.notify_owner(*map(topics.deliveries_of, webhooks))

        await for_each(await self._database.read(due_sql.list_expired_shards, now), expire_all)

    async def end_snoozes(self) -> float:
        """Reopen the conversations whose snooze is over. Returns the seconds until the next."""
        return min(LOOK_INTERVAL, await self._snoozes.end_due())

    async def forget_expired_keys(self) -> None:
        """Delete idempotency keys whose 24 hours are over, in small batches."""
        now = self._database.clock.now()

        async def delete_all(shard: int) -> None:
            values = (shard, now, BATCH)
            while await self._database.transact(idempotency_sql.delete_expired, *values) == BATCH:
                pass

        await for_each(await self._database.read(due_sql.list_expired_key_shards, now), delete_all)

    async def redact_events(self) -> None:
        """Delete what was said on accounts whose messages are not kept, once the last delivery has
        ended."""
        before = self._database.clock.now() - WATCHED

        async def redact(tenant: Tenant) -> None:
            after: UUID | None = NIL
            while after is not None:
                after = await self._database.transact(redact_events, tenant, before, after, BATCH)

        await for_each(await self._database.read(list_tenants_to_redact), redact)
