"""Ends the expired restrictions of all accounts, by the database's clock."""

from uuid import UUID

from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.restrictions_sql import clear_restriction, list_ended_restrictions
from heliograph.core.accounts.serializers import add_restriction_event
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import EventType
from heliograph.core.tenants.model import gateway
from heliograph.platform.database.pool import Database

_OVER = "The restriction's time has passed."

END = Write(
    scope=None,
    unaudited="nobody does it: the time that the network named has passed",
    events=(EventType.DEVICE_UNRESTRICTED,),
)


async def end_restrictions(database: Database, changes: Changes) -> None:
    """End the expired restrictions of all tenants, each with its event.

    Held messages need nothing: they are due now as well.
    """
    for tenant, account_id in await database.read(list_ended_restrictions, database.clock.now()):
        await changes.run(END, gateway(tenant), _end, account_id)


async def _end(change: Change, account_id: UUID) -> None:
    connection, tenant, now = change.connection, change.tenant, change.now
    keys = [(tenant.organization_id, account_id)]
    account = (await sql.lock_accounts(connection, tenant.shard, keys)).get(account_id)
    if account is None or account.restriction is None or account.restriction.until > now:
        return  # another node was faster, or the network has extended it
    await clear_restriction(connection, tenant, account_id, now)
    add_restriction_event(change.events, replace(account, restriction=None, updated_at=now), _OVER)
    change.wake(topics.messages_of(account_id), topics.live(tenant))
