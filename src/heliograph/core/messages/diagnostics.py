"""Diagnosis: failed messages, failing webhooks, and the history of one message."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountService
from heliograph.core.messages import reading_sql as store
from heliograph.core.messages.model import Message, MessageStatus
from heliograph.core.messages.reading_sql import (
    MessageEvent,
    NamedMessage,
    list_deliveries_of,
    list_message_events,
    list_with_names,
)
from heliograph.core.messages.serializers import MessageRecord
from heliograph.core.messages.service import MessageService
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.webhooks.deliveries_sql import list_attempts
from heliograph.core.webhooks.model import Delivery, DeliveryAttempt, DeliveryStatus, Webhook
from heliograph.core.webhooks.service import WebhookService
from heliograph.errors import ChatAccountNotFoundError
from heliograph.networks.port import AccountStatus
from heliograph.platform.database.pool import Connection, Database


class FailedMessage(msgspec.Struct, frozen=True):
    """`conversation_id` is that of the chat it was meant for, None where nothing was said yet."""

    message: Message
    contact_name: str | None
    group_name: str | None
    conversation_id: UUID | None


class FailedMessagePage(msgspec.Struct, frozen=True):
    """Newest first; `more` is the `before` of the next page, None where all end."""

    messages: Sequence[FailedMessage]
    more: UUID | None


class FailingEndpoint(msgspec.Struct, frozen=True):
    """A webhook that fails or was disabled. `waiting` counts to `MAX_WAITING`; `last_answer` is
    what the newest attempt that is to be repeated came to."""

    webhook: Webhook
    waiting: int
    last_answer: str | None


class DeliveryHealth(msgspec.Struct, frozen=True):
    """What became of the newest deliveries; `waiting` are those to endpoints in trouble, however
    old, and those that are tried again. What is on its first way counts as neither."""

    delivered: int
    failed: int
    waiting: int

    @property
    def total(self) -> int:
        return self.delivered + self.failed + self.waiting

    @property
    def percent(self) -> str | None:
        """How much arrived, rounded down: 100.0 means all. None where nothing was posted."""
        if not self.total:
            return None
        permille = 1000 * self.delivered // self.total
        return f"{permille // 10}.{permille % 10}"


RECENT_DELIVERIES = 1000
MAX_WAITING = store.MAX_WAITING
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

    async def list_failing_endpoints(self, principal: Principal) -> list[FailingEndpoint]:
        """The webhooks that have only failed lately, or were disabled for it."""
        webhooks = [each for each in await self._webhooks.list(principal) if _is_troubled(each)]
        if not webhooks:
            return []
        waiting = await self._database.read(
            store.count_waiting, principal.tenant, [webhook.id for webhook in webhooks]
        )
        return [
            FailingEndpoint(webhook, *waiting.get(webhook.id, (0, None))) for webhook in webhooks
        ]

    async def get_delivery_health(
        self, principal: Principal, troubled: Sequence[FailingEndpoint]
    ) -> DeliveryHealth:
        """How the newest deliveries fared, and all that wait for these endpoints."""
        principal.require("webhooks:read")
        ids = [each.webhook.id for each in troubled]
        delivered, failed, repeated = await self._database.read(
            store.count_recent, principal.tenant, RECENT_DELIVERIES, ids
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


MOST_DELIVERIES = 20
"""Of how many deliveries the attempts are read; they are the last ones."""


@dataclass(frozen=True, slots=True)
class AttemptedDelivery:
    """A delivery with its attempts, in order."""

    delivery: Delivery
    attempts: Sequence[DeliveryAttempt]


@dataclass(frozen=True, slots=True)
class MessageHistory:
    """`message` is the Message record. `account` is None once it has been removed.

    `deliveries` are None for a caller who may not see them, `webhooks` those of the organization.
    """

    message: MessageRecord
    account: Account | None
    events: Sequence[MessageEvent]
    deliveries: Sequence[AttemptedDelivery] | None
    webhooks: Mapping[UUID, Webhook]


class MessageHistoryService:
    def __init__(
        self,
        database: Database,
        messages: MessageService,
        accounts: AccountService,
        webhooks: WebhookService,
    ) -> None:
        self._database = database
        self._messages = messages
        self._accounts = accounts
        self._webhooks = webhooks

    async def get(self, principal: Principal, message_id: UUID) -> MessageHistory:
        """Events and deliveries as far as they are kept.

        Deliveries are there for callers with the scope `webhooks:read`. Raises
        `MessageNotFoundError` and `OtherOrganizationError`.
        """
        principal.require("messages:read")
        message = await self._messages.get(principal, message_id)
        times = [
            message["created_at"],
            message["sent_at"],
            message["delivered_at"],
            message["read_at"],
            message["failed_at"],
            message["updated_at"],
        ]

        async def work(
            connection: Connection,
        ) -> tuple[Sequence[MessageEvent], Sequence[AttemptedDelivery] | None]:
            tenant = principal.tenant
            events = await list_message_events(
                connection, tenant, message_id, [at for at in times if at is not None]
            )
            if "webhooks:read" not in principal.scopes:
                return events, None
            found = await list_deliveries_of(connection, tenant, events)
            return events, [
                AttemptedDelivery(each, await list_attempts(connection, tenant, each.id))
                for each in found[-MOST_DELIVERIES:]
            ]

        events, deliveries = await self._database.read(work)
        account = await self._find_account(principal, message["chat_account_id"])
        webhooks = await self._webhooks.list(principal) if deliveries is not None else []
        return MessageHistory(
            message, account, events, deliveries, {webhook.id: webhook for webhook in webhooks}
        )

    async def _find_account(self, principal: Principal, account_id: UUID) -> Account | None:
        try:
            return await self._accounts.get(principal, account_id)
        except ChatAccountNotFoundError:
            return None


def explain(history: MessageHistory, *, names_account: bool = True) -> list[str]:
    """What the history means, in sentences for a person, the most important first.

    `names_account` is for who may see the organization's accounts.
    """
    return [*_about_message(history, names_account), *_about_deliveries(history)]


def _about_message(history: MessageHistory, names_account: bool) -> Iterator[str]:
    message, status = history.message, MessageStatus(history.message["status"])
    tries = message["retry_count"]
    if status is MessageStatus.FAILED:
        yield f"The message failed and is not tried again: {message['failure_reason']}"
    elif status in (MessageStatus.QUEUED, MessageStatus.SENDING):
        yield _why_waiting(history.account) if names_account else "The message waits to be sent."
        if tries:
            yield f"It was tried {tries} times; the last time: {message['failure_reason']}"
    elif status is MessageStatus.SCHEDULED:
        yield f"The message is scheduled for {message['scheduled_for']:%Y-%m-%dT%H:%M:%SZ}."
    elif status is MessageStatus.CANCELED:
        yield "The message was canceled before it was sent."
    elif status is MessageStatus.SENT:
        yield (
            "The chat network took the message, and has not said that it reached the phone: the "
            "phone may be switched off, or sends no receipts."
        )
    elif status is MessageStatus.RECEIVED:
        yield "The message came in; nobody has read it here yet."
    else:
        yield f"The message is {status.value}: the chat network confirmed it."


def _why_waiting(account: Account | None) -> str:
    if account is None:
        return "The message waits, and its account has been removed: it will not be sent."
    if account.status is AccountStatus.CONNECTED:
        return (
            f"The message waits its turn: the account '{account.name}' is connected, and sends at "
            "its own pace, one after another to the same recipient"
            + (", a new number only so many a day." if account.auto_warmer_enabled else ".")
        )
    reason = f" ({account.status_reason})" if account.status_reason else ""
    return (
        f"The message waits for its account '{account.name}', which is "
        f"{account.status.value.replace('_', ' ')}{reason}. It goes out once that is connected."
    )


def _about_deliveries(history: MessageHistory) -> Iterator[str]:
    if history.deliveries is None:
        yield "Deliveries to webhooks are not shown: that takes the scope webhooks:read."
        return
    if history.events and not history.deliveries:
        yield (
            "There is no delivery of these events: no webhook took them then, or it is so long ago "
            "that deliveries are not kept any more."
        )
    for posted in history.deliveries:
        if posted.delivery.status is not DeliveryStatus.DELIVERED:
            webhook = history.webhooks.get(posted.delivery.webhook_id)
            yield _about_delivery(posted.delivery, webhook)


def _about_delivery(delivery: Delivery, webhook: Webhook | None) -> str:
    what = f"The delivery {delivery.id} of {delivery.event_type} to {delivery.webhook_url}"
    tries = f"{delivery.attempt_count} attempt{'' if delivery.attempt_count == 1 else 's'}"
    why = f": {delivery.error_message}" if delivery.error_message else ""
    if delivery.status is DeliveryStatus.FAILED:
        return f"{what} failed after {tries}{why}"
    if delivery.status is DeliveryStatus.CANCELED:
        return f"{what} was canceled after {tries}{why}"
    if webhook is None or not webhook.enabled:
        off = "deleted" if webhook is None else f"disabled ({webhook.disabled_reason})"
        mend = "" if webhook is None else " Enable it, and what waits is posted."
        return f"{what} is not posted: its webhook is {off}, after {tries}{why}.{mend}"
    if delivery.attempt_count:
        return f"{what} has failed so far ({tries}) and is tried again{why}"
    return f"{what} waits for its first attempt."
