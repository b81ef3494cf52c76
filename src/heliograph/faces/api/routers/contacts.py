"""Contacts: synchronise them, fetch a profile picture."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

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
from heliograph.faces.api.routes import GatewayRoute
from heliograph.faces.api.schemas.contacts import ProfilePicture, SyncContacts, SyncStarted

router = APIRouter(prefix=f"{PREFIX}/contacts", tags=["Contacts"], route_class=GatewayRoute)


@router.post(
    "/sync",
    response_model=SyncStarted,
    responses=error_responses(
        *WITH_BODY,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.ChatAccountNotConnectedError,
        errors.NotSupportedByNetworkError,
    ),
)
async def sync_contacts(
    request: Request,
    body: SyncContacts,
    principal: Annotated[Principal, requires("contacts:write")],
    services: ServicesDependency,
    idempotency_name: IdempotencyHeader = None,
) -> Response:
    """Start reading an account's contacts; while that runs, a second call returns the same job."""
    response = await services.contacts.sync(
        principal, body.chat_account_id, make_idempotency_key(request, idempotency_name, body)
    )
    return respond_stored(response)


@router.get(
    "/{contact_id}/profile-picture",
    response_model=ProfilePicture,
    responses=error_responses(
        *WAITING,
        errors.OtherOrganizationError,
        errors.ContactNotFoundError,
        errors.ChatAccountNotFoundError,
        errors.PictureNotFoundError,
        errors.NoChatAccountError,
    ),
)
async def get_contact_profile_picture(
    contact_id: UUID,
    principal: Annotated[Principal, requires("contacts:read")],
    services: ServicesDependency,
    chat_account_id: Annotated[
        UUID | None,
        Query(description="The account to look with; default: the primary connected account."),
    ] = None,
    preview: Annotated[bool, Query(description="True for the thumbnail.")] = False,
) -> Response:
    """Find a contact's profile picture, in object storage or on the chat network."""
    picture = await services.contacts.picture(
        principal, contact_id, chat_account_id, preview=preview
    )
    return respond(picture)
