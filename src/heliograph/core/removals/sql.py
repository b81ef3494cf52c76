"""The table `removed_accounts`: accounts whose removal is not finished."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class RemovedAccount(msgspec.Struct, frozen=True):
    tenant: Tenant
    account_id: UUID
    message_logging_enabled: bool
    removed_at: datetime

    @property
    def forgetful(self) -> Collection[UUID]:
        """The account, if the contents of its messages are not kept."""
        return () if self.message_logging_enabled else (self.account_id,)


INSERT_REMOVED = """
INSERT INTO removed_accounts (
    shard, organization_id, account_id, message_logging_enabled, removed_at
) VALUES ($1, $2, $3, $4, $5)
"""


async def insert_removed(connection: Connection, account: Account, at: datetime) -> RemovedAccount:
    removed = RemovedAccount(account.tenant, account.id, account.message_logging_enabled, at)
    await connection.execute(
        INSERT_REMOVED, *removed.tenant, account.id, removed.message_logging_enabled, at
    )
    return removed


LIST_REMOVED = """
SELECT shard, organization_id, account_id, message_logging_enabled, removed_at
FROM removed_accounts
"""

_removed_of = reads(RemovedAccount, tenant=tenant_of)


async def list_removed(connection: Connection) -> list[RemovedAccount]:
    return [_removed_of(row) for row in await connection.fetch(LIST_REMOVED)]


DELETE_REMOVED = """
DELETE FROM removed_accounts WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""


async def delete_removed(connection: Connection, removed: RemovedAccount) -> None:
    await connection.execute(DELETE_REMOVED, *removed.tenant, removed.account_id)
