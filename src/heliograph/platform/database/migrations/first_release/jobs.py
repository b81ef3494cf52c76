"""Work that is done for a request after its answer, and answers kept under an idempotency key."""

TABLES = (
    """
    CREATE TABLE jobs (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        account_id uuid NOT NULL,
        kind text NOT NULL,
        status text NOT NULL,
        safe_to_repeat boolean NOT NULL,
        request jsonb NOT NULL,
        result jsonb,
        error jsonb,
        claim_epoch bigint,
        created_at timestamptz NOT NULL,
        deadline timestamptz NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (status IN ('pending', 'running', 'completed', 'failed', 'unknown'))
    )
    """,
    "CREATE INDEX jobs_id ON jobs (id)",
    """
    CREATE INDEX jobs_open ON jobs (shard, organization_id, account_id, seq)
        WHERE status IN ('pending', 'running')
    """,
    """
    CREATE UNIQUE INDEX jobs_one_sync ON jobs (shard, organization_id, account_id)
        WHERE kind = 'sync_contacts' AND status IN ('pending', 'running')
    """,
    """
    CREATE TABLE idempotency_keys (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        key text NOT NULL,
        fingerprint bytea NOT NULL,
        resource_id uuid,
        node_id uuid,
        response_status integer,
        response_body bytea,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, key)
    )
    """,
    "CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at, shard)",
)
