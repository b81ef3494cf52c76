"""Diagnosis: failed messages, failing webhooks, and the history of one message."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountService
from heliograph.core.messages import reading_sql as store
from heliograph.core.messages.model import Message, MessageStatus
from heliograph.core.messages.reading_sql import (
    MessageEvent,
    list_deliveries_of,
    list_message_events,
    list_with_names,
)
from heliograph.core.messages.serializers import MessageRecord
from heliograph.core.messages.service import MessageService
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.webhooks.deliveries import DeliveryReport
from heliograph.core.webhooks.deliveries_sql import list_attempts
from heliograph.core.webhooks.model import Delivery, DeliveryStatus, Webhook
from heliograph.core.webhooks.service import WebhookService
from heliograph.errors import ChatAccountNotFoundError
from heliograph.networks.port import AccountStatus
from heliograph.platform.database.pool import Connection, Database


class FailedMessage(msgspec.Struct, frozen=True):
    """`conversation_id` is that of the chat it was sent to, None if there is no conversation
    yet."""

    message: Message
    contact_name: str | None
    group_name: str | None
    conversation_id: UUID | None


class FailedMessagePage(msgspec.Struct, frozen=True):
    """Newest first; `more` is the `before` of the next page, None on the last page."""

    messages: Sequence[FailedMessage]
    more: UUID | None


class FailingEndpoint(msgspec.Struct, frozen=True):
    """A webhook that fails or was disabled.

    `waiting` is the number of deliveries that wait for it, counted up to `MAX_WAITING` in each
    state. `last_answer` is the error of the newest attempt that is to be repeated.
    """

    webhook: Webhook
    waiting: int
    last_answer: str | None


class DeliveryHealth(msgspec.Struct, frozen=True):
    """How many of the newest deliveries were delivered, failed, or wait.

    `waiting` counts those to failing endpoints, however old, and those that are tried again, but
    not those that wait for their first attempt.
    """

    delivered: int
    failed: int
    waiting: int

    @property
    def total(self) -> int:
        return self.delivered + self.failed + self.waiting

    @property
    def percent(self) -> str | None:
        """How much was delivered, rounded down so that 100.0 means all; None without any."""
        if not self.total:
            return None
        permille = 1000 * self.delivered // self.total
        return f"{permille // 10}.{permille % 10}"


RECENT_DELIVERIES = 1000
MAX_WAITING = 1000
MAX_SCANNED = 10_000
"""How many messages are read at most for one page of failed ones."""
PAGE = 50
_NEWEST = UUID(int=2**128 - 1)


class FailureService:
    def __init__(self, database: Database, webhooks: WebhookService) -> None:
        self._database = database
        self._webhooks = webhooks

    async def list_messages(
        self, principal: Principal, before: UUID | None = None
    ) -> FailedMessagePage:
        """Return the newest messages that failed, before the one with the id `before`.

        No more than `MAX_SCANNED` messages are read: a page may have few or none, and yet `more`.
        """
        principal.require("messages:read")
        tenant, start = principal.tenant, before or _NEWEST
        ids = await self._database.read(
            store.list_failed_ids, tenant, before=start, scan=MAX_SCANNED, limit=PAGE + 1
        )
        found = await self._database.read(_with_conversations, tenant, ids[:PAGE])
        if len(ids) > PAGE:
            return FailedMessagePage(found, ids[PAGE - 1])
        end = await self._database.read(store.find_scan_end, tenant, before=start, scan=MAX_SCANNED)
        return FailedMessagePage(found, end)

    async def list_failing_endpoints(self, principal: Principal) -> list[FailingEndpoint]:
        """Return the webhooks whose latest attempts all failed, or that are disabled."""
        webhooks = [
            webhook
            for webhook in await self._webhooks.list(principal)
            if webhook.failing_since is not None or not webhook.enabled
        ]
        if not webhooks:
            return []
        waiting = await self._database.read(
            store.count_waiting, principal.tenant, [webhook.id for webhook in webhooks], MAX_WAITING
        )
        return [
            FailingEndpoint(webhook, *waiting.get(webhook.id, (0, None))) for webhook in webhooks
        ]

    async def get_delivery_health(
        self, principal: Principal, failing: Sequence[FailingEndpoint]
    ) -> DeliveryHealth:
        """Count the newest deliveries by outcome, and all that wait for these endpoints."""
        principal.require("webhooks:read")
        ids = [endpoint.webhook.id for endpoint in failing]
        delivered, failed, repeated = await self._database.read(
            store.count_recent, principal.tenant, RECENT_DELIVERIES, ids
        )
        waiting = repeated + sum(endpoint.waiting for endpoint in failing)
        return DeliveryHealth(delivered, failed, waiting)


async def _with_conversations(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> list[FailedMessage]:
    keys = [(tenant.organization_id, id_) for id_ in ids]
    named = await list_with_names(connection, tenant.shard, keys)
    found = [named[key] for key in keys if key in named]
    messages = [named.message for named in found]
    conversations = await store.list_conversations_of(
        connection,
        tenant,
        [(message.id, message.account_id, message.chat_jid) for message in messages],
    )
    return [
        FailedMessage(
            message,
            names.contact,
            names.group,
            message.conversation_id or conversations.get(message.id),
        )
        for message, names in found
    ]


MAX_DELIVERIES = 20
"""How many of the last deliveries are returned, with their attempts."""


@dataclass(frozen=True, slots=True)
class MessageHistory:
    """`account` is None once it has been removed, `deliveries` for a caller who may not see them.
    `webhooks` are those of the organization."""

    message: MessageRecord
    account: Account | None
    events: Sequence[MessageEvent]
    deliveries: Sequence[DeliveryReport] | None
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
        """Return the message with its events and deliveries, as far as they are kept.

        Deliveries take the scope `webhooks:read`. Raises
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
        ) -> tuple[Sequence[MessageEvent], Sequence[DeliveryReport] | None]:
            tenant = principal.tenant
            events = await list_message_events(
                connection, tenant, message_id, [at for at in times if at is not None]
            )
            if "webhooks:read" not in principal.scopes:
                return events, None
            found = await list_deliveries_of(connection, tenant, events)
            return events, [
                DeliveryReport(delivery, await list_attempts(connection, tenant, delivery.id))
                for delivery in found[-MAX_DELIVERIES:]
            ]

        events, deliveries = await self._database.read(work)
        account = None
        with suppress(ChatAccountNotFoundError):
            account = await self._accounts.get(principal, message["chat_account_id"])
        webhooks = await self._webhooks.list(principal) if deliveries is not None else []
        return MessageHistory(
            message, account, events, deliveries, {webhook.id: webhook for webhook in webhooks}
        )


def explain(history: MessageHistory, *, names_account: bool = True) -> list[str]:
    """Return what the history means, in sentences for a person, the most important first.

    `names_account` says whether the caller may see the organization's accounts.
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
            "There is no delivery of these events: no webhook took them then, or it was so long "
            "ago that their deliveries are no longer kept."
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
        hint = "" if webhook is None else " Enable it, and what waits is posted."
        return f"{what} is not posted: its webhook is {off}, after {tries}{why}.{hint}"
    if delivery.attempt_count:
        return f"{what} has failed so far ({tries}) and is tried again{why}"
    return f"{what} waits for its first attempt."
