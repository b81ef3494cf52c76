"""Groups: created on the chat network, or joined through an invite link."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.accounts.service import AccountDirectory, AccountService, require_connected
from heliograph.core.groups.participants import find_recipients, read_participants
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.names import require_readable
from heliograph.errors import InvalidInputError, NotSupportedByNetworkError
from heliograph.networks.errors import InvalidInviteError
from heliograph.networks.port import Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.untrusted import UntrustedText


class CreatedGroupRecord(TypedDict):
    """The group and its conversation."""

    conversation_id: UUID
    group_jid: UntrustedText
    subject: str


class JoinedGroupRecord(TypedDict):
    """The group that was joined."""

    success: bool
    jid: UntrustedText
    name: UntrustedText
    owner_jid: Annotated[
        UntrustedText, Doc("The owner of the group; empty if the network does not say.")
    ]
    group_created: Annotated[
        UntrustedText, Doc("When it was created, in ISO 8601; empty if the network does not say.")
    ]


@dataclass(eq=False)
class GroupService:
    _networks: NetworkRegistry
    _accounts: AccountService
    _directory: AccountDirectory
    _jobs: JobService

    async def create(
        self,
        principal: Principal,
        account_id: UUID,
        subject: str,
        participants: Sequence[str],
        key: IdempotencyKey | None,
    ) -> StoredResponse:
        """Create a group and its conversation; wait for the network.

        Raises `InvalidInputError` for a participant that is no address, and what `wait_for_end`
        and the account's lookup raise.
        """
        principal.require("groups:write")
        subject = require_readable("A subject", subject, "body", "subject")
        addresses = await read_participants(participants)

        async def plan() -> NewJob:
            account = await self._directory.read(principal, account_id)
            network = self._networks.get_for_account(account.network)
            if not network.capabilities.create_group:
                raise NotSupportedByNetworkError(network.title, "create groups")
            given = await find_recipients(network, account, participants, addresses)
            require_connected(account)
            request = {"subject": subject, "participants": list(given), "given": given}
            about = {"subject": subject, "participants": list(given)}
            return NewJob(account.id, JobKind.CREATE_GROUP, request, about)

        async def respond(job: Job) -> StoredResponse:
            result = (await self._jobs.wait_for_end(job)).result or {}
            created: CreatedGroupRecord = {
                "conversation_id": result["conversation_id"],
                "group_jid": result["remote_jid"],
                "subject": result["subject"],
            }
            return encode_response(201, created)

        return await self._jobs.perform(principal, key, plan, respond)

    async def join(
        self, principal: Principal, session_name: str, invite_link: str, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Join a group; wait for the network.

        Raises `SessionNotFoundError`, `InvalidInputError` for a link of the wrong form,
        `InviteRevokedError`, `ApprovalRequiredError`, `AlreadyInGroupError`, and what
        `wait_for_end` raises.
        """
        principal.require("groups:write")

        async def plan() -> NewJob:
            account = await self._accounts.get_by_session_name(principal, session_name)
            network = self._networks.get_for_account(account.network)
            if not network.capabilities.join_group:
                raise NotSupportedByNetworkError(network.title, "join groups by a link")
            _check_invite_link(network, invite_link)
            require_connected(account)
            return NewJob(account.id, JobKind.JOIN_GROUP, {"invite_link": invite_link})

        async def respond(job: Job) -> StoredResponse:
            result = (await self._jobs.wait_for_end(job)).result or {}
            joined: JoinedGroupRecord = {
                "success": True,
                "jid": result["remote_jid"],
                "name": result["subject"],
                "owner_jid": result["owner_jid"] or "",
                "group_created": result["created_at"] or "",
            }
            return encode_response(200, joined)

        return await self._jobs.perform(principal, key, plan, respond)


def _check_invite_link(network: Network, invite_link: str) -> None:
    try:
        network.check_invite_link(invite_link)
    except InvalidInviteError as error:
        raise InvalidInputError.at(
            ("body", "invite_link"), error.reason, input=invite_link
        ) from None
