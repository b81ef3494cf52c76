"""What is in trouble: messages that failed, and webhooks that others wait for."""

from collections.abc import Sequence
from uuid import UUID

from heliograph.core.messages import failures_sql as store
from heliograph.core.messages.failures_model import (
    DeliveryHealth,
    EndpointInTrouble,
    FailedMessage,
    FailedMessagePage,
)
from heliograph.core.messages.sql import NamedMessage, list_with_names
from heliograph.core.tenants.organization import Tenant
from heliograph.core.tenants.principal import Principal
from heliograph.core.webhooks.model import Webhook
from heliograph.core.webhooks.service import WebhookService
from heliograph.platform.database.pool import Connection, Database

RECENT_DELIVERIES = 1000
MOST_WAITING = store.MOST_WAITING
SEARCHED = 10_000
"""How many messages one page of the failed ones looks at."""
PAGE = 50
_NEWEST = UUID(int=2**128 - 1)


class FailureService:
    def __init__(self, database: Database, webhooks: WebhookService) -> None:
        self._database = database
        self._webhooks = webhooks

    async def list_messages(
        self, principal: Principal, before: UUID | None = None
    ) -> FailedMessagePage:
        """The newest messages that failed, before the one of this id.

        It looks at no more than `SEARCHED` messages: a page may hold few, even none, and have
        `more` behind it.
        """
        principal.require("messages:read")
        tenant, start = principal.tenant, before or _NEWEST

        async def work(connection: Connection) -> FailedMessagePage:
            ids = await store.list_failed_ids(
                connection, tenant, before=start, scan=SEARCHED, limit=PAGE + 1
            )
            found = await _with_conversations(connection, tenant, ids[:PAGE])
            if len(ids) > PAGE:
                return FailedMessagePage(found, ids[PAGE - 1])
            end = await store.find_scan_end(connection, tenant, before=start, scan=SEARCHED)
            return FailedMessagePage(found, end)

        return await self._database.read(work)

    async def list_endpoints(self, principal: Principal) -> list[EndpointInTrouble]:
        """The webhooks that have only failed lately, or were disabled for it."""
        webhooks = [each for each in await self._webhooks.list(principal) if _is_troubled(each)]
        if not webhooks:
            return []
        waiting = await self._database.read(
            lambda connection: store.count_waiting(
                connection, principal.tenant, [webhook.id for webhook in webhooks]
            )
        )
        return [
            EndpointInTrouble(webhook, *waiting.get(webhook.id, (0, None))) for webhook in webhooks
        ]

    async def judge_deliveries(
        self, principal: Principal, troubled: Sequence[EndpointInTrouble]
    ) -> DeliveryHealth:
        """How the newest deliveries fared, and all that wait for these endpoints."""
        principal.require("webhooks:read")
        ids = [each.webhook.id for each in troubled]
        delivered, failed, repeated = await self._database.read(
            lambda connection: store.count_recent(
                connection, principal.tenant, RECENT_DELIVERIES, ids
            )
        )
        waiting = repeated + sum(each.waiting for each in troubled)
        return DeliveryHealth(delivered, failed, waiting)


def _is_troubled(webhook: Webhook) -> bool:
    return webhook.failing_since is not None or not webhook.enabled


async def _with_conversations(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> list[FailedMessage]:
    keys = [(tenant.organization_id, id_) for id_ in ids]
    named = await list_with_names(connection, tenant.shard, keys)
    found = [named[key] for key in keys if key in named]
    chats = [
        (
            each.message.id,
            each.message.account_id,
            each.message.remote_jid or each.message.recipient,
        )
        for each in found
    ]
    conversations = await store.list_conversations_of(connection, tenant, chats)
    return [_failed(each, conversations.get(each.message.id)) for each in found]


def _failed(named: NamedMessage, conversation_id: UUID | None) -> FailedMessage:
    message = named.message
    return FailedMessage(
        message,
        named.names.contact,
        named.names.group,
        message.conversation_id or conversation_id,
    )
