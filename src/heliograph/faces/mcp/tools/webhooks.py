"""Webhooks: which exist, what was posted, with which answer, and posting it again."""

from typing import Annotated
from uuid import UUID

from fastapi import Response
from pydantic import Field

from heliograph.core.events.log import parse_after
from heliograph.core.pages import MAX_CURSOR
from heliograph.faces.api.routers import events, subscriptions, webhooks
from heliograph.faces.api.schemas.event_log import EventPage
from heliograph.faces.api.schemas.subscriptions import ChangeSubscription, Events
from heliograph.faces.mcp.operations import PAGE, add_operation
from heliograph.faces.mcp.tool import (
    IDEMPOTENT_WRITE,
    READ_ONLY,
    WRITE,
    CallContext,
    ToolInput,
    ToolSet,
)

tools = ToolSet()

_RENAMED = {"subscription_id": "webhook_id"}
"""Everywhere but in the API's paths this is called the webhook's id."""


class PageOfEvents(ToolInput):
    after: str | None = Field(
        default=None,
        max_length=MAX_CURSOR,
        description="The next_cursor of the previous call, or `oldest`. Without it, only events "
        "from now on.",
    )
    types: Events | None = None
    chat_account_id: UUID | None = Field(default=None, description="Only of this account.")
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = PAGE
    wait: Annotated[
        int, Field(ge=0, le=30, description="Seconds to wait if there is nothing yet.")
    ] = 0


add_operation(
    tools,
    READ_ONLY,
    "List webhooks",
    subscriptions.list_webhook_subscriptions,
    "List the URLs to which events are posted, with the reason if one is disabled.",
    name="list_webhooks",
)
add_operation(
    tools,
    WRITE,
    "Make a webhook",
    subscriptions.create_webhook_subscription,
    "Register a URL to which events are posted from now on. This also requires the scope to read "
    "what the events show: messages:read, conversations:read or contacts:read, and `*` all "
    "three. The secret in the answer is shown here only once: put it into the receiver's "
    "configuration, not into its code. The resource heliograph://verify/python (javascript, go) "
    "shows how a receiver checks the signature.",
    name="create_webhook",
    events=(Events, ["*"]),
)
add_operation(
    tools,
    WRITE,
    "Try a webhook",
    subscriptions.ping_webhook_subscription,
    "Post a webhook.ping to one webhook, whatever it subscribes to. get_webhook_event then shows "
    "the endpoint's answer.",
    name="ping_webhook",
    renamed=_RENAMED,
)
add_operation(
    tools,
    IDEMPOTENT_WRITE,
    "Enable a webhook",
    subscriptions.update_webhook_subscription,
    "Enable a webhook that was disabled, by hand or after failing for days. Its pending deliveries "
    "are posted.",
    name="enable_webhook",
    renamed=_RENAMED,
    fixed={"body": ChangeSubscription(enabled=True)},
)


@tools.add(READ_ONLY, "Read events", "webhooks:read", output=EventPage)
async def list_events(call: CallContext, given: PageOfEvents) -> Response:
    """Read events, oldest first: incoming messages, the progress of yours, the states of
    devices. Continue with next_cursor. To wait for an answer, call this once, send the question,
    and call this again with that cursor and wait. It also requires the scope to read what the
    events show."""
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

    return await events.read_page(opened, given.limit, given.wait, is_over, call.authenticate)


add_operation(
    tools,
    READ_ONLY,
    "List deliveries",
    webhooks.list_org_webhook_events,
    "List deliveries of events to all webhooks of the organization, newest first.",
)
add_operation(
    tools,
    READ_ONLY,
    "Read a delivery",
    subscriptions.get_webhook_delivery,
    "Read one delivery, by its id in list_org_webhook_events or the one from ping_webhook: its "
    "payload, and each attempt with the endpoint's answer. It also requires the scope to read what "
    "the event shows, such as messages:read.",
    name="get_webhook_event",
)
add_operation(
    tools,
    WRITE,
    "Post a delivery again",
    subscriptions.redeliver_webhook_event,
    "Post the event of a delivery again, to the same webhook and with the same webhook-id, so that "
    "a receiver recognizes a duplicate. The answer is the new delivery. It also requires the scope "
    "to read what the event shows, such as messages:read.",
)
