"""Changes of one conversation: it is locked, changed, written and reported in one transaction."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.changes.model import Change, Write
from heliograph.core.events.model import EventType
from heliograph.core.inbox import sql
from heliograph.core.inbox.conversations_sql import find_conversation
from heliograph.core.inbox.events import add_conversation_event
from heliograph.core.inbox.model import Conversation, ConversationChange, ConversationStatus
from heliograph.core.labels import sql as labels_sql
from heliograph.core.labels.model import Label, by_name
from heliograph.core.labels.service import get_label
from heliograph.core.members.sql import find_role
from heliograph.core.messages.read_marks_sql import (
    count_reads,
    count_unread,
    mark_messages_read,
)
from heliograph.core.messages.statistics.sql import CountChanges, change_message_counts
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import ConversationNotFoundError, InvalidInputError
from heliograph.platform.characters import without_turning
from heliograph.platform.database.pool import Connection

MAX_PINNED = 50

EDIT = Write(
    scope="conversations:write",
    unaudited="its event names who changed the conversation, and how",
    events=(EventType.CONVERSATION_UPDATED,),
)
MARK_READ = replace(EDIT, is_repeatable=True)

Edit: TypeAlias = Callable[[Connection, Conversation], Awaitable[Conversation]]
"""Returns a locked conversation as it is to be."""


async def get_conversation(
    connection: Connection, principal: Principal, conversation_id: UUID
) -> Conversation:
    """Return a conversation that the caller may see.

    Raises `ConversationNotFoundError`, `OtherOrganizationError` and `AccountNotAllowedError`.
    """
    found = await find_conversation(connection, principal.tenant, conversation_id)
    return await _allowed(connection, principal, conversation_id, found)


async def edit_conversation(change: Change, conversation_id: UUID, edit: Edit) -> Conversation:
    """Lock a conversation, edit it, and add its event; write nothing if nothing changes.

    Raises what `get_conversation` and `edit` raise.
    """
    connection, principal = change.connection, change.principal
    found = await sql.lock_conversation(connection, change.tenant, conversation_id)
    conversation = await _allowed(connection, principal, conversation_id, found)
    edited = await edit(connection, conversation)
    if edited == conversation:
        return conversation
    edited = await sql.update_conversation(connection, edited)
    add_conversation_event(change.events, conversation, edited, change.author)
    if edited.reopens_at is not None:
        change.wake(topics.SCHEDULED)
    return edited


async def mark_read(change: Change, conversation_id: UUID) -> Conversation:
    """Mark all inbound messages of a conversation as read, and return it.

    Raises what `get_conversation` raises.
    """
    tenant = change.tenant
    found = await mark_messages_read(change.connection, tenant, conversation_id, change.now)

    async def edit(connection: Connection, conversation: Conversation) -> Conversation:
        if not conversation.unread_count:
            return conversation
        # messages that came since are unread
        unread = await count_unread(connection, tenant, conversation.id)
        return replace(conversation, unread_count=unread)

    async def count(connection: Connection) -> None:
        counts = CountChanges()
        count_reads(counts, tenant, found)
        await change_message_counts(connection, tenant.shard, counts)

    change.last(count)  # counters are locked last, by every transaction
    return await edit_conversation(change, conversation_id, edit)


async def _allowed(
    connection: Connection,
    principal: Principal,
    conversation_id: UUID,
    conversation: Conversation | None,
) -> Conversation:
    if conversation is None:
        not_found = ConversationNotFoundError(conversation_id)
        raise await missing_error(connection, "conversations", conversation_id, not_found)
    principal.require_account(conversation.account_id)
    return conversation


# --- what may be changed ---------------------------------------------------------------------


def _checked_subject(subject: str | None) -> str | None:
    """Return the subject without characters that change the writing direction."""
    if subject is None:
        return None
    require_visible("A subject", subject, "body", "subject")
    return without_turning(subject)


def make_edit(principal: Principal, wanted: ConversationChange, now: datetime) -> Edit:
    """Return the edit for a client's change. It raises `InvalidInputError` for an invalid value,
    and what `get_label` raises; then nothing is changed."""

    async def edit(connection: Connection, conversation: Conversation) -> Conversation:
        changed = _resnoozed(conversation, wanted, now)
        if wanted.assignee_user_id is not UNSET:
            await require_member(connection, principal, wanted.assignee_user_id)
            changed = replace(changed, assignee_user_id=wanted.assignee_user_id)
        if wanted.agent_paused is not UNSET:
            changed = replace(changed, agent_paused=wanted.agent_paused)
        if wanted.pinned is not UNSET:
            if wanted.pinned and not conversation.pinned:
                await require_room_for_pin(connection, conversation)
            changed = replace(changed, pinned=wanted.pinned)
        if wanted.subject is not UNSET:
            changed = replace(changed, subject=_checked_subject(wanted.subject))
        if wanted.label_ids is not UNSET:
            labels = await relabel(connection, principal, conversation, wanted.label_ids)
            changed = replace(changed, labels=labels)
        return changed

    return edit


async def require_member(
    connection: Connection, principal: Principal, user_id: UUID | None
) -> None:
    """Raise `InvalidInputError` unless this person belongs to the organization."""
    if user_id and await find_role(connection, principal.tenant, user_id) is None:
        problem = "This person is not a member of the organization."
        raise InvalidInputError.at(("body", "assignee_user_id"), problem, input=str(user_id))


async def require_room_for_pin(connection: Connection, conversation: Conversation) -> None:
    """Raise `InvalidInputError` if 50 conversations are pinned already."""
    others = await sql.count_pinned(
        connection, conversation.tenant, conversation.id, most=MAX_PINNED
    )
    if others >= MAX_PINNED:
        problem = f"{MAX_PINNED} conversations are pinned already; unpin one first."
        raise InvalidInputError.at(("body", "pinned"), problem)


async def relabel(
    connection: Connection,
    principal: Principal,
    conversation: Conversation,
    label_ids: Sequence[UUID],
) -> tuple[Label, ...]:
    """Give the conversation these labels and no others; return them by name."""
    # locked in key order, or two such changes could deadlock
    labels = [
        await get_label(connection, principal, label_id, labels_sql.hold_label)
        for label_id in sorted(set(label_ids))
    ]
    known, tenant = {label.id for label in conversation.labels}, principal.tenant
    if new := [label.id for label in labels if label.id not in known]:
        await labels_sql.add_labels(connection, tenant, "conversation", conversation.id, new)
    if gone := sorted(known - set(label_ids)):
        await labels_sql.remove_labels(connection, tenant, "conversation", conversation.id, gone)
    return by_name(labels)


def _resnoozed(
    conversation: Conversation, wanted: ConversationChange, now: datetime
) -> Conversation:
    """Return the conversation with its new status and the time at which its snooze ends."""
    if wanted.status is UNSET and wanted.snoozed_until is UNSET:
        return conversation
    status = conversation.status if wanted.status is UNSET else wanted.status
    until = conversation.reopens_at if wanted.snoozed_until is UNSET else wanted.snoozed_until
    if status is not ConversationStatus.SNOOZED:
        if wanted.snoozed_until is not UNSET and wanted.snoozed_until is not None:
            problem = (
                "Only a snoozed conversation reopens by itself: send the status `snoozed`, too."
            )
            raise _snooze_error(problem, wanted.snoozed_until)
        return replace(conversation, status=status, snoozed_until=None)
    if wanted.snoozed_until is not UNSET and until is not None and until <= now:
        raise _snooze_error("This time is over: send one that is to come.", until)
    return replace(conversation, status=status, snoozed_until=until)


def _snooze_error(problem: str, at: datetime) -> InvalidInputError:
    return InvalidInputError.at(("body", "snoozed_until"), problem, input=at.isoformat())
