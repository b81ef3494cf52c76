"""Claims begin behind what is gone, and find it by indexes that the planner can't mistake.

What has never been claimed is told from what has come back into the queue of messages. A node of
the release before does not say which it is, and so all that it queues is looked for from the start.

Queues are nearly empty whenever they are looked at, and while a transaction stays open their
indexes have pages for thousands. From such statistics the planner concludes that any look reads a
whole index, and takes the one that has the fewest pages, which was the primary key of
`delivery_queue`: with nothing but the tenant to go by. So no statistics are made of these tables,
and the key has the webhook as well, which makes it the larger one.

Counters go on in new rows meanwhile: `counter_rounds` has a row as long as they do.
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

UNANALYZED = (
    "autovacuum_analyze_threshold = 2147483647, autovacuum_analyze_scale_factor = 100,"
    " vacuum_truncate = off"
)
STATEMENTS = (
    "ALTER TABLE message_queue ADD COLUMN IF NOT EXISTS fresh boolean NOT NULL DEFAULT false",
    # A build that was cut off leaves an index that is not valid.
    "DROP INDEX CONCURRENTLY IF EXISTS message_queue_again",
    """
    CREATE INDEX CONCURRENTLY message_queue_again
        ON message_queue (shard, organization_id, account_id, seq) WHERE NOT fresh
    """,
    "DROP INDEX CONCURRENTLY IF EXISTS delivery_queue_key",
    """
    CREATE UNIQUE INDEX CONCURRENTLY delivery_queue_key
        ON delivery_queue (shard, organization_id, id) INCLUDE (webhook_id)
    """,
    """
    ALTER TABLE delivery_queue DROP CONSTRAINT IF EXISTS delivery_queue_pkey,
        ADD CONSTRAINT delivery_queue_pkey PRIMARY KEY USING INDEX delivery_queue_key
    """,
    """
    CREATE TABLE IF NOT EXISTS counter_rounds (
        is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
        round integer NOT NULL,
        began_at timestamptz NOT NULL
    )
    """,
    "DROP INDEX CONCURRENTLY IF EXISTS message_counts_rounds",
    """
    CREATE INDEX CONCURRENTLY message_counts_rounds
        ON message_counts (shard, organization_id) WHERE stripe >= 16
    """,
    "DROP INDEX CONCURRENTLY IF EXISTS account_message_counts_rounds",
    """
    CREATE INDEX CONCURRENTLY account_message_counts_rounds
        ON account_message_counts (shard, organization_id) WHERE stripe >= 16
    """,
    f"ALTER TABLE message_queue SET ({UNANALYZED})",
    f"ALTER TABLE delivery_queue SET ({UNANALYZED})",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
