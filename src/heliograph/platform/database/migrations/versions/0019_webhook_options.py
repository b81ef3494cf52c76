"""What a webhook can be told besides its events: own headers, a filter, batches.

`deliveries.batch_id` is the id of the first delivery of the batch, that delivery's own included.
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

# One table at a time (decision 28): both are in use.
STATEMENTS = (
    """
    ALTER TABLE webhooks
        ADD COLUMN IF NOT EXISTS headers bytea,
        ADD COLUMN IF NOT EXISTS header_names text[] NOT NULL DEFAULT '{}',
        ADD COLUMN IF NOT EXISTS filter_account_ids uuid[],
        ADD COLUMN IF NOT EXISTS filter_chat_type text,
        ADD COLUMN IF NOT EXISTS batch_max_events integer,
        ADD COLUMN IF NOT EXISTS batch_max_wait_ms integer
    """,
    "ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS batch_id uuid",
    """
    CREATE INDEX IF NOT EXISTS deliveries_batch ON deliveries (shard, organization_id, batch_id)
        WHERE batch_id IS NOT NULL
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
