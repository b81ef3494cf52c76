"""The history of one message: its events and deliveries, and an explanation in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from heliograph.core.accounts.model import Account, Restriction
from heliograph.core.accounts.service import AccountService
from heliograph.core.messages.accepting.service import MessageService
from heliograph.core.messages.history_sql import (
    MessageEvent,
    find_conversation_of,
    list_deliveries_of,
    list_message_events,
)
from heliograph.core.messages.model import (
    WAITING,
    Direction,
    MessageStatus,
    may_have_arrived,
)
from heliograph.core.messages.queue.attempts_sql import NO_ATTEMPTS, KeptAttempts, find_attempts
from heliograph.core.messages.serializers import MessageRecord
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.deliveries.service import DeliveryReport
from heliograph.core.webhooks.deliveries.visibility import find_visible
from heliograph.core.webhooks.deliveries_sql import list_attempts
from heliograph.core.webhooks.model import Delivery, DeliveryStatus, Webhook
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.errors import ChatAccountNotFoundError, utc_text
from heliograph.networks.port import AccountStatus
from heliograph.platform.database.pool import Connection, Database

MAX_DELIVERIES = 20
"""How many of the last deliveries are returned, with their attempts."""
_MAY_BE_THERE = (
    "The chat network did not answer an attempt, so the message may be on the phone already"
)


@dataclass(frozen=True, slots=True)
class MessageHistory:
    """`account` is None once it has been removed, `deliveries` for a caller who may not see them.
    `webhooks` are those that the caller may see; `sees_all_webhooks` says whether these are all.
    `conversation_id` is the conversation with the recipient or sender, even if the network has not
    accepted the message."""

    message: MessageRecord
    account: Account | None
    events: Sequence[MessageEvent]
    deliveries: Sequence[DeliveryReport] | None
    webhooks: Mapping[UUID, Webhook]
    attempts: KeptAttempts = NO_ATTEMPTS
    conversation_id: UUID | None = None
    sees_all_webhooks: bool = True

    @property
    def restriction(self) -> Restriction | None:
        """The restriction that holds the message, if one does."""
        found = None if self.account is None else self.account.restriction
        is_held = found is not None and self.attempts.next_attempt_at == found.until
        return found if is_held and self.message["status"] == MessageStatus.QUEUED else None

    @property
    def may_be_canceled(self) -> bool:
        """Whether it is certain that no attempt has sent the message."""
        return self.message["status"] in WAITING and not self.attempts.in_doubt

    @property
    def may_have_arrived(self) -> bool:
        """Whether the message may have reached the phone although no receipt says so."""
        was_taken_back = self.message["deleted_at"] is not None
        in_doubt = self.attempts.in_doubt and not was_taken_back
        return may_have_arrived(self.message["sent_at"], in_doubt=in_doubt)


@dataclass(eq=False)
class MessageHistoryService:
    _database: Database
    _messages: MessageService
    _accounts: AccountService
    _webhooks: WebhookService

    async def get(self, principal: Principal, message_id: UUID) -> MessageHistory:
        """Return the message with its events and deliveries, as far as they are kept.

        Deliveries take the scope `webhooks:read`, and are those to webhooks that the caller may
        see. Raises `MessageNotFoundError`, `OtherOrganizationError` and `AccountNotAllowedError`.
        """
        principal.require("messages:read")
        message = await self._messages.get(principal, message_id)
        times = [
            message["created_at"],
            message["sent_at"],
            message["delivered_at"],
            message["read_at"],
            message["failed_at"],
            message["edited_at"],
            message["deleted_at"],
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
            visible = await find_visible(connection, principal)
            webhook_ids = None if visible is None else visible.webhook_ids
            found = await list_deliveries_of(connection, tenant, events, webhook_ids)
            return events, [
                DeliveryReport(delivery, await list_attempts(connection, delivery))
                for delivery in found[-MAX_DELIVERIES:]
            ]

        events, deliveries = await self._database.read(work)
        account = None
        with suppress(ChatAccountNotFoundError):
            account = await self._accounts.get(principal, message["chat_account_id"])
        webhooks = await self._webhooks.list(principal) if deliveries is not None else []
        tenant, read = principal.tenant, self._database.read
        return MessageHistory(
            message=message,
            account=account,
            events=events,
            deliveries=deliveries,
            webhooks={webhook.id: webhook for webhook in webhooks},
            attempts=await read(find_attempts, tenant, message_id),
            conversation_id=await read(
                find_conversation_of, tenant, message_id, message["contact_id"]
            ),
            sees_all_webhooks=principal.account_ids is None,
        )


def explain(
    history: MessageHistory, *, names_account: bool = True, lists_deliveries: bool = True
) -> list[str]:
    """Explain the history in sentences for people, the most important first.

    `names_account` says whether the caller may see the organization's accounts, `lists_deliveries`
    whether each undelivered webhook delivery gets a sentence of its own instead of one for all.
    """
    return [
        *_about_message(history, names_account),
        *_about_deliveries(history, lists_each=lists_deliveries),
    ]


def _about_message(history: MessageHistory, names_account: bool) -> Iterator[str]:
    message, status = history.message, MessageStatus(history.message["status"])
    if message["deleted_at"] is not None:
        yield "The message was deleted for everyone."
    if message["direction"] == Direction.INBOUND:
        if status is MessageStatus.READ:
            yield "The message came in, and was read."
        else:
            yield "The message came in; nobody has read it here yet."
        return
    yield from _about_sending(history, names_account)


def _about_sending(history: MessageHistory, names_account: bool) -> Iterator[str]:
    message, status = history.message, MessageStatus(history.message["status"])
    tries = message["retry_count"]
    if status is MessageStatus.FAILED:
        yield f"The message failed and is not tried again: {message['failure_reason']}"
    elif status in (MessageStatus.QUEUED, MessageStatus.SENDING):
        yield _why_waiting(history, names_account)
        if tries:
            why = f"; the last time: {reason}" if (reason := message["failure_reason"]) else "."
            yield f"It was tried {tries} time{'' if tries == 1 else 's'}{why}"
    elif status is MessageStatus.SCHEDULED and message["scheduled_for"] is not None:
        yield f"The message is scheduled for {utc_text(message['scheduled_for'])}."
    elif status is MessageStatus.CANCELED:
        yield "The message was canceled before it was sent."
    elif status is MessageStatus.SENT:
        yield (
            "The chat network took the message, and has not said that it reached the phone: the "
            "phone may be switched off, or sends no receipts."
        )
    else:
        yield f"The message is {status.value}: the chat network confirmed it."
    if history.may_have_arrived:
        yield f"{_MAY_BE_THERE}{_what_to_do_in_doubt(history)}"


def _what_to_do_in_doubt(history: MessageHistory) -> str:
    if history.message["status"] != MessageStatus.FAILED:
        return ": it can be deleted, but not canceled."
    can_be_deleted = "" if history.account is None else ": it can be deleted"
    return f"{can_be_deleted}. Sent again, it may arrive twice."


def _why_waiting(history: MessageHistory, names_account: bool) -> str:
    account, restriction = history.account, history.restriction
    if restriction is not None:
        return (
            f"The message is held until {utc_text(restriction.until)}: the chat network "
            f"restricts {_named(account, names_account)}, which may not write to people whom it "
            "has not talked with. It goes out as soon as the restriction ends, or the person "
            "writes first." + (f" {_as_sentence(restriction.reason)}" if restriction.reason else "")
        )
    if not names_account:
        return "The message waits to be sent."
    if account is None:
        return "The message waits, and its account has been removed: it will not be sent."
    if account.status is AccountStatus.CONNECTED:
        return (
            f"The message waits its turn: the account “{account.name}” is connected, and sends at "
            "its own pace, one after another to the same recipient"
            + (", a new number only so many a day." if account.auto_warmer_enabled else ".")
        )
    reason = f" {_as_sentence(account.status_reason)}" if account.status_reason else ""
    return (
        f"The message waits for its account “{account.name}”, which is "
        f"{account.status.value.replace('_', ' ')}.{reason} The message goes out once it is "
        "connected."
    )


def _named(account: Account | None, names_account: bool) -> str:
    return f"the account “{account.name}”" if account and names_account else "the account"


def _as_sentence(reason: str) -> str:
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."


def _about_deliveries(history: MessageHistory, *, lists_each: bool) -> Iterator[str]:
    if history.deliveries is None:
        yield "Deliveries to webhooks are not shown: that takes the scope webhooks:read."
        return
    if history.events and not history.deliveries:
        subscribers = "webhook" if history.sees_all_webhooks else "webhook that this key sees"
        yield (
            f"These events have no deliveries: no {subscribers} subscribed to them at the time, or "
            "the deliveries have been deleted since."
        )
    missing = [
        posted.delivery
        for posted in history.deliveries
        if posted.delivery.status is not DeliveryStatus.DELIVERED
    ]
    if lists_each:
        for delivery in missing:
            yield _about_delivery(delivery, history.webhooks.get(delivery.webhook_id))
    elif missing:
        many = "1 delivery has" if len(missing) == 1 else f"{len(missing)} deliveries have"
        yield f"{many} not arrived: see below."


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
