"""When a webhook is disabled: after days without a success, or when its endpoint answers that it is
gone."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus

from heliograph.core.webhooks.model import DeliveryStatus, HealthChange, Outcome

DISABLE_AFTER = timedelta(days=5)
"""How long a webhook may fail without a success before it is disabled: longer than the slowest
retries of a delivery take."""
KEPT_WHILE_DISABLED = timedelta(days=5)
"""How long deliveries wait for a disabled webhook before they are canceled: longer, too."""

REASON_GONE = "The endpoint answered 410 Gone."
REASON_FAILING = f"Every delivery failed for {DISABLE_AFTER.days} days."


def judge_health(
    outcomes: Sequence[Outcome], failing_since: datetime | None
) -> HealthChange | None:
    """Return how these outcomes, at least one, change the health of their webhook.

    Return None if they change nothing.
    """
    since, reason = failing_since, None
    ordered = sorted(outcomes, key=lambda outcome: outcome.ended_at)
    for outcome in ordered:
        if outcome.status is DeliveryStatus.DELIVERED:
            since = None
        else:
            since = since or outcome.ended_at
            reason = reason or _reason(outcome, since)
    if since == failing_since and reason is None:
        return None
    last = ordered[-1]
    return HealthChange(last.lease, since, reason, last.ended_at)


def _reason(outcome: Outcome, failing_since: datetime) -> str | None:
    if outcome.response_code == HTTPStatus.GONE:
        return REASON_GONE
    return REASON_FAILING if outcome.ended_at - failing_since >= DISABLE_AFTER else None
