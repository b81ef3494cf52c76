"""Remove an account: end what still waits to be sent through it, and have its network forget it.

The account is deleted in one transaction, which inserts a row in `removed_accounts`; its messages
end in small ones. After a crash between them, the janitor of any node finds that row and goes on.
Networks forget the account when the row is deleted: its sessions are closed by then.
"""

from datetime import timedelta
from uuid import UUID

import structlog

from heliograph.core import topics
from heliograph.core.accounts import sql as accounts_sql
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountService
from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.messages.changes_sql import delete_changes_of
from heliograph.core.messages.ending import tell_ends
from heliograph.core.messages.events import log_failure
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.serializers import RenewLink, keep_link
from heliograph.core.messages.statistics_sql import CountChanges, change_message_counts
from heliograph.core.removals.sql import (
    RemovedAccount,
    delete_removed,
    end_waiting_messages,
    insert_removed,
    list_removed,
)
from heliograph.core.tenants.model import Principal
from heliograph.errors import (
    ChatAccountConnectedError,
    ChatAccountNotFoundError,
    InvalidInputError,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import REQUEST_DEADLINE, Connection, Database

log = structlog.get_logger()

BATCH = 500
LATE = timedelta(seconds=60)
"""For this long, a request with a cached account may have a message accepted for it."""
REASON = "The account was removed."


class RemovalService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        accounts: AccountService,
        renew: RenewLink,
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._notifications = notifications
        self._accounts = accounts
        self._renew = renew

    async def remove(self, principal: Principal, account_id: UUID, name: str) -> None:
        """Forget the account, whose name has to be given; its conversations and messages stay.

        What still waits to be sent is canceled; what was just being sent failed; events tell of
        both. Raises `InvalidInputError`, `ChatAccountConnectedError`, and what `AccountService.get`
        raises.
        """
        principal.require("admin:write")
        account = await self._accounts.get(principal, account_id)
        if name != account.name:
            raise InvalidInputError.at(("name",), "This is not the device's name.")
        entry = new_entry(
            self._clock,
            principal,
            AuditAction.ACCOUNT_REMOVED,
            account.id,
            name=account.name,
            network=account.network,
            session_name=account.session_name,
        )
        removed = await self._database.transact(self._delete, account, entry)
        self._notifications.notify(
            topics.FREE_ACCOUNT_LEASES,
            topics.account_changed(account.id),
            topics.live(principal.tenant),
        )
        await end_waiting(self._database, self._notifications, removed, self._renew)

    async def _delete(
        self, connection: Connection, account: Account, entry: AuditEntry
    ) -> RemovedAccount:
        tenant = account.tenant
        locked = await accounts_sql.lock_accounts(
            connection, tenant.shard, [(tenant.organization_id, account.id)]
        )
        if not locked:
            raise ChatAccountNotFoundError(account.id)
        if locked[account.id].status is AccountStatus.CONNECTED:
            raise ChatAccountConnectedError(account.name)
        now = self._clock.now()
        await accounts_sql.delete_account(connection, tenant, account.id, now)
        await record_entry(connection, entry)
        return await insert_removed(connection, account, now)


async def end_waiting(
    database: Database,
    notifications: Notifications,
    removed: RemovedAccount,
    renew: RenewLink,
    *,
    deadline: float | None = REQUEST_DEADLINE,
) -> None:
    """Cancel what waits, and fail what was just being sent. Raises what `transact` does."""
    found = BATCH
    while found == BATCH:
        transact = database.within(deadline).transact
        found, webhooks = await transact(_end_some, database, removed, renew)
        notifications.notify_owner(*map(topics.deliveries_of, webhooks))


async def finish_removals(
    database: Database,
    notifications: Notifications,
    networks: NetworkRegistry,
    renew: RenewLink = keep_link,
) -> None:
    """Finish the removals of all tenants that were cut short, and forget those that are over."""
    for removed in await database.read(list_removed):
        await end_waiting(database, notifications, removed, renew, deadline=None)
        if removed.removed_at >= database.clock.now() - LATE:
            continue
        try:
            for network in networks.list_networks():
                await network.forget(removed.account_id)
        except NetworkError:
            account_id = str(removed.account_id)
            log.warning("a removed account is not forgotten yet", account_id=account_id)
        else:
            await database.within(None).transact(delete_removed, removed=removed)


async def _end_some(
    connection: Connection, database: Database, removed: RemovedAccount, renew: RenewLink
) -> tuple[int, set[UUID]]:
    """End one batch. Returns how many were in it, and the webhooks that have something to
    deliver."""
    tenant = removed.tenant
    # a node that does not know yet of the removal may have taken some
    await delete_changes_of(connection, tenant, removed.account_id)
    found, ended = await end_waiting_messages(
        connection, tenant, removed.account_id, database.clock.now(), REASON, BATCH
    )
    if not ended:
        return found, set()
    keys = sorted((tenant.organization_id, message.id) for message in ended)
    forgetful = () if removed.message_logging_enabled else (removed.account_id,)
    webhooks = await tell_ends(connection, database.clock, tenant.shard, keys, renew, forgetful)
    moves = CountChanges()
    for message in ended:
        moves.move(
            tenant.organization_id,
            removed.account_id,
            message.created_at,
            message.direction,
            message.old,
            message.new,
        )
        if message.new is MessageStatus.FAILED:
            log_failure(message.id, removed.account_id, message.run_id, REASON)
    await change_message_counts(connection, tenant.shard, moves)
    return found, webhooks
