"""Messages: list and search them, and see what happened to one."""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from heliograph import errors
from heliograph.core.messages.history_record import history_record
from heliograph.core.messages.lists.filters import MAX_ID_LENGTH, MAX_SEARCH_LENGTH, MessageFilter
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.fields import Cursor, Limit, SearchText, Time
from heliograph.faces.api.schemas.message_lists import MessageHistory, MessageList

router = api_router("messages", "Messages")

Reader = Annotated[Principal, requires("messages:read")]


@router.get(
    "",
    response_model=MessageList,
    responses=error_responses(errors.OtherOrganizationError),
)
async def list_messages(
    principal: Reader,
    services: ServicesDependency,
    conversation_id: Annotated[UUID | None, Query(description="Only of this conversation.")] = None,
    chat_account_id: Annotated[UUID | None, Query(description="Only of this account.")] = None,
    contact_id: Annotated[
        UUID | None,
        Query(description="Only to or from this person; in groups, their own messages."),
    ] = None,
    phone_number: Annotated[
        SearchText | None,
        Query(
            description="Only to or from this phone number, in any notation, or this JID; with a "
            "group's JID, the messages in it.",
        ),
    ] = None,
    direction: Annotated[
        SearchText | None, Query(description="Only `inbound` or only `outbound` ones.")
    ] = None,
    status: Annotated[
        SearchText | None, Query(description="Only in this status, such as `failed`.")
    ] = None,
    message_type: Annotated[
        SearchText | None, Query(description="Only of this kind, such as `text`.")
    ] = None,
    batch_id: Annotated[UUID | None, Query(description="Only of this batch.")] = None,
    chat_message_id: Annotated[
        SearchText | None,
        Query(max_length=MAX_ID_LENGTH, description="Only with this id on the chat network."),
    ] = None,
    run_id: Annotated[
        SearchText | None,
        Query(
            max_length=MAX_ID_LENGTH, description="Only of the send that returned this `run_id`."
        ),
    ] = None,
    since: Annotated[Time | None, Query(description="Only made at this time or later.")] = None,
    until: Annotated[Time | None, Query(description="Only made before this time.")] = None,
    search: Annotated[
        SearchText | None,
        Query(
            max_length=MAX_SEARCH_LENGTH,
            description="Only with all these words, in any case, with accents or without; the last "
            "may be the beginning of a word.",
        ),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List messages, newest first; a message must match all given filters. A page checks a limited
    number of messages, so that every page costs the same: a filtered one may hold fewer than
    `limit`, even none, and still have a `next_cursor`. A search finds a new message a few seconds
    after it was stored, and never one of an account that keeps no contents.
    """
    only = MessageFilter(
        conversation_id=conversation_id,
        chat_account_id=chat_account_id,
        contact_id=contact_id,
        phone_number=phone_number,
        direction=direction,
        status=status,
        message_type=message_type,
        batch_id=batch_id,
        chat_message_id=chat_message_id,
        run_id=run_id,
        since=since,
        until=until,
        search=search,
    )
    page = await services.message_lists.list(principal, only, limit=limit, cursor=cursor)
    return respond({"messages": page.records, "next_cursor": page.next_cursor})


@router.get(
    "/{message_id}/history",
    response_model=MessageHistory,
    responses=error_responses(errors.OtherOrganizationError, errors.MessageNotFoundError),
)
async def get_message_history(
    message_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Find out why a message did not arrive: its steps with their times and reasons, its attempts
    on the chat network, and its webhook deliveries with each attempt. Deliveries require the scope
    `webhooks:read`, the account's name in the explanation `admin:read`.
    """
    history = await services.message_history.get(principal, message_id)
    return respond(history_record(history, principal))
