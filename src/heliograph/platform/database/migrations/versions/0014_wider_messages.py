"""What more is known of a message, until when it may be sent, and changes that are asked for.

Messages with a time to live and changes stand in small tables of their own: an index on what a
change of status writes would cost every message.
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

WIDEN = """
    ALTER TABLE messages
        ADD COLUMN IF NOT EXISTS metadata jsonb,
        ADD COLUMN IF NOT EXISTS sent_by jsonb,
        ADD COLUMN IF NOT EXISTS expires_at timestamptz,
        ADD COLUMN IF NOT EXISTS edited_at timestamptz,
        ADD COLUMN IF NOT EXISTS deleted_at timestamptz,
        ADD COLUMN IF NOT EXISTS reactions jsonb
"""

TABLES = (
    """
    CREATE TABLE message_expiries (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        message_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, message_id)
    )
    """,
    """
    CREATE INDEX message_expiries_due ON message_expiries (expires_at, shard)
    """,
    """
    CREATE TABLE message_changes (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        account_id uuid NOT NULL,
        message_id uuid NOT NULL,
        kind text NOT NULL,
        content jsonb,
        emoji text NOT NULL,
        change_id text NOT NULL,
        run_id text NOT NULL,
        sent_by jsonb,
        retry_count integer NOT NULL,
        next_attempt_at timestamptz,
        connected_seconds double precision NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (kind IN ('edited', 'deleted', 'reaction'))
    )
    """,
    """
    CREATE INDEX message_changes_queue
        ON message_changes (shard, organization_id, account_id, seq)
    """,
    """
    CREATE INDEX message_changes_of_message
        ON message_changes (shard, organization_id, message_id, seq)
    """,
)


def upgrade() -> None:
    with op.get_context().autocommit_block():  # it is in use (decision 28)
        op.execute(WIDEN)
    for statement in TABLES:
        op.execute(statement)
