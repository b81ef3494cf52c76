"""Contacts: find them, read and change one, synchronize them, fetch a profile picture."""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from heliograph import errors
from heliograph.core.contacts.book import MAX_SEARCH
from heliograph.core.contacts.model import ContactChange, ContactFilter
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import WAITING, WITH_BODY, error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas import contacts as schemas
from heliograph.faces.api.schemas.fields import Cursor, Limit, SearchText

router = api_router("contacts", "Contacts")

Reader = Annotated[Principal, requires("contacts:read")]
Writer = Annotated[Principal, requires("contacts:write")]


@router.post(
    "/sync",
    response_model=schemas.SyncStarted,
    responses=error_responses(
        *WITH_BODY,
        errors.OtherOrganizationError,
        errors.ChatAccountNotFoundError,
        errors.ChatAccountNotConnectedError,
        errors.NotSupportedByNetworkError,
    ),
)
async def sync_contacts(
    body: schemas.SyncContacts,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Start fetching an account's contacts; while that runs, a second call returns the same job."""
    response = await services.contacts.sync(principal, body.chat_account_id, once.key(body))
    return respond_stored(response)


@router.get(
    "/sync/{job_id}",
    response_model=schemas.SyncState,
    responses=error_responses(errors.OtherOrganizationError, errors.NotFoundError),
)
async def get_contact_sync(
    job_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Read the progress of a contact synchronization, by the `job_id` returned at its start."""
    return respond(await services.contacts.sync_state(principal, job_id))


@router.get(
    "", response_model=schemas.ContactList, responses=error_responses(errors.OtherOrganizationError)
)
async def list_contacts(
    principal: Reader,
    services: ServicesDependency,
    limit: Limit = 50,
    cursor: Cursor = None,
    search: Annotated[
        SearchText | None,
        Query(
            max_length=MAX_SEARCH,
            description="Part of a name, in any case, or of the phone number, in any notation.",
        ),
    ] = None,
    label_id: Annotated[UUID | None, Query(description="Only those with this label.")] = None,
    phone_number: Annotated[
        SearchText | None,
        Query(description="Only the one with this number, in any notation."),
    ] = None,
) -> Response:
    """List the organization's contacts, newest first. A page of a filtered list checks 10,000
    contacts at most, so it may be short, or empty, and still have a `next_cursor`. A key that is
    limited to certain accounts sees only contacts that have a conversation with one of them.
    """
    only = ContactFilter(text=search, label_id=label_id, phone_number=phone_number)
    page = await services.contact_book.list(principal, only, cursor, limit)
    return respond({"contacts": page.records, "next_cursor": page.next_cursor})


_OF_ONE = (errors.OtherOrganizationError, errors.ContactNotFoundError)


@router.get("/{contact_id}", response_model=schemas.Contact, responses=error_responses(*_OF_ONE))
async def get_contact(
    contact_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Read a contact. When two turned out to be one person, both ids lead to the one that was
    kept."""
    return respond(await services.contact_book.get(principal, contact_id))


@router.patch(
    "/{contact_id}",
    response_model=schemas.Contact,
    responses=error_responses(*_OF_ONE, errors.NotFoundError, errors.UnsupportedMediaTypeError),
)
async def change_contact(
    contact_id: UUID, body: schemas.ChangeContact, principal: Writer, services: ServicesDependency
) -> Response:
    """Change the given fields of a contact, all or none. `attributes` and `label_ids` replace the
    existing ones."""
    given = body.model_dump(include=body.model_fields_set)
    if "label_ids" in given:
        given["label_ids"] = tuple(given["label_ids"])
    wanted = ContactChange(**given)
    return respond(await services.contact_book.change(principal, contact_id, wanted))


@router.get(
    "/{contact_id}/profile-picture",
    response_model=schemas.ProfilePicture,
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
    principal: Reader,
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
