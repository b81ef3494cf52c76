"""Deliveries: listing them with their outcomes, and redelivery.

A list shows only that an event was posted. The payload, the endpoint's answer (which may repeat it)
and a redelivery also require the scope to read the event's contents, such as `messages:read`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events import sql as events_sql
from heliograph.core.events.model import Event, EventSpan, EventType, StoredEvent, matches
from heliograph.core.events.service import EventFeed, may_read, require_events
from heliograph.core.records import make_record
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import refuse_others
from heliograph.core.webhooks import deliveries_sql
from heliograph.core.webhooks.deliveries.subjects import Subject, read_subjects
from heliograph.core.webhooks.deliveries.visibility import (
    count_visible,
    find_visible,
    require_visible,
)
from heliograph.core.webhooks.model import (
    Delivery,
    DeliveryAttempt,
    DeliveryCount,
    DeliveryFilter,
    DeliveryStatus,
    Webhook,
)
from heliograph.core.webhooks.subscriptions.again import check_enabled, insert_again
from heliograph.core.webhooks.subscriptions.options import passes
from heliograph.core.webhooks.subscriptions.service import WebhookService, check_events
from heliograph.errors import (
    DeliveryNotFoundError,
    InvalidInputError,
    NotFoundError,
    TooManyRequestsError,
)
from heliograph.platform.database.pool import Connection, Database
from heliograph.untrusted import UntrustedText

_SCOPE = "webhooks:write"
REDELIVER = Write(scope=_SCOPE, audits=(AuditAction.DELIVERY_REDELIVERED,), is_repeatable=True)
REDELIVER_RANGE = Write(scope=_SCOPE, audits=(AuditAction.DELIVERIES_REDELIVERED,))

PAGE = 500
MAX_OFFSET = 2**63 - 1
SEARCHED = 10_000
"""How many deliveries one search checks."""
AGAIN_IN = 10
"""Seconds after which a range may be requested again that was refused because another was in
progress."""


class DeliveryRecord(TypedDict):
    """One delivery of one event to one webhook."""

    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_type: str
    status: DeliveryStatus
    retry_count: int
    created_at: datetime
    response_code: int | None
    error_message: UntrustedText | None
    delivered_at: datetime | None


def delivery_record(delivery: Delivery) -> DeliveryRecord:
    return make_record(DeliveryRecord, delivery)


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """A delivery and all its attempts, in order."""

    delivery: Delivery
    attempts: Sequence[DeliveryAttempt]


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """Deliveries, newest first; `more` is the `before` of the next page, or None."""

    deliveries: Sequence[Delivery]
    more: int | None


@dataclass(frozen=True, slots=True)
class RedeliveryProgress:
    """The progress of a redelivery: events checked, events in the range, and events posted
    again."""

    seen: int
    total: int
    redelivered: int


class DeliveryService:
    def __init__(self, database: Database, changes: Changes, webhooks: WebhookService) -> None:
        self._database = database
        self._clock = database.clock
        self._changes = changes
        self._webhooks = webhooks
        self._sending_again: set[UUID] = set()

    async def list_events(
        self, principal: Principal, limit: int, offset: int
    ) -> tuple[list[DeliveryRecord], int]:
        """List delivery events of all webhooks, newest first, and count all that can be listed."""
        principal.require("webhooks:read")
        tenant, offset = principal.tenant, min(offset, MAX_OFFSET)

        async def work(connection: Connection) -> tuple[list[Delivery], DeliveryCount]:
            visible = await find_visible(connection, principal)
            found = await deliveries_sql.list_deliveries(
                connection, tenant, limit=limit, offset=offset, visible=visible
            )
            return found, await count_visible(connection, tenant, visible)

        found, counted = await self._database.read(work)
        total = _total(counted.kept, len(found), limit, offset)
        return [delivery_record(delivery) for delivery in found], total

    async def count(self, principal: Principal) -> DeliveryCount:
        """Count the deliveries that were ever created, and those that can still be listed."""
        principal.require("webhooks:read")

        async def work(connection: Connection) -> DeliveryCount:
            visible = await find_visible(connection, principal)
            return await count_visible(connection, principal.tenant, visible)

        return await self._database.read(work)

    async def list(
        self,
        principal: Principal,
        *,
        webhook_id: UUID | None = None,
        statuses: Sequence[DeliveryStatus] | None = None,
        limit: int = 50,
    ) -> list[Delivery]:
        """List deliveries, newest first; None means any webhook, any status."""
        principal.require("webhooks:read")

        async def work(connection: Connection) -> list[Delivery]:
            return await deliveries_sql.list_deliveries(
                connection,
                principal.tenant,
                limit=limit,
                webhook_id=webhook_id,
                statuses=statuses,
                visible=await find_visible(connection, principal),
            )

        return await self._database.read(work)

    async def search(
        self,
        principal: Principal,
        wanted: DeliveryFilter,
        *,
        before: int | None = None,
        limit: int = 50,
    ) -> DeliveryPage:
        """Search for deliveries, newest first, before the `seq` `before`.

        A search checks at most `SEARCHED` of them: a page may hold fewer than `limit`, even none,
        and still have `more`.
        """
        principal.require("webhooks:read")
        tenant = principal.tenant
        start = MAX_OFFSET if before is None else min(before, MAX_OFFSET)

        async def work(connection: Connection) -> DeliveryPage:
            begin = start
            if wanted.until is not None:
                last = await deliveries_sql.find_seq_at(connection, tenant, wanted.until)
                begin = min(start, (last or 0) + 1)
            found = await deliveries_sql.search_deliveries(
                connection,
                tenant,
                wanted,
                before=begin,
                scan=SEARCHED,
                limit=limit + 1,
                visible=await find_visible(connection, principal),
            )
            if len(found) > limit:
                return DeliveryPage(found[:limit], found[limit - 1].seq)
            end = await deliveries_sql.find_search_end(
                connection, tenant, before=begin, scan=SEARCHED, since=wanted.since
            )
            return DeliveryPage(found, end)

        return await self._database.read(work)

    async def find_body(self, principal: Principal, delivery: Delivery) -> bytes | None:
        """Find the JSON body as it is posted, or None if it is no longer kept."""
        principal.require("webhooks:read")
        require_events(principal, [delivery.event_type])
        event = await self._database.read(
            events_sql.find_event, principal.tenant, delivery.event_id
        )
        return event.payload or None if event is not None else None

    async def list_subjects(
        self, principal: Principal, deliveries: Sequence[Delivery]
    ) -> dict[UUID, Subject]:
        """Return the subjects of the events of these deliveries, by event id, as far as the caller
        may read them and they are kept."""
        principal.require("webhooks:read")
        ids = {each.event_id for each in deliveries if may_read(principal, each.event_type)}
        return read_subjects(
            await self._database.read(events_sql.list_kept_events, principal.tenant, list(ids))
        )

    async def get(self, principal: Principal, delivery_id: UUID) -> DeliveryReport:
        """Get a delivery and its attempts. Raises `DeliveryNotFoundError`, and
        `OtherOrganizationError` for another organization's."""
        principal.require("webhooks:read")
        tenant = principal.tenant

        async def work(connection: Connection) -> DeliveryReport:
            delivery = await deliveries_sql.find_delivery(connection, tenant, delivery_id)
            if delivery is None:
                # before its first attempt it is only in the queue
                await refuse_others(connection, tenant, "delivery_queue", delivery_id)
                await refuse_others(connection, tenant, "deliveries", delivery_id)
                raise DeliveryNotFoundError(delivery_id)
            await require_visible(connection, principal, delivery)
            require_events(principal, [delivery.event_type])
            attempts = await deliveries_sql.list_attempts(connection, delivery)
            return DeliveryReport(delivery, attempts)

        return await self._database.read(work)

    def follow(self, principal: Principal, types: Sequence[str] = ("*",)) -> EventFeed:
        """Follow the organization's events from now on; `types` may hold patterns."""
        principal.require("webhooks:read")
        principal.require_all_accounts()
        chosen = check_events(types)
        require_events(principal, chosen)
        return EventFeed(self._database, principal.tenant, chosen)

    async def redeliver(self, principal: Principal, delivery_id: UUID) -> Delivery:
        """Post the event of a delivery again, with the same `webhook-id`, and return the new
        delivery.

        It is queued like a new event: if the webhook takes batches, it is posted in one. Raises
        `NotFoundError` and `WebhookDisabledError`.
        """
        REDELIVER.require(principal)
        old = (await self.get(principal, delivery_id)).delivery
        webhook = await self._webhooks.get_to_change(principal, old.webhook_id)
        check_enabled(webhook)
        event = await self._database.read(events_sql.find_event, old.tenant, old.event_id)
        if event is None:
            raise NotFoundError("The event of this delivery is no longer kept.")
        new_id = self._clock.new_id()
        return await self._changes.run(
            REDELIVER, principal, _insert_one, webhook, event, old, new_id
        )

    async def redeliver_range(
        self,
        principal: Principal,
        webhook_id: UUID,
        since: datetime,
        until: datetime,
        *,
        types: Sequence[str] | None = None,
        progress: Callable[[RedeliveryProgress], None] = lambda _: None,
        at_most: int | None = None,
    ) -> int:
        """Post all events created from `since` to before `until` to this webhook. Returns how many.

        That includes events that it never received, from before its creation or while it was
        disabled. `types` may hold patterns; None means those that the webhook takes. Pings are
        excluded. Raises `NotFoundError`, `WebhookDisabledError`, and `InvalidInputError` if the
        events of the range (of any type) and the deliveries that already wait for this webhook
        exceed `at_most` together. Raises `TooManyRequestsError` while another range of the
        organization is in progress on this node.
        """
        REDELIVER_RANGE.require(principal)
        if since >= until:
            raise InvalidInputError.at(("since",), "The range begins after it ends.")
        with self._alone(principal):
            webhook = await self._webhooks.get_to_change(principal, webhook_id)
            chosen = webhook.events if types is None else check_events(types)
            require_events(principal, chosen)
            check_enabled(webhook)
            span = await self._database.read(
                events_sql.find_event_span, principal.tenant, since, until
            )
            if span is None:
                return 0
            if at_most is not None:
                await self._check_length(webhook, span, at_most)
            return await self._redeliver_span(
                principal, webhook, span, since, until, chosen, progress
            )

    async def _check_length(self, webhook: Webhook, span: EventSpan, at_most: int) -> None:
        waiting = await self._database.read(
            deliveries_sql.count_waiting, webhook.tenant, webhook.id, at_most=at_most
        )
        if span.count > at_most:
            raise InvalidInputError.at(
                ("until",),
                f"There are {span.count:,} events in this range, and {at_most:,} can be sent again"
                " at once. Choose a shorter range.",
            )
        if span.count + waiting > at_most:
            raise InvalidInputError.at(
                ("until",),
                f"There are {span.count:,} events in this range, and {waiting:,} deliveries wait"
                f" for this webhook already; {at_most:,} can. Choose a shorter range, or wait.",
            )

    @contextmanager
    def _alone(self, principal: Principal) -> Iterator[None]:
        """Allow an organization only one range at a time.

        Each range is many transactions: unlimited ranges would leave others no connection to the
        database.
        """
        if principal.organization_id in self._sending_again:
            raise TooManyRequestsError(
                "Another range is being sent again. Wait until that is done.", retry_after=AGAIN_IN
            )
        self._sending_again.add(principal.organization_id)
        try:
            yield
        finally:
            self._sending_again.discard(principal.organization_id)

    async def _redeliver_span(
        self,
        principal: Principal,
        webhook: Webhook,
        span: EventSpan,
        since: datetime,
        until: datetime,
        types: tuple[str, ...],
        progress: Callable[[RedeliveryProgress], None],
    ) -> int:
        seen, redelivered, after = 0, 0, span.first - 1
        while page := await self._list_page(webhook.tenant, span, since, until, after):
            events = [
                stored.event
                for stored in page
                if stored.event.type != EventType.WEBHOOK_PING
                and matches(types, stored.event.type)
                and passes(webhook.filter, stored.event)
            ]
            if events:
                ids = [self._clock.new_id() for _ in events]
                told = {} if redelivered else {"since": since, "until": until, "events": types}
                redelivered += await self._changes.run(
                    REDELIVER_RANGE, principal, _insert, webhook, events, ids, told
                )
            seen, after = seen + len(page), page[-1].seq
            progress(RedeliveryProgress(seen, max(span.count, seen), redelivered))
        return redelivered

    async def _list_page(
        self, tenant: Tenant, span: EventSpan, since: datetime, until: datetime, after: int
    ) -> Sequence[StoredEvent]:
        return await self._database.read(
            events_sql.list_events_of_span,
            tenant,
            since,
            until,
            after=after,
            last=span.last,
            limit=PAGE,
        )


async def _insert_one(
    change: Change, webhook: Webhook, event: Event, old: Delivery, new_id: UUID
) -> Delivery:
    connection, tenant = change.connection, change.tenant
    if not await insert_again(connection, webhook, [event], [new_id], change.now):
        raise NotFoundError("What this delivery's event says is no longer kept.")
    details = {"webhook_id": webhook.id, "event_type": event.type}
    change.audit(AuditAction.DELIVERY_REDELIVERED, old.id, **details)
    change.wake(topics.deliveries_of(webhook.id))
    made = await deliveries_sql.find_delivery(connection, tenant, new_id)
    if made is None:
        raise DeliveryNotFoundError(new_id)
    return made


async def _insert(
    change: Change,
    webhook: Webhook,
    events: Sequence[Event],
    delivery_ids: Sequence[UUID],
    told: Mapping[str, object],
) -> int:
    """Insert a page of a range; `told` is what the audit log gets of the first, once."""
    made = await insert_again(change.connection, webhook, events, delivery_ids, change.now)
    if made and told:
        change.audit(AuditAction.DELIVERIES_REDELIVERED, webhook.id, **told)
    change.wake(topics.deliveries_of(webhook.id))
    return made


def _total(counted: int, found: int, limit: int, offset: int) -> int:
    """Return how many can be listed.

    The last page corrects the count, so that a client that reads pages until it has that many
    always ends, whatever was added or deleted between two pages.
    """
    if found == limit:
        return max(counted, offset + found)
    return offset + found if found else min(counted, offset)
