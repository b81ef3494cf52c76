"""Files that came in are rows as uploads are, and messages are found by the ids that others know.

The predicates of the indexes hold for every row that is looked for (decision 10).
"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None
contracts = True  # as 0033: what comes after it can't go before it
adds = True

STATEMENTS = (
    """
    ALTER TABLE media
        ADD COLUMN IF NOT EXISTS account_id uuid,
        ADD COLUMN IF NOT EXISTS key_id text
    """,
    """
    CREATE INDEX CONCURRENTLY IF NOT EXISTS media_uploads
        ON media (shard, organization_id) INCLUDE (id, size) WHERE account_id IS NULL
    """,
    "DROP INDEX CONCURRENTLY IF EXISTS media_sizes",
    """
    CREATE INDEX CONCURRENTLY IF NOT EXISTS media_received
        ON media (shard, organization_id, created_at) WHERE account_id IS NOT NULL
    """,
    """
    CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_chat_message_id
        ON messages (shard, organization_id, chat_message_id) WHERE chat_message_id > ''
    """,
    "DROP INDEX CONCURRENTLY IF EXISTS messages_network_id",  # receipts find messages by that, too
    """
    CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_run_id
        ON messages (shard, organization_id, run_id) WHERE run_id > ''
    """,
)


def upgrade() -> None:
    with op.get_context().autocommit_block():  # all tables are in use (decision 28)
        for statement in STATEMENTS:
            op.execute(statement)
