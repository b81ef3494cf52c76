"""Files: those that organizations upload, and those that came in through an account.

The predicates of the indexes are true for every row that is looked up (decision 10).
"""

TABLES = (
    """
    CREATE TABLE media (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        object_key text NOT NULL,
        media_type text NOT NULL,
        size bigint NOT NULL,
        sha256 bytea,
        file_name text,
        node_id uuid,
        created_at timestamptz NOT NULL,
        stored_at timestamptz,
        expires_at timestamptz,
        account_id uuid,
        key_id text,
        idempotency_key text,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (stored_at IS NULL OR sha256 IS NOT NULL)
    )
    """,
    "CREATE INDEX media_id ON media (id)",
    """
    CREATE INDEX media_uploads ON media (shard, organization_id) INCLUDE (id, size)
        WHERE account_id IS NULL
    """,
    """
    CREATE INDEX media_received ON media (shard, organization_id, created_at)
        WHERE account_id IS NOT NULL
    """,
    """
    CREATE INDEX media_expiry ON media (shard, organization_id, expires_at)
        WHERE stored_at IS NOT NULL
    """,
    "CREATE INDEX media_unfinished ON media (created_at) WHERE stored_at IS NULL",
)
