"""Webhooks: which there are, what was posted, with which answer, and posting it again."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

import msgspec
from pydantic import AwareDatetime, BaseModel, Field

from heliograph.core.events.log import parse_after
from heliograph.core.pages import MAX_CURSOR, encode_cursor
from heliograph.core.webhooks.deliveries.service import delivery_record
from heliograph.core.webhooks.model import Delivery, DeliveryAttempt, Webhook
from heliograph.faces.api.schemas.event_log import EventPage
from heliograph.faces.api.schemas.events import WebhookEvent, WebhookEventList
from heliograph.faces.api.schemas.fields import MAX_OFFSET
from heliograph.faces.mcp.tool import (
    IDEMPOTENT_WRITE,
    READ_ONLY,
    WRITE,
    CallContext,
    Input,
    Nothing,
    ToolSet,
)
from heliograph.faces.mcp.tools import contacts, conversations
from heliograph.faces.mcp.untrusted import MESSAGE_UNTRUSTED

tools = ToolSet()

_DATA_UNTRUSTED = tuple(
    dict.fromkeys(
        (
            *MESSAGE_UNTRUSTED,
            *(f"/{name}" for name in (*contacts.STRANGERS, *conversations.STRANGERS)),
            "/button/id",
            "/button/title",
            "/change/reason",
            "/changed_by",
            "/emoji",
            "/error",
            "/reason",
            "/restriction/reason",
        )
    )
)
"""The paths in the data of an event, of whatever type."""


class WebhookRecord(BaseModel):
    """A URL to which events are posted."""

    id: UUID
    url: str
    description: str
    events: list[str] = Field(description="Event types and patterns such as `message.*` or `*`.")
    enabled: bool
    disabled_reason: str | None = None
    disabled_at: AwareDatetime | None = None
    failing_since: AwareDatetime | None = Field(
        default=None, description="The first failure after the last success."
    )
    created_at: AwareDatetime
    updated_at: AwareDatetime


class WebhookList(BaseModel):
    webhooks: list[WebhookRecord]


class NewWebhook(BaseModel):
    """The webhook, and its secret, which later only the dashboard shows."""

    webhook: WebhookRecord
    secret: str = Field(description="Signs every request. Store it where the receiver finds it.")


class Attempt(BaseModel):
    """One POST and its answer."""

    number: int
    started_at: AwareDatetime
    duration_ms: int
    response_code: int | None = None
    response_body: str | None = Field(default=None, description="The first 1 KiB of the answer.")
    error_message: str | None = None
    address: str | None = Field(default=None, description="The IP address of the connection.")


class DeliveryWithAttempts(WebhookEvent):
    """A delivery and its attempts, in order."""

    event_id: UUID = Field(description="The `webhook-id` of the requests.")
    next_attempt_at: AwareDatetime | None = None
    attempts: list[Attempt]


class DeliveryWithBody(DeliveryWithAttempts):
    """A delivery, its attempts and its body."""

    body: dict[str, Any] | None = Field(
        description="The request's body; null when it is no longer kept."
    )


class OnePing(BaseModel):
    delivery_id: UUID = Field(description="For get_webhook_event.")


class CreateWebhookCall(Input):
    url: str = Field(max_length=2048, description="Where to post: an http or https URL.")
    events: list[str] = Field(
        default=["*"],
        min_length=1,
        max_length=50,
        description="Event types, or the patterns `message.*`, `device.*`, `*`.",
    )
    description: str = Field(default="", max_length=200)


class OneWebhook(Input):
    webhook_id: UUID


class OneDelivery(Input):
    delivery_id: UUID = Field(description="An `id` of list_org_webhook_events.")


class PageOfEvents(Input):
    after: str | None = Field(
        default=None,
        max_length=MAX_CURSOR,
        description="The next_cursor of the previous call, or `oldest`. Without it, only events "
        "from now on.",
    )
    types: list[str] | None = Field(
        default=None,
        min_length=1,
        max_length=50,
        description="Event types, or the patterns `message.*`, `device.*`.",
    )
    chat_account_id: UUID | None = Field(default=None, description="Only of this account.")
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 20
    wait: Annotated[
        int, Field(ge=0, le=30, description="Seconds to wait if there is nothing yet.")
    ] = 0


class PageOfDeliveries(Input):
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 20
    offset: Annotated[int, Field(ge=0, le=MAX_OFFSET, description="Number of entries to skip.")] = 0


@tools.add(READ_ONLY, "List webhooks", "webhooks:read", output=WebhookList)
async def list_webhooks(call: CallContext, given: Nothing) -> object:
    """List the URLs to which events are posted, with the reason if one is disabled."""
    found = await call.services.webhooks.list(call.principal)
    return {"webhooks": [_record(webhook) for webhook in found]}


@tools.add(WRITE, "Make a webhook", "webhooks:write", output=NewWebhook)
async def create_webhook(call: CallContext, given: CreateWebhookCall) -> object:
    """Register a URL to which events are posted from now on. This also takes the scope to read what
    the events show: messages:read, conversations:read or contacts:read, and `*` all three. The
    secret in the answer is shown here only once: put it into the receiver's configuration, not into
    its code. The resource heliograph://verify/python (javascript, go) shows how a receiver checks
    the signature."""
    created = await call.services.webhooks.create(
        call.principal, given.url, given.events, description=given.description
    )
    return {"webhook": _record(created.webhook), "secret": created.secret}


@tools.add(WRITE, "Try a webhook", "webhooks:write", output=OnePing)
async def ping_webhook(call: CallContext, given: OneWebhook) -> object:
    """Post a webhook.ping to one webhook, whatever it subscribes to. get_webhook_event then shows
    the endpoint's answer."""
    return {"delivery_id": await call.services.webhooks.ping(call.principal, given.webhook_id)}


@tools.add(IDEMPOTENT_WRITE, "Enable a webhook", "webhooks:write", output=WebhookRecord)
async def enable_webhook(call: CallContext, given: OneWebhook) -> object:
    """Enable a webhook that was disabled, by hand or after failing for days. Its pending deliveries
    are posted."""
    return _record(await call.services.webhooks.enable(call.principal, given.webhook_id))


@tools.add(
    READ_ONLY,
    "Read events",
    "webhooks:read",
    output=EventPage,
    untrusted=tuple(f"/events/*/data{path}" for path in _DATA_UNTRUSTED),
)
async def list_events(call: CallContext, given: PageOfEvents) -> object:
    """Read events, oldest first: incoming messages, the progress of yours, the states of devices.
    Continue with next_cursor. To wait for an answer, call this once, send the question, and call
    this again with that cursor and wait. It also takes the scope to read what the events show."""
    opened = call.services.event_log.open(
        call.principal,
        parse_after(given.after),
        types=given.types,
        account_id=given.chat_account_id,
        waits=given.wait > 0,
    )

    async def is_over() -> bool:
        await call.authenticate()
        return False

    async with opened as reader:
        events = await reader.read_or_wait(given.limit, given.wait, is_over)
        if given.wait:
            await call.authenticate()  # it may have been revoked, or have expired, meanwhile
        shown = [{"id": event.id} | msgspec.json.decode(event.payload) for event in events]
        return {"events": shown, "next_cursor": encode_cursor(reader.position)}


@tools.add(
    READ_ONLY,
    "List deliveries",
    "webhooks:read",
    output=WebhookEventList,
    untrusted=("/events/*/error_message",),
)
async def list_org_webhook_events(call: CallContext, given: PageOfDeliveries) -> object:
    """List deliveries of events to all webhooks of the organization, newest first."""
    events, total = await call.services.deliveries.list_events(
        call.principal, given.limit, given.offset
    )
    return {"events": events, "total": total}


@tools.add(
    READ_ONLY,
    "Read a delivery",
    "webhooks:read",
    output=DeliveryWithBody,
    untrusted=(
        "/error_message",
        "/attempts/*/response_body",
        "/attempts/*/error_message",
        *(f"/body/data{path}" for path in _DATA_UNTRUSTED),
    ),
)
async def get_webhook_event(call: CallContext, given: OneDelivery) -> object:
    """Read one delivery: its body, and each attempt with the endpoint's answer. It also takes the
    scope to read what the event shows, such as messages:read."""
    report = await call.services.deliveries.get(call.principal, given.delivery_id)
    body = await call.services.deliveries.find_body(call.principal, report.delivery)
    shown = None if body is None else msgspec.json.decode(body)
    return delivery_with_attempts(report.delivery, report.attempts) | {"body": shown}


@tools.add(
    WRITE,
    "Post a delivery again",
    "webhooks:write",
    output=WebhookEvent,
    untrusted=("/error_message",),
)
async def redeliver_webhook_event(call: CallContext, given: OneDelivery) -> object:
    """Post the event of a delivery again, to the same webhook and with the same webhook-id, so that
    a receiver recognizes a duplicate. The answer is the new delivery. It also takes the scope to
    read what the event shows, such as messages:read."""
    return delivery_record(
        await call.services.deliveries.redeliver(call.principal, given.delivery_id)
    )


def _record(webhook: Webhook) -> dict[str, object]:
    return {name: getattr(webhook, name) for name in WebhookRecord.model_fields}


def delivery_with_attempts(
    delivery: Delivery, attempts: Sequence[DeliveryAttempt]
) -> dict[str, object]:
    """Return a delivery as tools show it."""
    return delivery_record(delivery) | {
        "event_id": delivery.event_id,
        "next_attempt_at": delivery.next_attempt_at,
        "attempts": [
            {name: getattr(attempt, name) for name in Attempt.model_fields} for attempt in attempts
        ],
    }
