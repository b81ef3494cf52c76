"""Without what only nodes of the release before need: their indexes, on which a change of status
wrote, and the copy in `deliveries` of what waits for its first attempt.

What such nodes left behind is first put where nodes of this release look for it.
"""

from alembic import op
from sqlalchemy import text

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None
contracts = True

BATCH = 5_000

DELIVERIES = (
    "DROP TRIGGER IF EXISTS delivery_queue_mirrored ON delivery_queue",
    "DROP INDEX CONCURRENTLY IF EXISTS deliveries_first",
    "DROP INDEX CONCURRENTLY IF EXISTS deliveries_retry",
    "DROP INDEX CONCURRENTLY IF EXISTS deliveries_claimed",
)

# The messages are locked, so that none of them goes back into the queue meanwhile.
DELETE_STALE = """
    DELETE FROM message_queue AS q
    USING (
        SELECT w.shard, w.organization_id, w.account_id, w.seq
        FROM message_queue AS w
        JOIN messages AS m ON m.shard = w.shard AND m.organization_id = w.organization_id
            AND m.id = w.message_id AND m.status <> 'queued'
        LIMIT :batch FOR SHARE OF m SKIP LOCKED
    ) AS stale
    WHERE q.shard = stale.shard AND q.organization_id = stale.organization_id
      AND q.account_id = stale.account_id AND q.seq = stale.seq
"""
# A message is inserted with its row: who sees the one sees the other. A scalar look-up, by the key
# whatever the planner's statistics are.
DELETE_ORPHANS = """
    DELETE FROM message_queue AS q
    WHERE (
        SELECT m.id FROM messages AS m
        WHERE m.shard = q.shard AND m.organization_id = q.organization_id AND m.id = q.message_id
        LIMIT 1
    ) IS NULL
"""

# Under any id: nobody deletes these but who takes the accounts over. With its other name the index
# is not looked for any more, from the moment at which the claims are there.
COPY_CLAIMS = """
    DO $$ BEGIN
        IF to_regclass('messages_sending') IS NOT NULL THEN
            INSERT INTO message_claims (shard, organization_id, account_id, id, message_ids)
            SELECT shard, organization_id, account_id, gen_random_uuid(), array_agg(id)
            FROM (
                SELECT shard, organization_id, account_id, id, row_number() OVER (
                    PARTITION BY shard, organization_id, account_id
                ) / 256 AS part
                FROM messages WHERE status = 'sending'
            ) AS sending
            GROUP BY shard, organization_id, account_id, part;
            ALTER INDEX messages_sending RENAME TO messages_sending_before;
        END IF;
    END $$
"""

MESSAGES = (
    COPY_CLAIMS,
    "DROP INDEX CONCURRENTLY IF EXISTS messages_queue",
    "DROP INDEX CONCURRENTLY IF EXISTS messages_backoff",
    "DROP INDEX CONCURRENTLY IF EXISTS messages_sending_before",
    "DROP INDEX CONCURRENTLY IF EXISTS messages_scheduled",
    # Many are claimed at once: each finds room for its next state beside it (decision 55).
    "ALTER TABLE messages SET (fillfactor = 50)",
)


def upgrade() -> None:
    with op.get_context().autocommit_block():  # both tables are in use (decision 28)
        for statement in DELIVERIES:
            op.execute(statement)
        while op.get_bind().execute(text(DELETE_STALE), {"batch": BATCH}).rowcount:
            pass
        op.execute(DELETE_ORPHANS)
        for statement in MESSAGES:
            op.execute(statement)
