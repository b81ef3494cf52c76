"""The topics of wake-ups: what a loop that waits is told of (see `Notifications`).

Nodes of two releases understand each other during a rolling update, so these words stay.
"""

from uuid import UUID

from heliograph.core.tenants.model import Tenant

KEYS = "keys"
"""API keys, organizations or plans changed: what is cached of them is void."""

ACCOUNTS = "accounts"
"""There may be a lease of an account to take."""

WEBHOOKS = "webhooks"
"""There may be a lease of a webhook to take."""

SCHEDULED = "scheduled"
"""A message was scheduled, perhaps for the very next moment."""


def account_changed(account_id: UUID) -> str:
    """The row of the account is another: its session reads it anew."""
    return f"account:{account_id}"


def messages_of(account_id: UUID) -> str:
    """The account has messages to send."""
    return f"messages:{account_id}"


def jobs_of(account_id: UUID) -> str:
    """The account has jobs to do."""
    return f"jobs:{account_id}"


def job_ended(job_id: UUID) -> str:
    return f"job:{job_id}"


def webhook_changed(webhook_id: UUID) -> str:
    """The row of the webhook is another: its worker reads it anew."""
    return f"webhook:{webhook_id}"


def deliveries_of(webhook_id: UUID) -> str:
    """The webhook has deliveries to post."""
    return f"deliveries:{webhook_id}"


def live(tenant: Tenant) -> str:
    """Something happened that pages of the organization show."""
    return f"live:{tenant.organization_id}"
