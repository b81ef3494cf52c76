"""What is wrong in an organization, the worst first, each with the page that shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from heliograph.core.accounts.model import COUNTED, Account, AccountQueue
from heliograph.core.accounts.states import is_down
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.statistics.service import DailyCounts
from heliograph.core.webhooks.deliveries.report import MAX_WAITING, DeliverySummary, FailingEndpoint
from heliograph.faces.dashboard.devices.state import find_restriction
from heliograph.faces.dashboard.pages.navigation import DELIVERIES, DEVICES, MESSAGES, WEBHOOKS
from heliograph.faces.dashboard.rendering.badges import badge_of

_SHOWN = 5
"""How many of one kind are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """`kind` and `state` say how it looks (see `badges`), `path` is a page of the organization,
    `since` when it began and `until` when it should end, if known."""

    kind: str
    state: str
    title: str
    path: str
    detail: str = ""
    since: datetime | None = None
    until: datetime | None = None


def list_troubles(
    accounts: Sequence[Account],
    queues: Mapping[UUID, AccountQueue],
    endpoints: Sequence[FailingEndpoint],
    deliveries: DeliverySummary,
    days: Sequence[DailyCounts],
    now: datetime,
) -> list[Trouble]:
    """List what is wrong, the worst first; all times are by the database's clock."""
    found = [
        *_devices(accounts, queues, now),
        *_webhooks(endpoints),
        *_deliveries(deliveries),
        *_messages(days),
    ]
    return sorted(found, key=lambda trouble: badge_of(trouble.kind, trouble.state).tone != "bad")


def _devices(
    accounts: Sequence[Account], queues: Mapping[UUID, AccountQueue], now: datetime
) -> list[Trouble]:
    found = []
    for account in accounts:
        path = f"{DEVICES.path}/{account.id}"
        restriction, waiting = find_restriction(account), _waiting(queues.get(account.id))
        if is_down(account, now):
            detail = f"{account.status_reason or ''} {waiting}".strip()
            since = account.disconnected_since
            found.append(Trouble("device", account.status, account.name, path, detail, since))
        elif restriction is not None:
            reason = restriction.reason or "The network holds back its messages."
            detail, until = f"{reason} {waiting}".strip(), restriction.until
            found.append(Trouble("device", "restricted", account.name, path, detail, until=until))
    return _first(found, "device", "devices", "disconnected", DEVICES.path)


def _waiting(queue: AccountQueue | None) -> str:
    """Say how many messages wait for a device."""
    if queue is None or not queue.count:
        return ""
    more = " or more" if queue.count >= COUNTED else ""
    return f"{queue.count:,}{more} {'message waits' if queue.count == 1 else 'messages wait'}."


def _webhooks(endpoints: Sequence[FailingEndpoint]) -> list[Trouble]:
    found = []
    for endpoint in endpoints:
        webhook, path = endpoint.webhook, f"{WEBHOOKS.path}/{endpoint.webhook.id}"
        if webhook.enabled:
            detail = endpoint.last_error or ""
            since = webhook.failing_since
            found.append(Trouble("webhook", "failing", webhook.url, path, detail, since))
        else:
            detail, since = _held(endpoint), webhook.disabled_at
            found.append(Trouble("webhook", "disabled", webhook.url, path, detail, since))
    return _first(found, "webhook", "webhooks", "failing", WEBHOOKS.path)


def _held(endpoint: FailingEndpoint) -> str:
    """Say why a webhook is disabled and how much waits for it."""
    reason = endpoint.webhook.disabled_reason or ""
    if not endpoint.waiting:
        return reason
    more = "or more " if endpoint.waiting >= MAX_WAITING else ""
    noun = "delivery waits" if endpoint.waiting == 1 else "deliveries wait"
    return f"{reason} {endpoint.waiting:,} {more}{noun} until it is enabled.".strip()


def _deliveries(deliveries: DeliverySummary) -> list[Trouble]:
    if not deliveries.waiting:
        return []
    more = " or more" if deliveries.waiting >= MAX_WAITING else ""
    noun = "delivery is" if deliveries.waiting == 1 else "deliveries are"
    title = f"{deliveries.waiting:,}{more} {noun} waiting to be retried"
    return [Trouble("delivery", "pending", title, f"{DELIVERIES.path}?status=pending")]


def _messages(days: Sequence[DailyCounts]) -> list[Trouble]:
    today = days[-1]
    failed = today.counts.get(MessageStatus.FAILED, 0)
    if not failed:
        return []
    title = f"{failed:,} {'message' if failed == 1 else 'messages'} failed today"
    path = f"{MESSAGES.path}?status=failed&since={today.day.isoformat()}"
    return [Trouble("message", "failed", title, path)]


def _first(found: list[Trouble], one: str, several: str, state: str, path: str) -> list[Trouble]:
    """Return the first of one kind, and a line that counts the others."""
    others = len(found) - _SHOWN
    if others <= 0:
        return found
    title = f"{others:,} more {one if others == 1 else several} in trouble"
    return [*found[:_SHOWN], Trouble(one, state, title, path)]
