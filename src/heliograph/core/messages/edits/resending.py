"""Resends a message that was not sent: as a new one, with the same content to the same chat."""

from uuid import UUID

from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.recipients_sql import find_message
from heliograph.core.messages.accepting.service import MessageService, SendMessage
from heliograph.core.messages.model import Direction, Message, MessageStatus, new_run_id
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError, MessageNotFoundError
from heliograph.networks.addresses import is_jid
from heliograph.networks.content import NOTHING, Media
from heliograph.networks.content.inputs import FileSource
from heliograph.platform.database.pool import Database

_OVER = (MessageStatus.FAILED, MessageStatus.CANCELED)


def may_be_resent(direction: str, status: str) -> bool:
    """Return whether an outbound message failed or was canceled."""
    return direction == Direction.OUTBOUND and status in _OVER


class ResendService:
    def __init__(self, database: Database, messages: MessageService) -> None:
        self._database = database
        self._messages = messages

    async def resend(
        self, principal: Principal, message_id: UUID, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Send the message again, through the same account. A scheduled time is not kept.

        Raises `MessageNotFoundError`, `AccountNotAllowedError`, `InvalidInputError` for a message
        that did not fail or whose content was not kept, and what `MessageService.send` raises.
        """
        principal.require("messages:write")
        message = await self._database.read(find_message, principal.tenant, message_id)
        if message is None:
            raise MessageNotFoundError(message_id)
        principal.require_account(message.account_id)
        if not may_be_resent(message.direction, message.status):
            raise InvalidInputError.at(
                ("message_id",),
                f"Only what failed or was canceled is sent again, and this is {message.status}.",
            )
        if message.content == NOTHING:
            raise InvalidInputError.at(("message_id",), "What it said is not kept.")
        return await self._messages.send(principal, _request(message), key)


def _request(message: Message) -> SendMessage:
    content = message.content
    media_id = content.media_id if isinstance(content, Media) else None
    return SendMessage(
        # a phone number stays one in the message's record
        SendTo(message.chat_jid if is_jid(message.phone_number) else message.phone_number),
        content=content,
        run_id=new_run_id(),
        account_id=message.account_id,
        reply_to_message_id=message.reply_to_message_id,
        as_text=True,
        metadata=message.metadata,
        file=None if media_id is None else FileSource(media_id=media_id),
    )
