"""Attempts: sign and post, judge what came of it, and write it down.

Outcomes that wait together share one transaction for each shard.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
import msgspec
import structlog

from heliograph.core.cluster.model import Lease
from heliograph.core.webhooks.headers import webhook_headers
from heliograph.core.webhooks.health import GONE, judge_health
from heliograph.core.webhooks.model import ClaimedDelivery, DeliveryStatus, HealthChange, Outcome
from heliograph.core.webhooks.queue_sql import record_outcomes
from heliograph.core.webhooks.retries import next_delay
from heliograph.core.webhooks.secrets import WebhookSecrets
from heliograph.core.webhooks.sql import record_health
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.outbound_http import GuardedClient, OutboundError

log = structlog.get_logger()


class PostResult(msgspec.Struct, frozen=True):
    """The result of one POST; `error` is None after a success."""

    duration_ms: float
    address: str | None
    error: str | None
    status: int | None = None
    body: str | None = None
    retry_after: float | None = None


class Attempts:
    """Makes attempts. `random` gives numbers in [0, 1) for the jitter."""

    def __init__(self, client: GuardedClient, clock: Clock, random: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock
        self._random = random

    async def attempt(
        self, lease: Lease, delivery: ClaimedDelivery, url: str, secrets: WebhookSecrets | None
    ) -> Outcome:
        """Post once. `secrets` is None when they can't be opened: then nothing is sent."""
        started_at = self._clock.now()
        if secrets is None:
            result = PostResult(0.0, None, "The webhook's secret can't be opened by this gateway.")
        else:
            result = await self._post(delivery, url, secrets, started_at)
        return self._judge(lease, delivery, url, started_at, result)

    async def _post(
        self, delivery: ClaimedDelivery, url: str, secrets: WebhookSecrets, now: datetime
    ) -> PostResult:
        headers = webhook_headers(secrets.signing(now), delivery.event_id, delivery.payload, now)
        try:
            exchange = await self._client.post(url, headers, delivery.payload)
        except OutboundError as error:
            return PostResult(error.duration_ms, error.address, str(error))
        except Exception:
            log.exception("attempt failed", delivery_id=str(delivery.id))
            return PostResult(0.0, None, "The gateway could not make this request.")
        return PostResult(
            duration_ms=exchange.duration_ms,
            address=exchange.address,
            error=describe_failure(exchange.status),
            status=exchange.status,
            body=exchange.body,
            retry_after=exchange.retry_after,
        )

    def _judge(
        self,
        lease: Lease,
        delivery: ClaimedDelivery,
        url: str,
        started_at: datetime,
        result: PostResult,
    ) -> Outcome:
        ended_at = self._clock.now()
        number = delivery.attempt_count + 1
        status, next_attempt_at = DeliveryStatus.DELIVERED, None
        if result.error is not None:
            delay = next_delay(number, random=self._random(), retry_after=result.retry_after)
            status = DeliveryStatus.FAILED if delay is None else DeliveryStatus.PENDING
            next_attempt_at = None if delay is None else ended_at + timedelta(seconds=delay)
        return Outcome(
            lease=lease,
            delivery_id=delivery.id,
            webhook_url=url,
            number=number,
            started_at=started_at,
            ended_at=ended_at,
            duration_ms=round(result.duration_ms),
            status=status,
            next_attempt_at=next_attempt_at,
            response_code=result.status,
            response_body=result.body,
            error_message=result.error,
            address=result.address,
        )


def describe_failure(status: int) -> str | None:
    """Say why a response with this status is a failure. None for success, which is 2xx alone."""
    if 200 <= status < 300:
        return None
    if status == GONE:
        return "The endpoint answered 410: it is gone."
    if 300 <= status < 400:
        return f"The endpoint answered {status}, a redirect; redirects are not followed."
    return f"The endpoint answered {status}."


# --- making outcomes durable ---------------------------------------------------------------------

RETRY_PAUSE = 1.0
TICK = 0.05
"""Seconds between the moments at which failures are written: nothing waits for them but retries,
which are seconds away, and together they cost one transaction instead of one each."""


class Recorded(msgspec.Struct, frozen=True):
    """Whether the outcome was written, and whether its webhook was disabled with it."""

    written: bool
    disabled: bool = False


NOT_RECORDED = Recorded(written=False)


class DeliveryRecords:
    """Writes outcomes, and what they mean for their webhooks, while the lease is held."""

    def __init__(self, database: Database, is_valid: Callable[[Lease], bool]) -> None:
        self._database = database
        self._is_valid = is_valid
        self._commits: GroupCommit[int, Outcome, Recorded] = GroupCommit(self._flush)

    async def record(self, outcome: Outcome) -> Recorded:
        """Return when the outcome is durable, or is not ours to write any more."""
        if outcome.status is not DeliveryStatus.DELIVERED:
            await asyncio.sleep(TICK - asyncio.get_running_loop().time() % TICK)
        while True:
            try:
                return await self._commits.submit(outcome.lease.tenant.shard, outcome)
            except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError):
                log.exception("outcome refused", delivery_id=str(outcome.delivery_id))
                return NOT_RECORDED
            except Exception:
                log.warning("outcomes could not be recorded; trying again", exc_info=True)
                await asyncio.sleep(RETRY_PAUSE)

    async def drain(self) -> None:
        await self._commits.drain()

    async def _flush(self, shard: int, outcomes: Sequence[Outcome]) -> list[Recorded | Exception]:
        database = self._database.within(None)
        if all(outcome.status is DeliveryStatus.DELIVERED for outcome in outcomes):
            # Nearly always one statement, which needs no transaction around it; a webhook that
            # has failed before is marked as working by a second, which may be lost with us.
            return await database.read(self._write, shard, outcomes)
        return await database.transact(self._write, shard, outcomes)

    async def _write(
        self, connection: Connection, shard: int, outcomes: Sequence[Outcome]
    ) -> list[Recorded | Exception]:
        # asked at each try: the database may have been away, and the lease have ended
        valid = [outcome for outcome in outcomes if self._is_valid(outcome.lease)]
        written = await record_outcomes(connection, shard, valid)
        changes = _list_changes(
            [outcome for outcome in valid if outcome.delivery_id in written], written
        )
        await record_health(connection, shard, changes)
        disabled = {change.lease.resource_id for change in changes if change.disabled_reason}
        return [
            Recorded(outcome.delivery_id in written, outcome.lease.resource_id in disabled)
            for outcome in outcomes
        ]


def _list_changes(
    outcomes: Sequence[Outcome], failing_since: Mapping[UUID, datetime | None]
) -> list[HealthChange]:
    by_webhook: defaultdict[UUID, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_webhook[outcome.lease.resource_id].append(outcome)
    changes = (judge_health(own, failing_since[own[0].delivery_id]) for own in by_webhook.values())
    return [change for change in changes if change is not None]
