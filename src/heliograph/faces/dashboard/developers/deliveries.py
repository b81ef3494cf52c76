"""Deliveries: what was posted to webhooks, with which result, and posting it again.

A short range is posted again before the page is answered. For a longer one the page is sent in
pieces, one for each step: a browser shows the progress without a script, from any node.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from markupsafe import Markup
from msgspec.structs import replace
from starlette.responses import Response, StreamingResponse

from heliograph.core.events.model import EventType
from heliograph.core.webhooks.deliveries.replays import Replay, ReplayRecord
from heliograph.core.webhooks.deliveries.service import SEARCHED, RedeliveryProgress
from heliograph.core.webhooks.model import Delivery, DeliveryFilter, DeliveryStatus, Webhook
from heliograph.errors import GatewayError, NotFoundError
from heliograph.faces.dashboard.pages.forms import (
    parse,
    parse_query,
    read_day,
    read_days,
    read_moment,
)
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

_HERE = "developers/deliveries"
_ONE = f"{_HERE}/{{delivery_id:uuid}}"
_WATCHED = timedelta(minutes=2)
COUNT_TIMEOUT = 1.0
"""Seconds within which a range is short."""

MAX_AT_ONCE = 100_000
"""How many events a range may hold to be sent again while somebody waits for the page."""

_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
"""Before all deliveries: those that failed are sent again however old they are."""

_STEPS = Markup("<!-- steps -->")

_STEP = Markup(
    '<p class="step"><progress max="{total}" value="{seen}" aria-label="Sent again"></progress> '
    "{seen:,} of {total:,} events checked, {redelivered:,} being sent again</p>\n"
)

_QUEUED = Markup('<p class="step">{queued:,} events are being sent again so far</p>\n')

_END = Markup('<p class="notice good" role="status">{count:,} events are being sent again.</p>\n')

_BROKEN = Markup(
    '<p class="problem" role="alert">This was interrupted: {why} Events already sent again stay '
    "sent; if you repeat this, they are sent again, under the same <code>webhook-id</code>.</p>\n"
)


@pages.get(_HERE, scope="webhooks:read")
async def show_deliveries(visit: Visit) -> Response:
    """Show fifty deliveries; `before` is the number of the previous page's last one."""
    wanted = _filter(visit)
    before = visit.number("before")
    found = await visit.services.deliveries.search(visit.principal, wanted, before=before)
    now = datetime.now(UTC)
    return visit.render(
        "developers/deliveries.html",
        deliveries=found.deliveries,
        subjects=await visit.services.deliveries.list_subjects(visit.principal, found.deliveries),
        wanted=wanted,
        days=(visit.query("since"), visit.query("until")),
        is_first=before is None,
        older=None if found.more is None else _address(wanted, before=found.more),
        newest=_address(wanted),
        webhooks=await visit.services.webhooks.list(visit.principal),
        types=[event_type.value for event_type in EventType],
        statuses=[status.value for status in DeliveryStatus],
        searched=SEARCHED,
        count=await visit.services.deliveries.count(visit.principal),
        sent=visit.number("sent"),
        since=_minute(now - timedelta(hours=1)),
        until=_minute(now + timedelta(minutes=1)),
    )


@pages.post(f"{_HERE}/again", scope="webhooks:write")
async def send_range_again(visit: Visit) -> Response:
    return await redeliver_range(
        visit,
        parse(UUID, visit.text("webhook"), "webhook", "Choose a webhook."),
        read_moment(visit, "since", "From"),
        read_moment(visit, "until", "To"),
    )


@pages.post(f"{_HERE}/failed", scope="webhooks:write")
async def send_failed_again(visit: Visit) -> Response:
    """Post again what a webhook has failed to take on the chosen days, up to this moment."""
    webhook_id = parse(UUID, visit.text("webhook"), "webhook", "Choose a webhook.")
    since = read_day(visit.text("since"), "since") or _EARLIEST
    now = datetime.now(UTC)
    until = min(now, read_day(visit.text("until"), "until", timedelta(days=1)) or now)
    wanted = Replay(since, until, DeliveryStatus.FAILED)
    first = await visit.services.replays.replay(visit.principal, webhook_id, wanted)
    if first["next_cursor"] is None:
        return visit.go_to(f"{_HERE}?webhook={webhook_id}&sent={first['queued']}")
    head, tail = _progress_page(visit, webhook_id)
    return StreamingResponse(
        _replay_on(visit, webhook_id, wanted, first, head, tail), media_type="text/html"
    )


@pages.get(_ONE, scope="webhooks:read")
async def show_delivery(visit: Visit) -> Response:
    service = visit.services.deliveries
    report = await service.get(visit.principal, visit.id("delivery_id"))
    delivery = report.delivery
    body = await service.find_body(visit.principal, delivery)
    subjects = await service.list_subjects(visit.principal, [delivery])
    return visit.render(
        "developers/delivery.html",
        delivery=delivery,
        subject=subjects.get(delivery.event_id),
        attempts=report.attempts,
        body=None if body is None else msgspec.json.format(body, indent=2).decode(),
        webhook=await _find_webhook(visit, delivery),
        is_watched=_is_watched(delivery),
    )


@pages.post(f"{_ONE}/again", scope="webhooks:write")
async def send_again(visit: Visit) -> Response:
    """Post a delivery's event again, and show the new delivery."""
    new = await visit.services.deliveries.redeliver(visit.principal, visit.id("delivery_id"))
    return visit.go_to(f"{_HERE}/{new.id}")


def _filter(visit: Visit) -> DeliveryFilter:
    """Return what the query asks for; an empty value is any. Raises `InvalidInputError`."""
    since, until = read_days(visit.query("since"), visit.query("until"))
    return DeliveryFilter(
        event_type=parse_query(visit, EventType, "type", "There is no such event type."),
        status=parse_query(visit, DeliveryStatus, "status", "There is no such status."),
        webhook_id=parse_query(visit, UUID, "webhook", "There is no such webhook."),
        since=since,
        until=until,
    )


def _address(wanted: DeliveryFilter, **more: int) -> str:
    """Return the query of a page of these deliveries."""
    last_day = None if wanted.until is None else wanted.until - timedelta(days=1)
    named = {
        "webhook": wanted.webhook_id,
        "type": wanted.event_type,
        "status": wanted.status,
        "since": _day(wanted.since),
        "until": _day(last_day),
    }
    values = {name: value for name, value in {**named, **more}.items() if value is not None}
    return f"?{urlencode(values)}"


def _day(at: datetime | None) -> str | None:
    return None if at is None else at.date().isoformat()


def _minute(at: datetime) -> str:
    """Format a time for a browser's `datetime-local` field."""
    return at.strftime("%Y-%m-%dT%H:%M")


def _is_watched(delivery: Delivery) -> bool:
    """Return whether something is about to happen, so that the page refreshes by itself."""
    is_first_try = delivery.status is DeliveryStatus.PENDING
    is_new = datetime.now(UTC) - delivery.created_at < _WATCHED
    return is_first_try and delivery.attempt_count == 0 and is_new


async def _find_webhook(visit: Visit, delivery: Delivery) -> Webhook | None:
    """Return the delivery's webhook; None when it has been deleted."""
    try:
        return await visit.services.webhooks.get(visit.principal, delivery.webhook_id)
    except NotFoundError:
        return None


async def redeliver_range(
    visit: Visit, webhook_id: UUID, since: datetime, until: datetime
) -> Response:
    """Post the events of a time range again; show the list, or a page that grows meanwhile.

    Raises what `DeliveryService.redeliver_range` raises.
    """
    steps: asyncio.Queue[RedeliveryProgress | None] = asyncio.Queue()
    work = asyncio.create_task(
        visit.services.deliveries.redeliver_range(
            visit.principal,
            webhook_id,
            since,
            until,
            progress=steps.put_nowait,
            at_most=MAX_AT_ONCE,
        )
    )
    work.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        done, _ = await asyncio.wait({work}, timeout=COUNT_TIMEOUT)
    except asyncio.CancelledError:
        work.cancel()
        raise
    if done:
        return visit.go_to(f"{_HERE}?webhook={webhook_id}&sent={work.result()}")
    head, tail = _progress_page(visit, webhook_id)
    return StreamingResponse(_pieces(head, tail, steps, work), media_type="text/html")


def _progress_page(visit: Visit, webhook_id: UUID) -> tuple[str, str]:
    """Return what is sent before the steps of the work, and what after them."""
    page = visit.render("developers/redelivery_progress.html", steps=_STEPS, webhook_id=webhook_id)
    head, _, tail = bytes(page.body).decode().partition(_STEPS)
    return head, tail


async def _replay_on(
    visit: Visit, webhook_id: UUID, wanted: Replay, done: ReplayRecord, head: str, tail: str
) -> AsyncIterator[str]:
    yield head
    queued = done["queued"]
    try:
        while (cursor := done["next_cursor"]) is not None:
            yield _QUEUED.format(queued=queued)
            done = await visit.services.replays.replay(
                visit.principal, webhook_id, replace(wanted, cursor=cursor)
            )
            queued += done["queued"]
        yield _END.format(count=queued)
    except GatewayError as error:
        yield _BROKEN.format(why=str(error))
    yield tail


async def _pieces(
    head: str, tail: str, steps: asyncio.Queue[RedeliveryProgress | None], work: asyncio.Task[int]
) -> AsyncIterator[str]:
    try:
        yield head
        while (step := await steps.get()) is not None:
            yield _STEP.format(total=step.total, seen=step.seen, redelivered=step.redelivered)
        error = work.exception()
        yield _END.format(count=work.result()) if error is None else _BROKEN.format(why=str(error))
        yield tail
    finally:
        work.cancel()  # the reader has left
