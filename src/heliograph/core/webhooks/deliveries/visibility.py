"""Which deliveries a caller may see: those of their accounts' events, to webhooks that concern only
these accounts."""

from heliograph.core.events.sql import find_event
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.webhooks.deliveries_sql import Visible, count_deliveries, count_deliveries_of
from heliograph.core.webhooks.model import Delivery, DeliveryCount
from heliograph.core.webhooks.subscriptions.options import may_see
from heliograph.core.webhooks.subscriptions.sql import list_webhooks
from heliograph.errors import AccountNotAllowedError
from heliograph.platform.database.pool import Connection


async def find_visible(connection: Connection, principal: Principal) -> Visible | None:
    """Find which deliveries the caller may see; None means all, including those to deleted
    webhooks."""
    accounts = principal.account_filter
    if accounts is None:
        return None
    webhooks = await list_webhooks(connection, principal.tenant)
    return Visible([webhook.id for webhook in webhooks if may_see(principal, webhook)], accounts)


async def require_visible(connection: Connection, principal: Principal, delivery: Delivery) -> None:
    """Raise `AccountNotAllowedError` for a delivery to a webhook that concerns other accounts, or
    of another account's event from before the webhook's filter was changed."""
    visible = await find_visible(connection, principal)
    if visible is None:
        return
    if delivery.webhook_id not in visible.webhook_ids:
        raise AccountNotAllowedError
    event = await find_event(connection, principal.tenant, delivery.event_id)
    if event is not None and event.account_id is not None:
        principal.require_account(event.account_id)


async def count_visible(
    connection: Connection, tenant: Tenant, visible: Visible | None
) -> DeliveryCount:
    """Count the deliveries that the caller may see. Those of other accounts from before a webhook's
    filter was changed count as well: checking the event of each would take too long."""
    if visible is None:
        return await count_deliveries(connection, tenant)
    return await count_deliveries_of(connection, tenant, visible.webhook_ids)
