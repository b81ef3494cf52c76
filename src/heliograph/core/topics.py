"""The topics of notifications, which wake loops that wait (see `Notifications`).

The words must stay: nodes of two releases exchange them during a rolling update.
"""

from uuid import UUID

from heliograph.core.tenants.model import Tenant

_OF_ONE_OWNER = ("messages:", "jobs:", "deliveries:")

API_KEYS = "keys"
"""API keys, organizations or plans changed: the caches of `KeyService` are invalid."""

FREE_ACCOUNT_LEASES = "accounts"
"""A lease of an account may be free: the nodes' `LeaseKeeper` looks."""

FREE_WEBHOOK_LEASES = "webhooks"
"""A lease of a webhook may be free: the nodes' `LeaseKeeper` looks."""

SCHEDULED = "scheduled"
"""A message was scheduled or a conversation snoozed, perhaps until the next moment: the `Janitor`
looks."""


def account_changed(account_id: UUID) -> str:
    """The account's row changed: its session reads it again."""
    return f"account:{account_id}"


def messages_of(account_id: UUID) -> str:
    """The account has messages to send: its `Outbound` claims them."""
    return f"messages:{account_id}"


def jobs_of(account_id: UUID) -> str:
    """The account has jobs to do: its `JobRunner` claims them."""
    return f"jobs:{account_id}"


def job_ended(job_id: UUID) -> str:
    """The job has ended: whoever waits for it reads its result."""
    return f"job:{job_id}"


def webhook_changed(webhook_id: UUID) -> str:
    """The webhook's row changed: its worker reads it again."""
    return f"webhook:{webhook_id}"


def deliveries_of(webhook_id: UUID) -> str:
    """The webhook has deliveries to post: its `DeliveryWorker` claims them."""
    return f"deliveries:{webhook_id}"


def live(tenant: Tenant) -> str:
    """Something happened that pages of the organization show."""
    return f"live:{tenant.organization_id}"


def has_one_owner(topic: str) -> bool:
    """Whether one node alone waits for this: the one that holds the lease, which also looks by
    itself."""
    return topic.startswith(_OF_ONE_OWNER)
