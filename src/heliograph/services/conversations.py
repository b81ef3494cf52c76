"""Conversations as the API shows them."""

from typing import Any
from uuid import UUID

from heliograph.errors import ConversationNotFoundError, OtherOrganizationError
from heliograph.model.conversations import Conversation
from heliograph.services.principals import Principal
from heliograph.store.conversations import find_conversation, find_organization_of
from heliograph.store.database import Connection, Database


class ConversationService:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, principal: Principal, conversation_id: UUID) -> dict[str, Any]:
        """The Conversation of SPEC.md.

        Raises `ConversationNotFoundError` when nobody has it, `OtherOrganizationError` when
        another organization does.
        """
        principal.require("conversations:read")

        async def work(connection: Connection) -> tuple[Conversation | None, UUID | None]:
            found = await find_conversation(connection, principal.tenant, conversation_id)
            if found is not None:
                return found, found.tenant.organization_id
            return None, await find_organization_of(connection, conversation_id)

        conversation, owner = await self._database.read(work)
        if conversation is not None:
            return conversation_record(conversation)
        if owner is not None:
            raise OtherOrganizationError
        raise ConversationNotFoundError(conversation_id)


def conversation_record(conversation: Conversation) -> dict[str, Any]:
    """The Conversation of SPEC.md."""
    return {
        "id": conversation.id,
        "chat_account_id": conversation.account_id,
        "remote_jid": conversation.remote_jid,
        "status": conversation.status,
        "unread_count": conversation.unread_count,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "contact_id": conversation.contact_id,
        "phone_number": conversation.phone_number,
        "is_group": conversation.is_group,
        "group_subject": conversation.group_subject,
        "assignee_user_id": conversation.assignee_user_id,
        "agent_paused": conversation.agent_paused,
        "subject": conversation.subject,
        "last_message_preview": conversation.last_message_preview,
        "last_message_at": conversation.last_message_at,
        "last_inbound_at": conversation.last_inbound_at,
        "last_outbound_at": conversation.last_outbound_at,
        "contact_name": conversation.contact_name,
        "contact_chat_name": conversation.contact_chat_name,
        # The links of pictures are signed and short-lived: they are asked for one by one.
        "contact_profile_picture_url": None,
        "display_name": conversation.display_name,
        "pinned": conversation.pinned,
        "chat_group_id": conversation.chat_group_id,
        "labels": list(conversation.labels),
    }
