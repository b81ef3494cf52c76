"""Webhooks, their owners, and the deliveries to them.

A delivery waits in `delivery_queue`, and is written to `deliveries` with its first attempt, which
is kept in that row; further ones are in `delivery_attempts` (decision 54).
"""

from heliograph.platform.database.migrations.first_release.queues import UNANALYZED

TABLES = (
    """
    CREATE TABLE webhooks (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        url text NOT NULL,
        description text NOT NULL,
        events text[] NOT NULL,
        secret bytea NOT NULL,
        old_secrets bytea[] NOT NULL DEFAULT '{}',
        old_secrets_expire_at timestamptz[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL,
        disabled_reason text,
        disabled_at timestamptz,
        failing_since timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        headers bytea,
        header_names text[] NOT NULL DEFAULT '{}',
        filter_account_ids uuid[],
        filter_chat_type text,
        batch_max_events integer,
        batch_max_wait_ms integer,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    "CREATE INDEX webhooks_id ON webhooks (id)",
    """
    CREATE TABLE webhook_leases (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        webhook_id uuid NOT NULL,
        node_id uuid,
        epoch bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, webhook_id),
        FOREIGN KEY (shard, organization_id, webhook_id)
            REFERENCES webhooks (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX webhook_leases_of_node ON webhook_leases (node_id)",
    # `recorded` is true for deliveries with a row in `deliveries`; `delivery_batch_id` is the id
    # of the batch's first delivery, also for that delivery itself.
    f"""
    CREATE TABLE delivery_queue (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        webhook_id uuid NOT NULL,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        order_key uuid NOT NULL,
        created_at timestamptz NOT NULL,
        attempt_count integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        delivery_batch_id uuid,
        recorded boolean NOT NULL DEFAULT false,
        trace_context text,
        PRIMARY KEY (shard, organization_id, id) INCLUDE (webhook_id)
    ) WITH ({UNANALYZED})
    """,
    """
    CREATE INDEX delivery_queue_first ON delivery_queue (webhook_id, seq)
        WHERE next_attempt_at IS NULL
    """,
    """
    CREATE INDEX delivery_queue_retry
        ON delivery_queue (shard, organization_id, webhook_id, next_attempt_at)
        WHERE next_attempt_at IS NOT NULL
    """,
    """
    CREATE INDEX delivery_queue_batch ON delivery_queue (shard, organization_id, delivery_batch_id)
        WHERE delivery_batch_id IS NOT NULL
    """,
    """
    CREATE TABLE deliveries (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint NOT NULL,
        webhook_id uuid NOT NULL,
        webhook_url text NOT NULL,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        status text NOT NULL,
        retry_count integer NOT NULL,
        attempt_count integer NOT NULL,
        next_attempt_at timestamptz,
        response_code integer,
        error_message text,
        delivered_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        delivery_batch_id uuid,
        first_started_at timestamptz,
        first_duration_ms integer,
        first_response_code integer,
        first_response_body text,
        first_error_message text,
        first_address text,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (status IN ('pending', 'delivered', 'failed', 'canceled'))
    )
    """,
    """
    CREATE INDEX deliveries_recent ON deliveries (shard, organization_id, seq DESC) WHERE seq > 0
    """,
    """
    CREATE INDEX deliveries_batch ON deliveries (shard, organization_id, delivery_batch_id)
        WHERE delivery_batch_id IS NOT NULL
    """,
    # No foreign key: an attempt is inserted by the statement that updates its delivery, and the key
    # would look up and lock each delivery once more.
    """
    CREATE TABLE delivery_attempts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        delivery_id uuid NOT NULL,
        number integer NOT NULL,
        started_at timestamptz NOT NULL,
        duration_ms integer NOT NULL,
        response_code integer,
        response_body text,
        error_message text,
        address text,
        PRIMARY KEY (shard, organization_id, delivery_id, number)
    )
    """,
    """
    CREATE TABLE delivery_counts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        stripe smallint NOT NULL,
        n bigint NOT NULL,
        deleted bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (shard, organization_id, stripe)
    )
    """,
)
