"""Conversations: find them, read and change one; creating a group begins one, and a group can be
joined."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from heliograph import errors
from heliograph.core.inbox.model import ConversationChange, ConversationStatus, InboxFilter
from heliograph.core.inbox.serializers import ConversationRecord
from heliograph.core.inbox.service import MAX_SEARCH
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import WAITING, WITH_BODY, error_responses
from heliograph.faces.api.routes import FastRead, api_router
from heliograph.faces.api.schemas.conversations import (
    ChangeConversation,
    Conversation,
    ConversationList,
    CreatedGroup,
    CreateGroup,
    JoinedGroup,
    JoinGroup,
    Note,
    NoteList,
    WriteNote,
)
from heliograph.faces.api.schemas.fields import Cursor, Limit, SearchText

router = api_router("conversations", "Conversations")
reading = api_router("conversations", "Conversations", FastRead)
joining = api_router("groups", "Groups")

Reader = Annotated[Principal, requires("conversations:read")]
Writer = Annotated[Principal, requires("conversations:write")]
GroupWriter = Annotated[Principal, requires("groups:write")]


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
    body: CreateGroup, once: OnceDependency, principal: GroupWriter, services: ServicesDependency
) -> Response:
    """Create a group on the chat network and store its conversation.

    The answer waits for the chat network, 30 seconds unless the operator has set another time.
    After that the work continues: a repeat with the same `Idempotency-Key` waits for its result.
    """
    response = await services.groups.create(
        principal,
        body.chat_account_id,
        body.subject,
        body.participants,
        once.key(body),
    )
    return respond_stored(response)


@router.get(
    "",
    response_model=ConversationList,
    responses=error_responses(errors.OtherOrganizationError),
)
async def list_conversations(
    principal: Reader,
    services: ServicesDependency,
    limit: Limit = 50,
    cursor: Cursor = None,
    status: Annotated[
        SearchText | None, Query(description="Only those in this state, such as `open`.")
    ] = None,
    assignee_user_id: Annotated[
        UUID | None, Query(description="Only those assigned to this member.")
    ] = None,
    label_id: Annotated[UUID | None, Query(description="Only those with this label.")] = None,
    chat_account_id: Annotated[
        UUID | None, Query(description="Only those of this account.")
    ] = None,
    contact_id: Annotated[UUID | None, Query(description="Only those with this person.")] = None,
    phone_number: Annotated[
        SearchText | None,
        Query(
            description="Only those with this phone number, in any notation, or this JID, also a "
            "group's.",
        ),
    ] = None,
    unread: Annotated[
        bool | None, Query(description="Only those with unread messages, or without.")
    ] = None,
    is_group: Annotated[
        bool | None, Query(description="Only groups, or only those with one person.")
    ] = None,
    search: Annotated[
        SearchText | None,
        Query(
            max_length=MAX_SEARCH,
            description="Part of the name of the contact or group, in any case, of the phone "
            "number, in any notation, or of the remote JID.",
        ),
    ] = None,
) -> Response:
    """List conversations, newest activity first; those without messages come last. Conversations
    that get a message after the first page was read come last, some of them for the second time: a
    client that continues until `next_cursor` is null sees each at least once. A page of a filtered
    list checks 10,000 conversations at most, so it may be short, or empty, and still have a
    `next_cursor`."""
    only = InboxFilter(
        account_id=chat_account_id,
        status=status,
        label_id=label_id,
        assignee_user_id=assignee_user_id,
        unread=unread,
        is_group=is_group,
        text=search,
    )
    page = await services.conversations.list(
        principal, only, cursor, limit, contact_id=contact_id, phone_number=phone_number
    )
    return respond({"conversations": page.records, "next_cursor": page.next_cursor})


_OF_ONE = (errors.OtherOrganizationError, errors.ConversationNotFoundError)


@reading.get("/{conversation_id}", response_model=Conversation, responses=error_responses(*_OF_ONE))
async def get_conversation(
    conversation_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Read a conversation."""
    return respond(await services.conversations.get(principal, conversation_id))


@router.patch(
    "/{conversation_id}",
    response_model=Conversation,
    responses=error_responses(*_OF_ONE, errors.NotFoundError, errors.UnsupportedMediaTypeError),
)
async def change_conversation(
    conversation_id: UUID, body: ChangeConversation, principal: Writer, services: ServicesDependency
) -> Response:
    """Change the given fields of a conversation, all or none. A snoozed conversation reopens at
    `snoozed_until`, or when somebody writes. A label that does not exist is answered 404.
    """
    given = body.model_dump(include=body.model_fields_set)
    if "status" in given:
        given["status"] = ConversationStatus(given["status"])
    if "label_ids" in given:
        given["label_ids"] = tuple(given["label_ids"])
    wanted = ConversationChange(**given)
    return respond(await services.conversations.change(principal, conversation_id, wanted))


@router.post(
    "/{conversation_id}/read",
    response_model=Conversation,
    responses=error_responses(*_OF_ONE, errors.IdempotencyConflictError),
)
async def mark_conversation_read(
    conversation_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Set the number of unread messages to 0 and their status to `read`, and mark them as read on
    the chat network. Networks with read receipts get those for the newest 100, if the account is
    connected. Messages that the account's owner reads or answers on their phone become read, too.
    """

    async def mark() -> ConversationRecord:
        # outside of the key: two requests at once may send the same receipts twice, to no effect
        await services.signals.mark_read(principal, conversation_id)
        return await services.conversations.mark_read(principal, conversation_id)

    return await once(200, mark)


@router.get(
    "/{conversation_id}/notes", response_model=NoteList, responses=error_responses(*_OF_ONE)
)
async def list_conversation_notes(
    conversation_id: UUID,
    principal: Reader,
    services: ServicesDependency,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List colleagues' notes about a conversation, newest first."""
    page = await services.notes.list(principal, conversation_id, cursor, limit)
    return respond({"notes": page.records, "next_cursor": page.next_cursor})


@router.post(
    "/{conversation_id}/notes",
    status_code=201,
    response_model=Note,
    responses=error_responses(*WITH_BODY, *_OF_ONE),
)
async def create_conversation_note(
    conversation_id: UUID,
    body: WriteNote,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Write a note about a conversation for colleagues. Its contact never sees it."""
    write = partial(services.notes.write, principal, conversation_id, body.body)
    return await once(201, write, body=body)


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
    body: JoinGroup, once: OnceDependency, principal: GroupWriter, services: ServicesDependency
) -> Response:
    """Join a group through an invite link; the answer waits for the chat network."""
    response = await services.groups.join(
        principal,
        body.session_name,
        body.invite_link,
        once.key(body),
    )
    return respond_stored(response)
