"""Deliveries: what was posted to webhooks, what came of it, and posting it again."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from starlette.responses import Response

from heliograph.core.events.model import EventType
from heliograph.core.webhooks.deliveries import SEARCHED
from heliograph.core.webhooks.model import Delivery, DeliveryFilter, DeliveryStatus, Webhook
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.dashboard import redelivery
from heliograph.faces.dashboard.forms import find_text, read_moment
from heliograph.faces.dashboard.pages import Pages, Visit

pages = Pages()

_HERE = "developers/deliveries"
_ONE = f"{_HERE}/{{delivery_id:uuid}}"
_WATCHED = timedelta(minutes=2)


@pages.get(_HERE, scope="webhooks:read")
async def show_deliveries(visit: Visit) -> Response:
    """Fifty deliveries; `before` is the last one's number of the page before."""
    wanted = _filter(visit)
    before = _number(visit, "before")
    found = await visit.services.deliveries.search(visit.principal, wanted, before=before)
    now = datetime.now(UTC)
    return visit.render(
        "developers/deliveries.html",
        visit=visit,
        deliveries=found.deliveries,
        wanted=wanted,
        is_first=before is None,
        older=None if found.more is None else _address(wanted, before=found.more),
        newest=_address(wanted),
        webhooks=await visit.services.webhooks.list(visit.principal),
        types=[each.value for each in EventType],
        statuses=[deliverystatu.value for deliverystatu in DeliveryStatus],
        searched=SEARCHED,
        count=await visit.services.deliveries.count(visit.principal),
        sent=_number(visit, "sent"),
        since=_minute(now - timedelta(hours=1)),
        until=_minute(now + timedelta(minutes=1)),
    )


@pages.post(f"{_HERE}/again", scope="webhooks:write")
async def send_range_again(visit: Visit) -> Response:
    return await redelivery.send_again(
        visit,
        _uuid(find_text(visit, "webhook"), "Choose a webhook."),
        read_moment(visit, "since", "From"),
        read_moment(visit, "until", "To"),
    )


@pages.get(_ONE, scope="webhooks:read")
async def show_delivery(visit: Visit) -> Response:
    service = visit.services.deliveries
    report = await service.get(visit.principal, visit.id("delivery_id"))
    delivery = report.delivery
    body = await service.find_body(visit.principal, delivery)
    return visit.render(
        "developers/delivery.html",
        visit=visit,
        delivery=delivery,
        attempts=report.attempts,
        body=None if body is None else _readable(body),
        webhook=await _find_webhook(visit, delivery),
        is_watched=_is_watched(delivery),
    )


@pages.post(f"{_ONE}/again", scope="webhooks:write")
async def send_again(visit: Visit) -> Response:
    """To the page of the new delivery, which says what comes of it."""
    new = await visit.services.deliveries.redeliver(visit.principal, visit.id("delivery_id"))
    return visit.go_to(f"{_HERE}/{new.id}")


def _filter(visit: Visit) -> DeliveryFilter:
    """What the address asks for; an empty value is any. Raises `InvalidInputError`."""
    query = visit.request.query_params
    webhook, status = query.get("webhook"), query.get("status")
    event_type = query.get("type") or None
    if event_type is not None and event_type not in tuple(EventType):
        raise InvalidInputError.at(("type",), "There is no such event type.")
    if status and status not in tuple(DeliveryStatus):
        raise InvalidInputError.at(("status",), "There is no such status.")
    return DeliveryFilter(
        webhook_id=_uuid(webhook, "There is no such webhook.") if webhook else None,
        event_type=event_type,
        status=DeliveryStatus(status) if status else None,
    )


def _uuid(given: str, message: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise InvalidInputError.at(("webhook",), message) from None


def _number(visit: Visit, name: str) -> int | None:
    given = visit.request.query_params.get(name, "")
    is_number = given.isascii() and given.isdecimal() and len(given) < 19
    return int(given) if is_number else None


def _address(wanted: DeliveryFilter, **more: int) -> str:
    """The query of a page of these deliveries."""
    named = {"webhook": wanted.webhook_id, "type": wanted.event_type, "status": wanted.status}
    values = {name: value for name, value in {**named, **more}.items() if value is not None}
    return f"?{urlencode(values)}"


def _minute(at: datetime) -> str:
    """As the browser's field for a time takes it."""
    return at.strftime("%Y-%m-%dT%H:%M")


def _readable(body: bytes) -> str:
    return msgspec.json.format(body, indent=2).decode()


def _is_watched(delivery: Delivery) -> bool:
    """Whether something is about to happen: the page then looks again by itself."""
    is_first_try = delivery.status in (DeliveryStatus.PENDING, DeliveryStatus.DELIVERING)
    is_new = datetime.now(UTC) - delivery.created_at < _WATCHED
    return is_first_try and delivery.attempt_count == 0 and is_new


async def _find_webhook(visit: Visit, delivery: Delivery) -> Webhook | None:
    """None when it has been deleted."""
    try:
        return await visit.services.webhooks.get(visit.principal, delivery.webhook_id)
    except NotFoundError:
        return None
