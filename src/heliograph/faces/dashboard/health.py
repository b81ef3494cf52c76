"""What is wrong in an organization, the worst first, each with the page that shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from heliograph.core.accounts.model import Account
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.statistics import DailyCounts
from heliograph.core.webhooks.delivery_report import MAX_WAITING, DeliverySummary, FailingEndpoint
from heliograph.faces.dashboard.badges import badge_of
from heliograph.faces.dashboard.navigation import DELIVERIES, DEVICES, MESSAGES, WEBHOOKS
from heliograph.networks.port import AccountStatus

_SHOWN = 5
"""How many of one kind are named; the others are counted."""
_GONE = (AccountStatus.DISCONNECTED, AccountStatus.LOGGED_OUT)


@dataclass(frozen=True, slots=True)
class Trouble:
    """`kind` and `state` say how it looks (see `badges`), `path` is a page of the organization,
    `since` when it began, if that is known."""

    kind: str
    state: str
    title: str
    path: str
    detail: str = ""
    since: datetime | None = None


def list_troubles(
    accounts: Sequence[Account],
    endpoints: Sequence[FailingEndpoint],
    deliveries: DeliverySummary,
    days: Sequence[DailyCounts],
) -> list[Trouble]:
    found = [
        *_devices(accounts),
        *_webhooks(endpoints),
        *_deliveries(deliveries),
        *_messages(days),
    ]
    return sorted(found, key=lambda trouble: badge_of(trouble.kind, trouble.state).tone != "bad")


def _devices(accounts: Sequence[Account]) -> list[Trouble]:
    now = datetime.now(UTC)
    found = []
    for account in accounts:
        path = f"{DEVICES.path}/{account.id}"
        restriction = account.restriction
        if account.status in _GONE:
            reason = account.status_reason or ""
            found.append(Trouble("device", account.status, account.name, path, reason))
        elif restriction is not None and restriction.until > now:
            reason = restriction.reason or "The network holds back its messages."
            found.append(Trouble("device", "restricted", account.name, path, reason))
    return _first(found, "device", "devices", "disconnected", DEVICES.path)


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
