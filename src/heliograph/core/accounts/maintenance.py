"""The maintenance of accounts by their organization: see what waits and what happened, reconnect,
log out."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.model import Account, AccountQueue, DeviceChange
from heliograph.core.accounts.restrictions_sql import release_held
from heliograph.core.accounts.secrets import reseal_secrets
from heliograph.core.accounts.serializers import add_device_event, device_record
from heliograph.core.accounts.service import AccountService, require_connected
from heliograph.core.audit.model import AuditAction
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.events.service import EventBuilder
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    StoredResponse,
    encode_response,
)
from heliograph.core.idempotency.writes import Keep, keep_nothing
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.errors import ChatAccountNotFoundError
from heliograph.networks.port import AccountStatus
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import SecretBox
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

CHANGES = 20


class AccountMaintenanceService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        networks: NetworkRegistry,
        accounts: AccountService,
        jobs: JobService,
        secret_box: SecretBox,
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._notifications = notifications
        self._networks = networks
        self._accounts = accounts
        self._jobs = jobs
        self._secret_box = secret_box

    async def list_queues(self, principal: Principal) -> Mapping[UUID, AccountQueue]:
        """List what waits to be sent, by account."""
        principal.require("admin:read")
        found = await self._database.read(sql.list_queues, principal.tenant)
        return {queue.account_id: queue for queue in found}

    async def list_changes(self, principal: Principal, account_id: UUID) -> Sequence[DeviceChange]:
        """List the account's latest states, newest first, as far as events are kept."""
        principal.require("admin:read")
        return await self._database.read(sql.list_changes, principal.tenant, account_id, CHANGES)

    async def reconnect(
        self, principal: Principal, account_id: UUID, *, keep: Keep[Account] = keep_nothing
    ) -> Account:
        """Open the account's session anew, and return the account; one that is logged out is paired
        again. Raises what `AccountService.get` raises."""
        principal.require("admin:write")
        account = await self._accounts.get(principal, account_id)
        if account.status is AccountStatus.LOGGED_OUT:
            account = await self._pair_again(principal, account, keep)
        else:
            entry = new_entry(self._clock, principal, AuditAction.ACCOUNT_RECONNECTED, account.id)

            async def work(connection: Connection) -> None:
                await record_entry(connection, entry)
                await keep(connection, account)

            await self._database.transact(work)
        self._notifications.notify(
            topics.account_changed(account.id), topics.live(principal.tenant)
        )
        return account

    async def log_out(self, principal: Principal, account_id: UUID) -> None:
        """End the account's registration on its network; waits for the network.

        Raises `ChatAccountNotConnectedError`, and what `AccountService.get` and a job raise.
        """
        principal.require("admin:write")
        account = await self._accounts.get(principal, account_id)
        require_connected(account)
        entry = new_entry(self._clock, principal, AuditAction.ACCOUNT_LOG_OUT_ASKED, account.id)
        await self._database.transact(record_entry, entry)
        job = await self._jobs.start(principal.tenant, NewJob(account.id, JobKind.LOG_OUT, {}))
        await self._jobs.wait_for_end(job)

    async def request_log_out(
        self, principal: Principal, account_id: UUID, key: IdempotencyKey | None
    ) -> StoredResponse:
        """End the account's registration by a request that may be repeated; answer 200 with the
        account as it is then. Raises what `log_out` raises."""
        principal.require("admin:write")

        async def plan() -> NewJob:
            account = await self._accounts.get(principal, account_id)
            require_connected(account)
            action = AuditAction.ACCOUNT_LOG_OUT_ASKED
            entry = new_entry(self._clock, principal, action, account.id)
            await self._database.transact(record_entry, entry)
            return NewJob(account.id, JobKind.LOG_OUT, {})

        async def respond(job: Job) -> StoredResponse:
            await self._jobs.wait_for_end(job)
            account = await self._accounts.get(principal, account_id)
            return encode_response(200, device_record(account))

        return await self._jobs.perform(principal, key, plan, respond)

    async def _pair_again(
        self, principal: Principal, account: Account, keep: Keep[Account]
    ) -> Account:
        """Forget what the network had the account store. The values of its form stay."""
        tenant, now = principal.tenant, self._clock.now()
        events = EventBuilder(self._clock)
        entry = new_entry(self._clock, principal, AuditAction.ACCOUNT_PAIRED_AGAIN, account.id)
        pairing = msgspec.structs.replace(
            account,
            status=AccountStatus.PAIRING,
            status_reason=None,
            remote_jid=None,
            phone_number=None,
            restriction=None,
            updated_at=now,
        )
        add_device_event(events, pairing)
        form = {field.name for field in self._networks.get_for_account(account.network).form}

        async def work(connection: Connection) -> tuple[Account, set[UUID]]:
            found = await sql.find_for_session(connection, tenant, account.id)
            encrypted = found.encrypted_secrets if found else None
            kept = reseal_secrets(self._secret_box, tenant, account.id, encrypted, form)
            webhooks: set[UUID] = set()
            if await sql.pair_again(connection, tenant, account.id, kept, now):
                await record_entry(connection, entry)
                if account.restriction is not None:
                    until = account.restriction.until
                    await release_held(connection, tenant, account.id, until, now)
                webhooks = await fan_out(connection, tenant.shard, events.events, self._clock)
            stored = await sql.find_account(connection, tenant, account.id)
            if stored is None:
                raise ChatAccountNotFoundError(account.id)
            await keep(connection, stored)
            return stored, webhooks

        stored, webhooks = await self._database.transact(work)
        self._notifications.notify_owner(*[topics.deliveries_of(webhook) for webhook in webhooks])
        return stored
