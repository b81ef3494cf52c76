"""Groups that an account is in: who is in them, and what their admins may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.accounts.service import AccountDirectory, require_connected
from heliograph.core.groups.participants import find_recipients, read_participants
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.messages.accepting.recipients import get_chat
from heliograph.core.messages.accepting.recipients_sql import ChatAddress
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.names import require_readable
from heliograph.errors import (
    InvalidInputError,
    NotSupportedByNetworkError,
)
from heliograph.networks.addresses import get_address, recipient_of
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.phone_numbers import PhoneNumberError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Database
from heliograph.untrusted import UntrustedText


class ParticipantRecord(TypedDict):
    """A participant of a group."""

    jid: Annotated[UntrustedText, Doc("Their address on the chat network.")]
    role: Annotated[str, Doc("`owner`, `admin` or `member`.")]
    phone_number: str | None
    name: UntrustedText | None


class GroupRecord(TypedDict):
    """A group as the chat network shows it to the account."""

    conversation_id: UUID
    chat_account_id: UUID
    group_jid: UntrustedText
    subject: UntrustedText
    description: UntrustedText
    owner_jid: UntrustedText | None
    created_at: Annotated[UntrustedText | None, Doc("ISO 8601; null if the network does not say.")]
    participants: list[ParticipantRecord]


class RefusedParticipantRecord(TypedDict):
    """A person who was not added."""

    jid: UntrustedText
    reason: Annotated[UntrustedText, Doc("The reason in the chat network's own words.")]


class AddedRecord(TypedDict):
    """Who was added to a group, and who was not."""

    added: list[UntrustedText]
    refused: list[RefusedParticipantRecord]


class InviteLinkRecord(TypedDict):
    """The link through which people join a group."""

    invite_link: str


class LeftGroupRecord(TypedDict):
    """The account is no longer in the group. Its conversation stays."""

    success: bool


@dataclass(eq=False)
class GroupManagementService:
    """All methods wait for the network. They raise `ConversationNotFoundError`,
    `OtherOrganizationError`, `AccountNotAllowedError`, `ChatAccountNotFoundError` for a group of an
    account that was removed, `InvalidInputError` for a conversation that is no group's,
    `NotSupportedByNetworkError`, `ChatAccountNotConnectedError` and what `JobService.wait_for_end`
    raises."""

    _database: Database
    _networks: NetworkRegistry
    _directory: AccountDirectory
    _jobs: JobService

    async def get(self, principal: Principal, conversation_id: UUID) -> GroupRecord:
        """Ask the network for the group."""
        principal.require("groups:read")
        chat = await self._find_group(principal, conversation_id)
        result = await self._ask(principal, chat, JobKind.GET_GROUP, {})
        return _group_record(conversation_id, chat, result)

    async def add(
        self,
        principal: Principal,
        conversation_id: UUID,
        participants: Sequence[str],
        key: IdempotencyKey | None,
    ) -> StoredResponse:
        """Add people. Raises `InvalidInputError` for one who has no address on the network."""
        principal.require("groups:write")
        addresses = await read_participants(participants)

        async def plan() -> NewJob:
            chat = await self._find_group(principal, conversation_id)
            account = await self._directory.read(principal, chat.account_id)
            network = self._networks.get_for_account(account.network)
            given = await find_recipients(network, account, participants, addresses)
            request = {"participants": list(given), "given": given}
            return await self._plan(principal, chat, JobKind.ADD_PARTICIPANTS, request)

        return await self._jobs.perform(principal, key, plan, partial(self._respond, _added_record))

    async def remove(self, principal: Principal, conversation_id: UUID, jid: str) -> None:
        """Remove somebody, by their address on the network or phone number."""
        principal.require("groups:write")
        chat = await self._find_group(principal, conversation_id)
        account = await self._directory.read(principal, chat.account_id)
        network = self._networks.get_for_account(account.network)
        try:
            recipient = network.recipient(recipient_of(get_address(jid)), account.settings)
        except (PhoneNumberError, InvalidAddressError) as error:
            raise InvalidInputError.at(("path", "jid"), error.reason, input=jid) from None
        request = {"participant": recipient}
        await self._ask(principal, chat, JobKind.REMOVE_PARTICIPANT, request)

    async def change(
        self,
        principal: Principal,
        conversation_id: UUID,
        *,
        subject: str | None,
        description: str | None,
    ) -> GroupRecord:
        """Change what is given, which may be nothing, and return the group as it is then."""
        principal.require("groups:write")
        if subject is not None:
            subject = require_readable("A subject", subject, "body", "subject")
        chat = await self._find_group(principal, conversation_id)
        author = msgspec.to_builtins(principal.author)
        wanted = {"subject": subject, "description": description, "changed_by": author}
        changes = subject is not None or description is not None
        kind = JobKind.CHANGE_GROUP if changes else JobKind.GET_GROUP
        result = await self._ask(principal, chat, kind, wanted if changes else {})
        return _group_record(conversation_id, chat, result)

    async def get_invite_link(
        self, principal: Principal, conversation_id: UUID
    ) -> InviteLinkRecord:
        principal.require("groups:write")  # whoever has it can let people in
        chat = await self._find_group(principal, conversation_id)
        result = await self._ask(principal, chat, JobKind.GET_INVITE_LINK, {})
        return {"invite_link": result["invite_link"]}

    async def leave(
        self, principal: Principal, conversation_id: UUID, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Leave the group. Its conversation stays."""
        principal.require("groups:write")

        async def plan() -> NewJob:
            chat = await self._find_group(principal, conversation_id)
            return await self._plan(principal, chat, JobKind.LEAVE_GROUP, {})

        return await self._jobs.perform(principal, key, plan, partial(self._respond, _left_record))

    async def _find_group(self, principal: Principal, conversation_id: UUID) -> ChatAddress:
        chat = await self._database.read(get_chat, principal, conversation_id)
        if not chat.is_group:
            problem = "This conversation is with one person: it is not a group."
            raise InvalidInputError.at(
                ("path", "conversation_id"), problem, input=str(conversation_id)
            )
        return chat

    async def _plan(
        self, principal: Principal, chat: ChatAddress, kind: JobKind, request: dict[str, Any]
    ) -> NewJob:
        account = await self._directory.read(principal, chat.account_id)
        network = self._networks.get_for_account(account.network)
        if not network.capabilities.manage_groups:
            raise NotSupportedByNetworkError(network.title, "manage groups")
        require_connected(account)
        about = {"group": chat.remote_jid, **_about(request)}
        return NewJob(account.id, kind, {"remote_jid": chat.remote_jid, **request}, about)

    async def _ask(
        self, principal: Principal, chat: ChatAddress, kind: JobKind, request: dict[str, Any]
    ) -> dict[str, Any]:
        job = await self._jobs.start(principal, await self._plan(principal, chat, kind, request))
        return (await self._jobs.wait_for_end(job)).result or {}

    async def _respond(self, record: Any, job: Job) -> StoredResponse:
        result = (await self._jobs.wait_for_end(job)).result or {}
        return encode_response(200, record(result))


def _about(request: dict[str, Any]) -> dict[str, Any]:
    """Return the details of a request for the audit log: what changes, and who joins or leaves."""
    named = ("subject", "description", "participants", "participant")
    return {name: request[name] for name in named if request.get(name) is not None}


def _group_record(conversation_id: UUID, chat: ChatAddress, result: dict[str, Any]) -> GroupRecord:
    participants: list[ParticipantRecord] = [
        {
            "jid": participant["remote_jid"],
            "role": participant["role"],
            "phone_number": participant["phone_number"],
            "name": participant["name"],
        }
        for participant in result["participants"]
    ]
    return {
        "conversation_id": conversation_id,
        "chat_account_id": chat.account_id,
        "group_jid": result["remote_jid"],
        "subject": result["subject"],
        "description": result["description"],
        "owner_jid": result["owner_jid"],
        "created_at": result["created_at"],
        "participants": participants,
    }


def _added_record(result: dict[str, Any]) -> AddedRecord:
    refused: dict[str, str] = result["refused"]
    return {
        "added": [jid for jid in result["participants"] if jid not in refused],
        "refused": [{"jid": jid, "reason": reason} for jid, reason in refused.items()],
    }


def _left_record(_result: dict[str, Any]) -> LeftGroupRecord:
    return {"success": True}
