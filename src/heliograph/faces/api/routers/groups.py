"""Groups that an account is in, numbers on a network, and typing indicators."""

from typing import Annotated
from uuid import UUID

from fastapi import Body, Path, Response

from heliograph import errors
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import WAITING, WITH_BODY, Errors, error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas import groups as schemas
from heliograph.faces.api.schemas.fields import SearchText

router = api_router("groups", "Groups")
checking = api_router("contacts", "Contacts")
typing = api_router("conversations", "Conversations")

_OF_CONVERSATION: Errors = (
    *WAITING,
    errors.OtherOrganizationError,
    errors.ChatAccountNotFoundError,
    errors.ConversationNotFoundError,
    errors.NotFoundError,
    errors.JobUnknownError,
)
Reader = Annotated[Principal, requires("groups:read")]
Writer = Annotated[Principal, requires("groups:write")]


@router.get(
    "/{conversation_id}", response_model=schemas.Group, responses=error_responses(*_OF_CONVERSATION)
)
async def get_group(
    conversation_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Ask the chat network for a group's name and participants."""
    return respond(await services.group_management.get(principal, conversation_id))


@router.patch(
    "/{conversation_id}",
    response_model=schemas.Group,
    responses=error_responses(errors.UnsupportedMediaTypeError, *_OF_CONVERSATION),
)
async def change_group(
    conversation_id: UUID,
    body: schemas.ChangeGroup,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Change a group's name, description or both, and return the group as it is then."""
    group = await services.group_management.change(
        principal, conversation_id, subject=body.subject, description=body.description
    )
    return respond(group)


@router.post(
    "/{conversation_id}/participants",
    response_model=schemas.AddedParticipants,
    responses=error_responses(*WITH_BODY, *_OF_CONVERSATION),
)
async def add_group_participants(
    conversation_id: UUID,
    body: schemas.AddParticipants,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Add people to a group; the answer says who could not be added."""
    response = await services.group_management.add(
        principal, conversation_id, body.participants, once.key(body)
    )
    return respond_stored(response)


@router.delete(
    "/{conversation_id}/participants/{jid}",
    status_code=204,
    response_class=Response,
    responses=error_responses(*_OF_CONVERSATION),
)
async def remove_group_participant(
    conversation_id: UUID,
    jid: Annotated[SearchText, Path(description="Their address on the network, or phone number.")],
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Remove somebody from a group."""
    await services.group_management.remove(principal, conversation_id, jid)
    return Response(status_code=204)


@router.get(
    "/{conversation_id}/invite-link",
    response_model=schemas.GroupInviteLink,
    responses=error_responses(*_OF_CONVERSATION),
)
async def get_group_invite_link(
    conversation_id: UUID, principal: Writer, services: ServicesDependency
) -> Response:
    """Get the link through which people join a group."""
    return respond(await services.group_management.get_invite_link(principal, conversation_id))


@router.post(
    "/{conversation_id}/leave",
    response_model=schemas.LeftGroup,
    responses=error_responses(errors.IdempotencyConflictError, *_OF_CONVERSATION),
)
async def leave_group(
    conversation_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Leave a group. Its conversation stays."""
    return respond_stored(
        await services.group_management.leave(principal, conversation_id, once.key())
    )


@checking.post(
    "/check",
    response_model=schemas.CheckedNumbers,
    responses=error_responses(
        *WITH_BODY,
        *WAITING,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.NoChatAccountError,
    ),
)
async def check_contacts(
    body: schemas.CheckNumbers,
    once: OnceDependency,
    principal: Annotated[Principal, requires("contacts:write")],
    services: ServicesDependency,
) -> Response:
    """Ask the chat network which phone numbers it knows."""
    response = await services.number_checks.check(
        principal, body.chat_account_id, body.phone_numbers, once.key(body)
    )
    return respond_stored(response)


@typing.post(
    "/{conversation_id}/typing",
    response_model=schemas.TypingShown,
    responses=error_responses(
        *WITH_BODY,
        *WAITING,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.ConversationNotFoundError,
    ),
)
async def show_typing(
    conversation_id: UUID,
    body: Annotated[schemas.ShowTyping, Body(default_factory=schemas.ShowTyping)],
    once: OnceDependency,
    principal: Annotated[Principal, requires("conversations:write")],
    services: ServicesDependency,
) -> Response:
    """Show the other side that somebody is typing. Networks stop showing it after some seconds."""
    response = await services.signals.set_typing(
        principal, conversation_id, once.key(body), is_typing=body.is_typing
    )
    return respond_stored(response)
