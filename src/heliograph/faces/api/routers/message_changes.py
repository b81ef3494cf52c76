"""Messages that were accepted: cancel one, edit it, take it back, react to it."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Response

from heliograph import errors
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import Errors, error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.messages import Message
from heliograph.faces.api.schemas.sending import ChangeResult, EditMessageInput, ReactionInput

router = api_router("messages", "Messages")

_CHANGE: Errors = (
    errors.OtherOrganizationError,
    errors.ChatAccountNotFoundError,
    errors.MessageNotFoundError,
    errors.NotSupportedByNetworkError,
    errors.NotSentError,
    errors.MessageDeletedError,
    errors.TooOldError,
)
Writer = Annotated[Principal, requires("messages:write")]


@router.post(
    "/{message_id}/cancel",
    response_model=Message,
    responses=error_responses(
        errors.OtherOrganizationError,
        errors.MessageNotFoundError,
        errors.AlreadySentError,
        errors.IdempotencyConflictError,
    ),
)
async def cancel_message(
    message_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Cancel a message that has certainly not been sent, and return it. A message that is already
    canceled is returned the same way. One that may be on the phone, because the network did not
    answer an attempt to send it, can't be canceled, only deleted.
    """
    return await once(200, partial(services.cancellations.cancel, principal, message_id))


@router.patch(
    "/{message_id}",
    status_code=202,
    response_model=ChangeResult,
    responses=error_responses(errors.UnsupportedMediaTypeError, *_CHANGE),
)
async def edit_message(
    message_id: UUID, body: EditMessageInput, principal: Writer, services: ServicesDependency
) -> Response:
    """Change the content of a message. A waiting message is changed at once. One that was sent, or
    may have been, is edited on the network, after earlier changes; then `message.edited` follows,
    or `message.failed` with `change` if that failed."""
    content = body.content.to_content()
    return respond(await services.message_edits.edit(principal, message_id, content), 202)


@router.delete(
    "/{message_id}",
    status_code=202,
    response_model=ChangeResult,
    responses=error_responses(errors.AlreadySentError, *_CHANGE),
)
async def delete_message(
    message_id: UUID, principal: Writer, services: ServicesDependency
) -> Response:
    """Delete a message for everyone. A waiting message is canceled, unless an attempt may have sent
    it. Otherwise `message.deleted` follows once the network has deleted it, or `message.failed`
    with `change` if that failed. A repeat while the deletion waits gets the same `change_id`.
    """
    return respond(await services.message_edits.delete(principal, message_id), 202)


@router.put(
    "/{message_id}/reaction",
    status_code=202,
    response_model=ChangeResult,
    responses=error_responses(errors.UnsupportedMediaTypeError, *_CHANGE),
)
async def set_message_reaction(
    message_id: UUID, body: ReactionInput, principal: Writer, services: ServicesDependency
) -> Response:
    """React to a message in the account's name; the reaction replaces an earlier one.
    `message.reaction` follows once the network has accepted it, or `message.failed` with `change`
    if it did not.
    """
    return respond(await services.message_edits.react(principal, message_id, body.emoji), 202)


@router.delete(
    "/{message_id}/reaction",
    status_code=202,
    response_model=ChangeResult,
    responses=error_responses(*_CHANGE),
)
async def delete_message_reaction(
    message_id: UUID, principal: Writer, services: ServicesDependency
) -> Response:
    """Remove the account's reaction to a message."""
    return respond(await services.message_edits.react(principal, message_id, ""), 202)
