"""Changes accepted messages: edits them, deletes them for everyone, reacts to them.

A message that nothing has begun to send is changed in place. Any other change is queued behind its
message, and its outcome is an event: `message.edited`, `message.deleted`, `message.reaction`, or
`message.failed` that names the change.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, TypedDict
from uuid import UUID

from msgspec.structs import replace
from typing_extensions import Doc

from heliograph import errors
from heliograph.core import topics
from heliograph.core.accounts.service import AccountDirectory
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.messages import sql
from heliograph.core.messages.accepting.recipients_sql import find_message
from heliograph.core.messages.accepting.service import MessageService, sender_of
from heliograph.core.messages.edits.ending import CancellationService
from heliograph.core.messages.edits.sql import find_change, insert_change
from heliograph.core.messages.model import (
    BEFORE_SENT,
    Direction,
    Message,
    MessageChange,
    MessageStatus,
    new_run_id,
)
from heliograph.core.messages.search.sql import change_words
from heliograph.core.messages.search.words import vector_of
from heliograph.core.tenants.model import Principal
from heliograph.networks.content import (
    CAPTION_KINDS,
    Content,
    Text,
    edited,
    encode_content,
    message_type,
)
from heliograph.networks.content.inputs import MAX_CAPTION
from heliograph.networks.emoji import is_emoji
from heliograph.networks.port import ChangeKind, Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Connection, Database

EDIT = Write(
    scope="messages:write",
    unaudited="the change keeps who asked for it, and an event tells how it ended",
)
_ACTIONS: dict[ChangeKind, str] = {
    "edited": "edit messages",
    "deleted": "take messages back",
    "reaction": "react to messages",
}


class ChangeRecord(TypedDict):
    """An accepted change: it is queued, or was made at once because the message was waiting."""

    success: bool
    message_id: UUID
    change_id: Annotated[
        UUID | None,
        Doc(
            "Events about the outcome of a queued change name it; null for a change that was made "
            "at once, which only the record shows."
        ),
    ]
    status: Annotated[str, Doc("`queued`, or `done` for a message that nothing had begun to send.")]
    run_id: Annotated[str, Doc("The correlation id that every log line of this change carries.")]


@dataclass(eq=False)
class EditService:
    """All methods raise `MessageNotFoundError`, `OtherOrganizationError`, `AccountNotAllowedError`,
    `ChatAccountNotFoundError`, `NotSupportedByNetworkError`, `TooOldError`, `NotSentError`,
    `MessageDeletedError` and `InvalidInputError`."""

    _database: Database
    _changes: Changes
    _networks: NetworkRegistry
    _accounts: AccountDirectory
    _messages: MessageService
    _cancellations: CancellationService

    async def edit(self, principal: Principal, message_id: UUID, content: Content) -> ChangeRecord:
        """Edit the message's content. Of a file, only the caption can be edited."""

        def check(message: Message) -> None:
            _require_own(message)
            _require_fit(message, content)

        return await self._change(principal, message_id, "edited", check, content=content)

    async def delete(self, principal: Principal, message_id: UUID) -> ChangeRecord:
        """Delete the message for everyone; cancel it if no attempt may have sent it. If a deletion
        is waiting already, return that."""
        message = await self._get(principal, message_id)
        if message.is_here_alone or message.status is MessageStatus.CANCELED:
            _require_own(message)
            # a session was faster: it is deleted on the network instead
            with suppress(errors.AlreadySentError):
                await self._cancellations.cancel(principal, message_id)
                return _record(message_id, None, "done", new_run_id())
        return await self._change(principal, message_id, "deleted", _require_own)

    async def react(self, principal: Principal, message_id: UUID, emoji: str) -> ChangeRecord:
        """React to the message in the account's name; an empty `emoji` removes the reaction."""
        if emoji and not is_emoji(emoji):
            raise errors.InvalidInputError.at(
                ("body", "emoji"), "it must be one emoji, such as 👍", input=emoji
            )
        return await self._change(
            principal, message_id, "reaction", lambda message: None, emoji=emoji
        )

    async def _get(self, principal: Principal, message_id: UUID) -> Message:
        principal.require("messages:write")
        message = await self._database.read(find_message, principal.tenant, message_id)
        if message is None:
            await self._messages.get(principal, message_id)  # it raises 403 or 404
            raise errors.MessageNotFoundError(message_id)
        principal.require_account(message.account_id)
        return message

    async def _change(
        self,
        principal: Principal,
        message_id: UUID,
        kind: ChangeKind,
        check: Callable[[Message], None],
        *,
        content: Content | None = None,
        emoji: str = "",
    ) -> ChangeRecord:
        message = await self._get(principal, message_id)
        account = await self._accounts.find(principal, message.account_id)
        network = self._networks.get_for_account(account.network)
        check(message)
        _require_there(message)
        change_id = self._database.clock.new_id()
        wanted = MessageChange(
            tenant=principal.tenant,
            id=change_id,
            account_id=message.account_id,
            message_id=message_id,
            kind=kind,
            change_id=network.message_id(change_id),
            run_id=new_run_id(),
            created_at=self._database.clock.now(),
            content=content,
            emoji=emoji,
            sent_by=sender_of(principal),
        )
        queued = await self._changes.run(EDIT, principal, self._store, wanted, network)
        if queued is None:
            return _record(message_id, None, "done", wanted.run_id)
        return _record(message_id, queued.id, "queued", queued.run_id)

    async def _store(
        self, change: Change, wanted: MessageChange, network: Network
    ) -> MessageChange | None:
        """Change the message in place, or queue the change; return what is queued."""
        connection, tenant, shard = change.connection, change.tenant, change.tenant.shard
        key = (tenant.organization_id, wanted.message_id)
        message = (await sql.lock_messages(connection, shard, [key])).get(wanted.message_id)
        if message is None:
            raise errors.MessageNotFoundError(wanted.message_id)
        if wanted.content is not None and await _is_editable_in_place(connection, message):
            said = edited(message.content, wanted.content)
            after = replace(message, content=said, message_type=message_type(said))
            await sql.update_contents(connection, shard, [after])
            words = vector_of(tenant.organization_id, encode_content(said)) or ""
            await change_words(connection, tenant, message.id, message.account_id, words)
            return None
        _require_there(message)
        if wanted.kind == "deleted":
            waiting = await find_change(connection, tenant, message.id, "deleted")
            if waiting is not None:
                return waiting
        self._require_changeable(message, wanted.kind, network)
        await insert_change(connection, wanted)
        change.wake(topics.messages_of(wanted.account_id))
        return wanted

    def _require_changeable(self, message: Message, kind: ChangeKind, network: Network) -> None:
        if kind not in network.capabilities.changes:
            raise errors.NotSupportedByNetworkError(network.title, _ACTIONS[kind])
        is_over = message.status in (MessageStatus.FAILED, MessageStatus.CANCELED)
        in_doubt = message.may_have_arrived
        may_be_there = message.sent_at is not None or (in_doubt and kind == "deleted")
        if is_over and not may_be_there:
            raise errors.NotSentError(message.status, in_doubt=in_doubt)
        limits = {
            "edited": network.capabilities.edit_seconds,
            "deleted": network.capabilities.delete_seconds,
        }
        limit = limits.get(kind)
        if limit is None or message.sent_at is None or message.status in BEFORE_SENT:
            return
        if self._database.clock.now() > message.sent_at + timedelta(seconds=limit):
            raise errors.TooOldError(_in_words(limit))


async def _is_editable_in_place(connection: Connection, message: Message) -> bool:
    """Whether no attempt may have sent a locked message, and no earlier edit of it waits."""
    if not message.is_here_alone:
        return False
    return await find_change(connection, message.tenant, message.id, "edited") is None


def _in_words(seconds: int) -> str:
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} seconds"


def _require_own(message: Message) -> None:
    if message.direction is Direction.INBOUND:
        problem = "This message came in: only what was sent from here can be edited or taken back."
        raise errors.InvalidInputError.at(("path", "message_id"), problem, input=str(message.id))


def _require_there(message: Message) -> None:
    if message.deleted_at is not None:
        raise errors.MessageDeletedError


def _require_fit(message: Message, content: Content) -> None:
    """Refuse an edit that would change the kind of the message, and a caption that is too long:
    networks can edit only texts and captions."""
    kind, before = message_type(content), message.message_type
    has_caption = message_type(message.content) in CAPTION_KINDS
    is_caption = has_caption and isinstance(content, Text)
    if kind != before and not is_caption:
        problem = f"The message is of the type '{before}' and stays so: an edit can't change that."
        raise errors.InvalidInputError.at(("body", "content", "type"), problem, input=kind)
    if is_caption and len(content.summary) > MAX_CAPTION:
        problem = f"A caption has at most {MAX_CAPTION} characters."
        raise errors.InvalidInputError.at(("body", "content", "body"), problem)


def _record(message_id: UUID, change_id: UUID | None, status: str, run_id: str) -> ChangeRecord:
    return {
        "success": True,
        "message_id": message_id,
        "change_id": change_id,
        "status": status,
        "run_id": run_id,
    }
