"""Messages: send one, read one, count them."""

from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Response

from heliograph import errors
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.model import new_run_id
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import WITH_BODY, error_responses
from heliograph.faces.api.routes import FastPost, FastRead, api_router
from heliograph.faces.api.schemas.messages import (
    Message,
    MessageStatistics,
    SendButtons,
    SendResult,
)
from heliograph.faces.api.schemas.sending import SendMessageInput

sending = api_router("messages", "Messages", FastPost)
reading = api_router("messages", "Messages", FastRead)
router = api_router("messages", "Messages")

Reader = Annotated[Principal, requires("messages:read")]
Writer = Annotated[Principal, requires("messages:write")]


@sending.post(
    "/send/interactive/buttons",
    response_model=SendResult,
    responses=error_responses(
        *WITH_BODY,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.NoChatAccountError,
        errors.NotSupportedByNetworkError,
        errors.PlanLimitReachedError,
    ),
)
async def send_button_message(
    body: SendButtons, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Store a message with interactive quick-reply buttons and send it as soon as possible.

    The answer comes once the message is on disk; it does not wait for the chat network. While
    its account is disconnected, the message waits.
    """
    run_id = new_run_id()
    structlog.contextvars.bind_contextvars(run_id=run_id)
    response = await services.messages.send(
        principal,
        SendMessage(
            SendTo(body.phone_number),
            content=body.content(),
            account_id=body.chat_account_id,
            run_id=run_id,
            as_text=True,
        ),
        once.key(body),
    )
    return respond_stored(response)


@sending.post(
    "",
    response_model=SendResult,
    responses=error_responses(
        *WITH_BODY,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.ConversationNotFoundError,
        errors.ContactNotFoundError,
        errors.MediaNotFoundError,
        errors.NoChatAccountError,
        errors.NotSupportedByNetworkError,
        errors.PlanLimitReachedError,
        errors.StorageUnavailableError,
    ),
)
async def send_message(
    body: SendMessageInput, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Store a message of any kind and send it as soon as possible, or at its scheduled time.

    The answer comes once the message is on disk; it does not wait for the chat network. While its
    account is disconnected, the message waits. Messages to one recipient go out in the order in
    which they were accepted.
    """
    run_id = new_run_id()
    structlog.contextvars.bind_contextvars(run_id=run_id)
    response = await services.messages.send(
        principal,
        SendMessage(
            body.to,
            content=body.content.to_content(),
            run_id=run_id,
            account_id=body.chat_account_id,
            reply_to_message_id=body.reply_to_message_id,
            scheduled_for=body.scheduled_for,
            expires_at=body.expires_at,
            as_text=body.fallback == "text",
            metadata=body.metadata,
            file=body.content.file,
            wants_preview=body.content.wants_preview,
        ),
        once.key(body),
    )
    return respond_stored(response)


@router.get("/stats/summary", response_model=MessageStatistics, responses=error_responses())
async def get_message_stats(principal: Reader, services: ServicesDependency) -> Response:
    """Count the organization's messages by state and direction, including deleted ones."""
    return respond(await services.statistics.summary(principal))


@reading.get(
    "/{message_id}",
    response_model=Message,
    responses=error_responses(errors.OtherOrganizationError, errors.MessageNotFoundError),
)
async def get_message(
    message_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Read a message with its timeline."""
    return respond(await services.messages.get(principal, message_id))
