"""Conversations as the API shows them."""

from typing import Any
from uuid import UUID

from heliograph.errors import ConversationNotFoundError, OtherOrganizationError
from heliograph.model.conversations import Conversation
from heliograph.services.principals import Principal
from heliograph.services.records import conversation_record
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
