"""The health of an organization's webhooks: failing endpoints, the success of recent deliveries,
and latencies."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks import deliveries_sql
from heliograph.core.webhooks.deliveries.latencies_sql import WebhookLatency, list_latencies
from heliograph.core.webhooks.model import Webhook
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.platform.database.pool import Database

RECENT_DELIVERIES = 1000
MAX_WAITING = 1000
MAX_TIMED = 5_000
"""How many of the newest deliveries are sampled for latencies."""


class FailingEndpoint(msgspec.Struct, frozen=True):
    """A webhook that fails or was disabled.

    `waiting` is the number of deliveries that wait for it, counted up to `MAX_WAITING` in each
    state. `last_error` is the error of the newest attempt that will be retried.
    """

    webhook: Webhook
    waiting: int
    last_error: str | None


class DeliverySummary(msgspec.Struct, frozen=True):
    """How many of the newest deliveries were delivered, failed, or wait.

    `waiting` counts deliveries to failing endpoints, however old, and retries, but not deliveries
    that wait for their first attempt. `held` are deliveries to disabled webhooks, which are not
    attempted until these are enabled.
    """

    delivered: int
    failed: int
    waiting: int
    held: int = 0

    @property
    def total(self) -> int:
        return self.delivered + self.failed + self.waiting + self.held

    @property
    def percent(self) -> str | None:
        """The percentage delivered, rounded down so that 100.0 means all; None if there are no
        deliveries."""
        if not self.total:
            return None
        permille = 1000 * self.delivered // self.total
        return f"{permille // 10}.{permille % 10}"


class DeliveryReportService:
    def __init__(self, database: Database, webhooks: WebhookService) -> None:
        self._database = database
        self._webhooks = webhooks

    async def list_failing_endpoints(self, principal: Principal) -> list[FailingEndpoint]:
        """List the webhooks whose latest attempts all failed, or that are disabled."""
        webhooks = [
            webhook
            for webhook in await self._webhooks.list(principal)
            if webhook.failing_since is not None or not webhook.enabled
        ]
        if not webhooks:
            return []
        waiting = await self._database.read(
            deliveries_sql.count_waiting_by_webhook,
            principal.tenant,
            [webhook.id for webhook in webhooks],
            MAX_WAITING,
        )
        return [
            FailingEndpoint(webhook, *waiting.get(webhook.id, (0, None))) for webhook in webhooks
        ]

    async def summarize_deliveries(
        self, principal: Principal, failing: Sequence[FailingEndpoint]
    ) -> DeliverySummary:
        """Count the newest deliveries by outcome, and all deliveries that wait for these
        endpoints."""
        principal.require("webhooks:read")
        ids = [endpoint.webhook.id for endpoint in failing]
        delivered, failed, repeated = await self._database.read(
            deliveries_sql.count_recent, principal.tenant, RECENT_DELIVERIES, ids
        )
        held = sum(each.waiting for each in failing if not each.webhook.enabled)
        waiting = repeated + sum(each.waiting for each in failing if each.webhook.enabled)
        return DeliverySummary(delivered, failed, waiting, held)

    async def list_latencies(
        self, principal: Principal, since: datetime, until: datetime
    ) -> list[WebhookLatency]:
        """List the latencies of deliveries created in this time, among the newest `MAX_TIMED`
        ones."""
        principal.require("webhooks:read")
        return await self._database.read(list_latencies, principal.tenant, MAX_TIMED, since, until)
