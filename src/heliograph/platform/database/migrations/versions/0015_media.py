"""Files that organizations upload, and how many bytes of them a plan allows."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

# One table at a time (decision 28): `plans` is in use.
STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS media (
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
        PRIMARY KEY (shard, organization_id, id),
        CHECK (stored_at IS NULL OR sha256 IS NOT NULL)
    )
    """,
    "CREATE INDEX IF NOT EXISTS media_id ON media (id)",
    """
    CREATE INDEX IF NOT EXISTS media_sizes
        ON media (shard, organization_id) INCLUDE (id, size)
    """,
    """
    CREATE INDEX IF NOT EXISTS media_expiry
        ON media (shard, organization_id, expires_at) WHERE stored_at IS NOT NULL
    """,
    "CREATE INDEX IF NOT EXISTS media_unfinished ON media (created_at) WHERE stored_at IS NULL",
    """
    ALTER TABLE plans
        ADD COLUMN IF NOT EXISTS media_bytes bigint,
        ADD COLUMN IF NOT EXISTS max_file_bytes bigint
    """,
    "UPDATE plans SET media_bytes = 1073741824 WHERE name = 'free' AND media_bytes IS NULL",
    "UPDATE plans SET media_bytes = 107374182400 WHERE name = 'pro' AND media_bytes IS NULL",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
