"""Replays: post a webhook's events of a time range again, page by page.

Each call is one transaction that checks a bounded number of rows and returns where to continue. So
its work is done when it answers, and nothing is left to a task that would end with this node.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, NamedTuple, TypedDict, TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace
from typing_extensions import Doc

from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events import sql as events_sql
from heliograph.core.events.model import Event, EventType, matches
from heliograph.core.events.service import may_read
from heliograph.core.pages import decode_cursor, encode_cursor
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks import deliveries_sql
from heliograph.core.webhooks.deliveries import replays_sql
from heliograph.core.webhooks.model import DeliveryStatus, Webhook
from heliograph.core.webhooks.subscriptions.again import check_enabled, insert_again
from heliograph.core.webhooks.subscriptions.options import passes
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.errors import InvalidInputError
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Database

REPLAY = Write(
    scope="webhooks:write", audits=(AuditAction.DELIVERIES_REDELIVERED,), is_repeatable=True
)

C = TypeVar("C", bound=msgspec.Struct)

STEP = 2000
"""How many events or deliveries one call checks."""
MAX_WAITING = 100_000
"""The most deliveries that may wait for a webhook before a replay adds more."""
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_ID_SLACK = timedelta(minutes=1)
"""By how much the order of ids may differ from that of `seq`, since transactions overlap."""


class ReplayRecord(TypedDict):
    """The result of one call."""

    queued: Annotated[int, Doc("The number of deliveries that this call created.")]
    next_cursor: Annotated[
        str | None, Doc("Send it as `cursor` to go on; null when the range is done.")
    ]


class _Position(msgspec.Struct, forbid_unknown_fields=True):
    """The position after the event or the delivery with this `seq`."""

    seq: int


class _Found(NamedTuple):
    events: Sequence[Event]
    next_cursor: str | None


class Replay(msgspec.Struct, frozen=True):
    """All events created from `since` to before `until` that the webhook takes; with a `status`,
    those that have a delivery to it, created in that time, with that status."""

    since: datetime
    until: datetime
    status: DeliveryStatus | None = None
    cursor: str | None = None


class ReplayService:
    def __init__(self, database: Database, changes: Changes, webhooks: WebhookService) -> None:
        self._database = database
        self._clock = database.clock
        self._changes = changes
        self._webhooks = webhooks

    async def replay(self, principal: Principal, webhook_id: UUID, wanted: Replay) -> ReplayRecord:
        """Create deliveries for the next `STEP` events or deliveries of the replay.

        Raises what `WebhookService.get` does, `WebhookDisabledError`, and `InvalidInputError` for
        an empty range, a cursor of another list, or a webhook with too many waiting deliveries.
        """
        REPLAY.require(principal)
        if wanted.since >= wanted.until:
            raise InvalidInputError.at(("since",), "The range begins after it ends.")
        wanted = replace(
            wanted,
            since=max(wanted.since, _EARLIEST),
            until=min(wanted.until, self._clock.now() + timedelta(days=1)),
        )
        webhook = await self._webhooks.get_to_change(principal, webhook_id)
        check_enabled(webhook)
        await self._check_waiting(webhook)
        find = self._find_events if wanted.status is None else self._find_deliveries
        found = await find(webhook, wanted)
        events = [event for event in found.events if _may_replay(principal, event)]
        found, ids = found._replace(events=events), [self._clock.new_id() for _ in events]
        return await self._changes.run(REPLAY, principal, _insert, webhook, wanted, found, ids)

    async def _check_waiting(self, webhook: Webhook) -> None:
        waiting = await self._database.read(
            deliveries_sql.count_waiting, webhook.tenant, webhook.id, at_most=MAX_WAITING
        )
        if waiting >= MAX_WAITING:
            raise InvalidInputError.at(
                ("webhook_id",),
                f"{waiting:,} deliveries wait for this webhook already; replay more when they have"
                " gone out.",
            )

    async def _find_events(self, webhook: Webhook, wanted: Replay) -> _Found:
        tenant = webhook.tenant
        span = await self._database.read(
            events_sql.find_event_span, tenant, wanted.since, wanted.until
        )
        after = None if wanted.cursor is None else _read(wanted.cursor, _Position).seq
        if span is None:
            return _Found([], None)
        page = await self._database.read(
            events_sql.list_events_of_span,
            tenant,
            wanted.since,
            wanted.until,
            after=span.first - 1 if after is None else after,
            last=span.last,
            limit=STEP,
        )
        events = [
            stored.event
            for stored in page
            if stored.event.type != EventType.WEBHOOK_PING
            and matches(webhook.events, stored.event.type)
            and passes(webhook.filter, stored.event)
        ]
        more = len(page) == STEP and page[-1].seq < span.last
        return _Found(events, encode_cursor(_Position(page[-1].seq)) if more else None)

    async def _find_deliveries(self, webhook: Webhook, wanted: Replay) -> _Found:
        after = None if wanted.cursor is None else _read(wanted.cursor, _Position).seq
        if after is None:
            first = await self._database.read(
                replays_sql.find_first_seq, webhook.tenant, first_id(wanted.since)
            )
            if first is None:
                return _Found([], None)
            after = first - 1
        found, more = await self._database.read(
            replays_sql.list_events_in_status,
            webhook.tenant,
            webhook.id,
            wanted.status or DeliveryStatus.FAILED,
            wanted.since,
            wanted.until,
            after=after,
            last_id=first_id(wanted.until + _ID_SLACK),
            scan=STEP,
        )
        ids = list(dict.fromkeys(found))
        events = await self._database.read(events_sql.list_kept_events, webhook.tenant, ids)
        return _Found(events, None if more is None else encode_cursor(_Position(more)))


async def _insert(
    change: Change, webhook: Webhook, wanted: Replay, found: _Found, ids: Sequence[UUID]
) -> ReplayRecord:
    made = await insert_again(change.connection, webhook, found.events, ids, change.now)
    if made:
        details = {"since": wanted.since, "until": wanted.until, "status": wanted.status}
        change.audit(AuditAction.DELIVERIES_REDELIVERED, webhook.id, **details)
    change.wake(topics.deliveries_of(webhook.id))
    return {"queued": made, "next_cursor": found.next_cursor}


def _may_replay(principal: Principal, event: Event) -> bool:
    """Whether the caller may read the event: a webhook may have deliveries from before its types or
    its filter were changed."""
    is_visible = event.account_id is None or principal.may_use(event.account_id)
    return is_visible and may_read(principal, event.type)


def _read(cursor: str, of: type[C]) -> C:
    try:
        return decode_cursor(cursor, of)
    except InvalidInputError as error:
        [problem] = error.problems
        raise InvalidInputError.at(("cursor",), problem.msg, input=cursor) from None
