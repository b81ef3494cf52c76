"""Signals to the other side: typing indicators and read receipts."""

from dataclasses import dataclass
from typing import TypedDict
from uuid import UUID

from heliograph.core.accounts.service import AccountDirectory, require_connected
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.inbox.sql import list_unread_arrivals
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.messages.accepting.recipients import get_chat
from heliograph.core.tenants.model import Principal
from heliograph.errors import (
    ChatAccountNotFoundError,
    NotSupportedByNetworkError,
)
from heliograph.networks.port import AccountStatus
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Database

MAX_MARKED = 100
"""The most messages that are marked as read at once, the newest ones."""


class TypingRecord(TypedDict):
    """The network was notified."""

    success: bool


@dataclass(eq=False)
class SignalService:
    """All methods raise `ConversationNotFoundError`, `OtherOrganizationError` and
    `AccountNotAllowedError`."""

    _database: Database
    _networks: NetworkRegistry
    _directory: AccountDirectory
    _jobs: JobService

    async def set_typing(
        self,
        principal: Principal,
        conversation_id: UUID,
        key: IdempotencyKey | None,
        *,
        is_typing: bool,
    ) -> StoredResponse:
        """Show or withdraw the typing indicator; waits for the network.

        Raises `ChatAccountNotFoundError`, `NotSupportedByNetworkError`,
        `ChatAccountNotConnectedError` and what `wait_for_end` raises.
        """
        principal.require("conversations:write")

        async def plan() -> NewJob:
            chat = await self._database.read(get_chat, principal, conversation_id)
            account = await self._directory.read(principal, chat.account_id)
            network = self._networks.get_for_account(account.network)
            if not network.capabilities.typing:
                raise NotSupportedByNetworkError(network.title, "show that somebody writes")
            require_connected(account)
            request = {"remote_jid": chat.remote_jid, "is_typing": is_typing}
            return NewJob(account.id, JobKind.SET_TYPING, request)

        async def respond(job: Job) -> StoredResponse:
            await self._jobs.wait_for_end(job)
            told: TypingRecord = {"success": True}
            return encode_response(200, told)

        return await self._jobs.perform(principal, key, plan, respond)

    async def mark_read(self, principal: Principal, conversation_id: UUID) -> None:
        """Send read receipts for the unread messages, if the network supports them and the account
        is connected. Must be called before the conversation is marked as read. Does not wait."""
        principal.require("conversations:write")
        chat = await self._database.read(get_chat, principal, conversation_id)
        try:
            account = await self._directory.read(principal, chat.account_id)
        except ChatAccountNotFoundError:
            return  # a removed account still has its conversations
        if account.status is not AccountStatus.CONNECTED:
            return
        if not self._networks.get_for_account(account.network).capabilities.read_marks:
            return
        unread = await self._database.read(
            list_unread_arrivals, principal.tenant, conversation_id, MAX_MARKED
        )
        if unread:
            request = {"remote_jid": chat.remote_jid, "messages": unread}
            await self._jobs.start(principal, NewJob(account.id, JobKind.MARK_READ, request))
