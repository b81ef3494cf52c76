"""Members: who a conversation can be assigned to."""

from typing import Annotated

from fastapi import Response

from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.fields import Limit, Offset
from heliograph.faces.api.schemas.members import MemberList

router = api_router("members", "Conversations")


@router.get("", response_model=MemberList, responses=error_responses())
async def list_members(
    principal: Annotated[Principal, requires("conversations:read")],
    services: ServicesDependency,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """List the people of the organization by name. A conversation can be assigned to each of them,
    with their `id` as `assignee_user_id`."""
    return respond(await services.members.list_page(principal, limit=limit, offset=offset))
