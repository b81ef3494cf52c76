"""Maintenance of accounts by their organization: list queues and recent states, reconnect, log
out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.model import Account, AccountQueue, DeviceChange
from heliograph.core.accounts.pairing import Pairer
from heliograph.core.accounts.reopening import ask_to_reopen_session
from heliograph.core.accounts.serializers import device_record
from heliograph.core.accounts.service import AccountService, require_connected
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import EventType
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    StoredResponse,
    encode_response,
)
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.tenants.model import Principal
from heliograph.errors import ChatAccountNotFoundError
from heliograph.networks.port import AccountStatus
from heliograph.platform.database.pool import Database

CHANGES = 20

RECONNECT = Write(
    scope="admin:write",
    audits=(AuditAction.ACCOUNT_RECONNECTED, AuditAction.ACCOUNT_PAIRED_AGAIN),
    events=(EventType.DEVICE_PAIRING,),
    is_repeatable=True,
)


@dataclass(eq=False)
class AccountMaintenanceService:
    _database: Database
    _changes: Changes
    _accounts: AccountService
    _jobs: JobService
    _pairer: Pairer

    async def list_queues(self, principal: Principal) -> Mapping[UUID, AccountQueue]:
        """List the queues of waiting messages, by account."""
        principal.require("admin:read")
        found = await self._database.read(sql.list_queues, principal.tenant)
        return {queue.account_id: queue for queue in found}

    async def list_changes(self, principal: Principal, account_id: UUID) -> Sequence[DeviceChange]:
        """List the account's latest changes of state, newest first, as far as events are kept."""
        principal.require("admin:read")
        return await self._database.read(sql.list_changes, principal.tenant, account_id, CHANGES)

    async def reconnect(self, principal: Principal, account_id: UUID) -> Account:
        """Reopen the account's session, and return the account; a logged-out one starts pairing.
        Raises what `AccountService.get` raises."""
        RECONNECT.require(principal)
        await self._accounts.get(principal, account_id)
        return await self._changes.run(RECONNECT, principal, self._reconnect, account_id)

    async def _reconnect(self, change: Change, account_id: UUID) -> Account:
        tenant = change.tenant
        keys = [(tenant.organization_id, account_id)]
        found = await sql.lock_accounts(change.connection, tenant.shard, keys)
        if account_id not in found:
            raise ChatAccountNotFoundError(account_id)
        account = found[account_id]
        await ask_to_reopen_session(change, account_id)
        change.wake(topics.live(tenant))
        if account.status is not AccountStatus.LOGGED_OUT:
            change.audit(AuditAction.ACCOUNT_RECONNECTED, account_id)
            return account
        return await self._pairer.pair_anew(change, account, account.settings)

    async def log_out(
        self, principal: Principal, account_id: UUID, key: IdempotencyKey | None = None
    ) -> StoredResponse:
        """End the account's registration on its network, and return 200 with the account. Waits for
        the network.

        Raises `ChatAccountNotConnectedError`, and what `AccountService.get` and a job raise.
        """
        principal.require("admin:write")

        async def plan() -> NewJob:
            account = await self._accounts.get(principal, account_id)
            require_connected(account)
            return NewJob(account.id, JobKind.LOG_OUT, {})

        async def respond(job: Job) -> StoredResponse:
            await self._jobs.wait_for_end(job)
            account = await self._accounts.get(principal, account_id)
            return encode_response(200, device_record(account))

        return await self._jobs.perform(principal, key, plan, respond)
