"""Ends restrictions whose time has passed, of whichever account, by the database's clock."""

from uuid import UUID

from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.restrictions_sql import clear_restriction, list_ended_restrictions
from heliograph.core.accounts.serializers import add_restriction_event
from heliograph.core.events.service import EventBuilder
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

_OVER = "The restriction's time has passed."


async def end_restrictions(database: Database, notifications: Notifications) -> None:
    """End the restrictions of all tenants that are over, each with its event.

    What they held needs nothing: its time has come as well.
    """
    for tenant, account_id in await database.read(list_ended_restrictions, database.clock.now()):
        webhooks = await database.transact(_end, database, tenant, account_id)
        notifications.notify(topics.messages_of(account_id), topics.live(tenant))
        notifications.notify_owner(*[topics.deliveries_of(webhook) for webhook in webhooks])


async def _end(
    connection: Connection, database: Database, tenant: Tenant, account_id: UUID
) -> set[UUID]:
    """Returns the webhooks that have something to deliver."""
    now = database.clock.now()
    locked = await sql.lock_accounts(
        connection, tenant.shard, [(tenant.organization_id, account_id)]
    )
    account = locked.get(account_id)
    if account is None or account.restriction is None or account.restriction.until > now:
        return set()  # another node was faster, or the network has prolonged it
    await clear_restriction(connection, tenant, account_id, now)
    events = EventBuilder(database.clock)
    add_restriction_event(events, replace(account, restriction=None, updated_at=now), _OVER)
    return await fan_out(connection, tenant.shard, events.events, database.clock)
