"""Without the indexes of `messages` that a change of status touches: those updates are HOT.

It contracts: nodes of the release before look for messages by these indexes, and are gone by now.
What such nodes left behind is first put where nodes of this release look for it.
"""

from alembic import op
from sqlalchemy import text

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

BATCH = 5_000

# Under any id: nobody deletes these but who takes the accounts over.
COPY_CLAIMS = """
    INSERT INTO message_claims (shard, organization_id, account_id, id, message_ids)
    SELECT shard, organization_id, account_id, gen_random_uuid(), array_agg(id)
    FROM (
        SELECT shard, organization_id, account_id, id,
            row_number() OVER (PARTITION BY shard, organization_id, account_id) / 256 AS part
        FROM messages
        WHERE status = 'sending' AND to_regclass('messages_sending') IS NOT NULL
    ) AS sending
    GROUP BY shard, organization_id, account_id, part
"""

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

SHRINK = (
    "DROP INDEX CONCURRENTLY IF EXISTS messages_queue",
    "DROP INDEX CONCURRENTLY IF EXISTS messages_backoff",
    "DROP INDEX CONCURRENTLY IF EXISTS messages_sending",
    "DROP INDEX CONCURRENTLY IF EXISTS messages_scheduled",
    # Many are claimed at once: each finds room for its next state beside it (decision 55).
    "ALTER TABLE messages SET (fillfactor = 50)",
)


def upgrade() -> None:
    with op.get_context().autocommit_block():  # messages are in use (decision 28)
        while op.get_bind().execute(text(DELETE_STALE), {"batch": BATCH}).rowcount:
            pass
        op.execute(COPY_CLAIMS)
        for statement in SHRINK:
            op.execute(statement)
