"""What is waiting to be sent, and until when: small tables next to that of the messages, so that
a change of a message's status touches no index (decision 55)."""

from heliograph.platform.database.migrations.first_release.queues import UNANALYZED

TABLES = (
    # What has been returned to the queue is not `fresh`, and is queried separately (decision 58).
    f"""
    CREATE TABLE message_queue (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        seq bigint NOT NULL,
        message_id uuid NOT NULL,
        queued_at timestamptz NOT NULL,
        next_attempt_at timestamptz,
        recipient text NOT NULL,
        fresh boolean NOT NULL DEFAULT false,
        PRIMARY KEY (shard, organization_id, account_id, seq)
    ) WITH ({UNANALYZED})
    """,
    """
    CREATE INDEX message_queue_again
        ON message_queue (shard, organization_id, account_id, seq) WHERE NOT fresh
    """,
    """
    CREATE INDEX message_queue_backoff
        ON message_queue (shard, organization_id, account_id, recipient, seq)
        WHERE next_attempt_at IS NOT NULL
    """,
    """
    CREATE TABLE message_claims (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        id uuid NOT NULL,
        message_ids uuid[] NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, id)
    )
    """,
    """
    CREATE TABLE message_schedule (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        message_id uuid NOT NULL,
        scheduled_for timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, message_id)
    )
    """,
    "CREATE INDEX message_schedule_due ON message_schedule (scheduled_for, shard)",
    """
    CREATE TABLE message_expiries (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        message_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, message_id)
    )
    """,
    "CREATE INDEX message_expiries_due ON message_expiries (expires_at, shard)",
)
