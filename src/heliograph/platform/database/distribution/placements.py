"""Declares where each table belongs once the database is spread over several servers.

A revision that adds a table to the core must add it here; a test fails if it is missing.
"""

from enum import StrEnum

CORE_SCHEMA = "public"
COLUMN = "shard"
"""The column by which tables are distributed: all rows of an organization lie on one server."""


class Placement(StrEnum):
    DISTRIBUTED = "distributed"
    """Its rows are spread over the workers, by their shard."""
    REFERENCE = "reference"
    """Each server has a full copy, and a write goes to all of them at once. It fails while one of
    them is down, so this is for tables that rarely change and are read with tenants' rows.
    """
    LOCAL = "local"
    """It lies on the coordinator alone."""


DISTRIBUTED = (
    "deleted_events",  # first because it is small: all later tables are divided in the same way
    "accounts",
    "account_leases",
    "account_cursors",
    "removed_accounts",
    "contacts",
    "contact_addresses",
    "contact_pictures",
    "chat_groups",
    "conversations",
    "labels",
    "label_changes",
    "conversation_labels",
    "conversation_notes",
    "canned_replies",
    "contact_labels",
    "messages",
    "message_queue",
    "message_claims",
    "message_schedule",
    "message_expiries",
    "message_changes",
    "message_words",
    "message_counts",
    "message_quotas",
    "account_message_counts",
    "account_totals",
    "inbound_keys",
    "idempotency_keys",
    "jobs",
    "webhooks",
    "webhook_leases",
    "events",
    "unlogged_events",
    "deliveries",
    "delivery_queue",
    "delivery_attempts",
    "delivery_counts",
    "media",
    "members",
    "invitations",
    "audit_entries",
)
"""Ordered so that each table comes after those that its foreign keys refer to."""

# Each count of messages asks it for the round, in the statement that writes to the worker.
REFERENCE = ("counter_rounds",)

LOCAL = (
    "alembic_version",
    "organizations",
    "plans",
    "api_keys",
    "users",
    "browser_sessions",
    "nodes",
    "chores",
    "chore_failures",
    "word_marks",
    "secret_canaries",
)

_DECLARED = {
    **dict.fromkeys(DISTRIBUTED, Placement.DISTRIBUTED),
    **dict.fromkeys(REFERENCE, Placement.REFERENCE),
    **dict.fromkeys(LOCAL, Placement.LOCAL),
}


def find_placement(schema: str, table: str) -> Placement | None:
    """Return where a table belongs, or None if the core has no such table.

    Drivers' tables have schemas of their own and stay on the coordinator: their rows have no
    shard, and some of them are made by libraries.
    """
    return _DECLARED.get(table) if schema == CORE_SCHEMA else Placement.LOCAL
