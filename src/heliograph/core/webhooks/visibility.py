"""Which deliveries a caller may see: those to webhooks that concern only the caller's accounts."""

from collections.abc import Sequence
from uuid import UUID

from heliograph.core.events.sql import find_event
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.webhooks.deliveries_sql import count_deliveries, count_deliveries_of
from heliograph.core.webhooks.model import Delivery, DeliveryCount
from heliograph.core.webhooks.options import may_see
from heliograph.core.webhooks.sql import list_webhooks
from heliograph.errors import AccountNotAllowedError
from heliograph.platform.database.pool import Connection


async def list_visible(connection: Connection, principal: Principal) -> list[UUID] | None:
    """List the webhooks whose deliveries the caller may see; None is all, deleted ones too."""
    if principal.account_ids is None:
        return None
    webhooks = await list_webhooks(connection, principal.tenant)
    return [webhook.id for webhook in webhooks if may_see(principal, webhook)]


async def require_visible(connection: Connection, principal: Principal, delivery: Delivery) -> None:
    """Raise `AccountNotAllowedError` for a delivery to a webhook that concerns other accounts, or
    of another account's event, from before the webhook's filter was changed."""
    visible = await list_visible(connection, principal)
    if visible is None:
        return
    if delivery.webhook_id not in visible:
        raise AccountNotAllowedError
    event = await find_event(connection, principal.tenant, delivery.event_id)
    if event is not None and event.account_id is not None:
        principal.require_account(event.account_id)


async def count_visible(
    connection: Connection, tenant: Tenant, visible: Sequence[UUID] | None
) -> DeliveryCount:
    if visible is None:
        return await count_deliveries(connection, tenant)
    return await count_deliveries_of(connection, tenant, visible)
