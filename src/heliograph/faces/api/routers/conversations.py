"""Conversations: read one; creating a group begins one, and a group can be joined."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request, Response

from heliograph import errors
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.authentication import PREFIX
from heliograph.faces.api.dependencies import (
    IdempotencyHeader,
    ServicesDependency,
    make_idempotency_key,
    requires,
)
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import WAITING, WITH_BODY, error_responses
from heliograph.faces.api.routes import FastRead, GatewayRoute
from heliograph.faces.api.schemas.conversations import (
    Conversation,
    CreatedGroup,
    CreateGroup,
    JoinedGroup,
    JoinGroup,
)

router = APIRouter(
    prefix=f"{PREFIX}/conversations", tags=["Conversations"], route_class=GatewayRoute
)
reading = APIRouter(prefix=f"{PREFIX}/conversations", tags=["Conversations"], route_class=FastRead)
joining = APIRouter(prefix=f"{PREFIX}/groups", tags=["Groups"], route_class=GatewayRoute)


@router.post(
    "/groups",
    status_code=201,
    response_model=CreatedGroup,
    responses=error_responses(
        *WITH_BODY,
        *WAITING,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.JobUnknownError,
    ),
)
async def create_conversation_group(
    request: Request,
    body: CreateGroup,
    principal: Annotated[Principal, requires("groups:write")],
    services: ServicesDependency,
    idempotency_name: IdempotencyHeader = None,
) -> Response:
    """Create a group on the chat network and store its conversation.

    The answer waits for the chat network, 30 seconds at most. After that the work goes on: a
    repeat with the same `Idempotency-Key` waits for its result.
    """
    response = await services.groups.create(
        principal,
        body.chat_account_id,
        body.subject,
        body.participants,
        make_idempotency_key(request, idempotency_name, body),
    )
    return respond_stored(response)


@router.get("/groups", include_in_schema=False)
async def refuse_to_get_groups(
    _principal: Annotated[Principal, requires("groups:write")],
) -> Response:
    """Respond with 405; without this route, `groups` would be taken for a conversation's id."""
    raise errors.MethodNotAllowedError(["POST"])


@reading.get(
    "/{conversation_id}",
    response_model=Conversation,
    responses=error_responses(errors.OtherOrganizationError, errors.ConversationNotFoundError),
)
async def get_conversation(
    conversation_id: UUID,
    principal: Annotated[Principal, requires("conversations:read")],
    services: ServicesDependency,
) -> Response:
    """Read a conversation."""
    return respond(await services.conversations.get(principal, conversation_id))


@joining.post(
    "/join",
    response_model=JoinedGroup,
    responses=error_responses(
        *WITH_BODY,
        *WAITING,
        errors.SessionNotFoundError,
        errors.NotFoundError,
        errors.AlreadyInGroupError,
        errors.ApprovalRequiredError,
        errors.InviteRevokedError,
        errors.JobUnknownError,
    ),
)
async def join_group(
    request: Request,
    body: JoinGroup,
    principal: Annotated[Principal, requires("groups:write")],
    services: ServicesDependency,
    idempotency_name: IdempotencyHeader = None,
) -> Response:
    """Join a group through an invite link; the answer waits for the chat network."""
    response = await services.groups.join(
        principal,
        body.session_name,
        body.invite_link,
        make_idempotency_key(request, idempotency_name, body),
    )
    return respond_stored(response)
