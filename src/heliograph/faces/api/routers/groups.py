"""Groups: join one through its invite link."""

from typing import Annotated

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
from heliograph.faces.api.encoding import respond_answer
from heliograph.faces.api.error_responses import WAITING, WITH_BODY, error_responses
from heliograph.faces.api.routes import GatewayRoute
from heliograph.faces.api.schemas.conversations import JoinedGroup, JoinGroup

router = APIRouter(prefix=f"{PREFIX}/groups", tags=["Groups"], route_class=GatewayRoute)


@router.post(
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
    answer = await services.groups.join(
        principal,
        body.session_name,
        body.invite_link,
        make_idempotency_key(request, idempotency_name, body),
    )
    return respond_answer(answer)
