"""Conversations as the API shows them."""

from typing import Any
from uuid import UUID

from heliograph.core.contacts.sql import find_picture
from heliograph.core.inbox.conversations_model import Conversation
from heliograph.core.inbox.conversations_sql import find_conversation, find_organization_of
from heliograph.core.inbox.serializers import conversation_record
from heliograph.core.media import MediaService
from heliograph.core.tenants.principal import Principal
from heliograph.errors import ConversationNotFoundError, OtherOrganizationError
from heliograph.platform.database.pool import Connection, Database


class ConversationService:
    def __init__(self, database: Database, media: MediaService) -> None:
        self._database = database
        self._media = media

    async def get(self, principal: Principal, conversation_id: UUID) -> dict[str, Any]:
        """The Conversation record, with a link to the contact's picture where one is stored, and
        what was said last for those who may read messages.

        Raises `ConversationNotFoundError` when nobody has it, `OtherOrganizationError` when
        another organization does.
        """
        principal.require("conversations:read")

        async def work(connection: Connection) -> tuple[Conversation, str | None]:
            found = await find_conversation(connection, principal.tenant, conversation_id)
            if found is not None:
                return found, await self._find_picture_url(connection, found)
            if await find_organization_of(connection, conversation_id) is not None:
                raise OtherOrganizationError
            raise ConversationNotFoundError(conversation_id)

        conversation, picture_url = await self._database.read(work)
        return conversation_record(
            conversation,
            shows_messages=principal.may("messages:read"),
            picture_url=picture_url,
        )

    async def _find_picture_url(
        self, connection: Connection, conversation: Conversation
    ) -> str | None:
        """The stored picture, else its stored thumbnail: the network is not asked for it."""
        if conversation.contact_id is None:
            return None
        for preview in (False, True):
            picture = await find_picture(
                connection,
                conversation.tenant,
                conversation.contact_id,
                conversation.account_id,
                preview=preview,
            )
            if picture is not None:
                return self._media.link(picture.object_key)
        return None
