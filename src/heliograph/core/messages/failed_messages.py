"""The messages that failed, for people who look for the reason."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from heliograph.core.messages import reading_sql
from heliograph.core.messages.model import Message
from heliograph.core.messages.reading_sql import (
    list_with_names,
)
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.platform.database.pool import Connection, Database

MAX_SCANNED = 10_000
"""How many messages are read at most for one page of failed ones."""
PAGE = 50
_NEWEST = UUID(int=2**128 - 1)


class FailedMessage(msgspec.Struct, frozen=True):
    """`conversation_id` is that of the chat it was sent to, None if there is no conversation
    yet."""

    message: Message
    contact_name: str | None
    group_name: str | None
    conversation_id: UUID | None


class FailedMessagePage(msgspec.Struct, frozen=True):
    """Newest first; `more` is the `before` of the next page, None on the last page."""

    messages: Sequence[FailedMessage]
    more: UUID | None


class FailedMessageService:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, principal: Principal, before: UUID | None = None) -> FailedMessagePage:
        """Return the newest messages that failed, before the one with the id `before`.

        No more than `MAX_SCANNED` messages are read: a page may have few or none, and yet `more`.
        """
        principal.require("messages:read")
        tenant, start = principal.tenant, before or _NEWEST

        async def work(connection: Connection) -> FailedMessagePage:
            ids = await reading_sql.list_failed_ids(
                connection,
                tenant,
                before=start,
                scan=MAX_SCANNED,
                limit=PAGE + 1,
                account_ids=principal.account_filter,
            )
            found = await _with_conversations(connection, tenant, ids[:PAGE])
            if len(ids) > PAGE:
                return FailedMessagePage(found, ids[PAGE - 1])
            end = await reading_sql.find_scan_end(
                connection, tenant, before=start, scan=MAX_SCANNED
            )
            return FailedMessagePage(found, end)

        return await self._database.read(work)


async def _with_conversations(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> list[FailedMessage]:
    keys = [(tenant.organization_id, id_) for id_ in ids]
    named = await list_with_names(connection, tenant.shard, keys)
    found = [named[key] for key in keys if key in named]
    messages = [named.message for named in found]
    conversations = await reading_sql.list_conversations_of(
        connection,
        tenant,
        [(message.id, message.account_id, message.chat_jid) for message in messages],
    )
    return [
        FailedMessage(
            message,
            names.contact,
            names.group,
            message.conversation_id or conversations.get(message.id),
        )
        for message, names in found
    ]
