"""What waits to be sent stands in small tables of its own, so that a change of a message's status
touches no index.

Nodes of the release before go on with the table `messages` alone. Triggers mirror what they write:
a message that they insert, put back into the queue, hold, release or end. Their claims are not
mirrored: a row of the queue is a hint, which a claim checks against the message. Nodes of this
release do not meet the conditions of the triggers but for retries, scheduled messages and cancels,
which are rare. A later release drops them: a node that stood still may wake up late.
"""

from alembic import op
from sqlalchemy import text

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

BATCH = 5_000

TABLES = (
    """
    CREATE TABLE IF NOT EXISTS message_queue (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        seq bigint NOT NULL,
        message_id uuid NOT NULL,
        queued_at timestamptz NOT NULL,
        next_attempt_at timestamptz,
        recipient text NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, seq)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS message_queue_backoff
        ON message_queue (shard, organization_id, account_id, recipient, seq)
        WHERE next_attempt_at IS NOT NULL
    """,
    """
    CREATE TABLE IF NOT EXISTS message_claims (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        id uuid NOT NULL,
        message_ids uuid[] NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, id)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS message_schedule (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        message_id uuid NOT NULL,
        scheduled_for timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, message_id)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS message_schedule_due ON message_schedule (scheduled_for, shard)
    """,
)

# With its owner's rights: nodes get theirs on new tables once everything has been migrated.
MIRROR = """
    CREATE OR REPLACE FUNCTION mirror_waiting_message() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        IF NEW.status = 'queued' THEN
            INSERT INTO message_queue (
                shard, organization_id, account_id, seq, message_id, queued_at, next_attempt_at,
                recipient
            ) VALUES (
                NEW.shard, NEW.organization_id, NEW.account_id, NEW.seq, NEW.id,
                coalesce(NEW.queued_at, NEW.created_at), NEW.next_attempt_at, NEW.recipient
            )
            ON CONFLICT (shard, organization_id, account_id, seq)
            DO UPDATE SET next_attempt_at = excluded.next_attempt_at;
        ELSIF NEW.status = 'scheduled' THEN
            INSERT INTO message_schedule (
                shard, organization_id, account_id, message_id, scheduled_for
            ) VALUES (
                NEW.shard, NEW.organization_id, NEW.account_id, NEW.id, NEW.scheduled_for
            )
            ON CONFLICT (shard, organization_id, account_id, message_id) DO NOTHING;
        ELSE
            DELETE FROM message_queue
            WHERE shard = NEW.shard AND organization_id = NEW.organization_id
              AND account_id = NEW.account_id AND seq = NEW.seq;
        END IF;
        RETURN NULL;
    END
    $$
"""

# Nodes of this release insert messages with the epoch 0, those before with none.
TRIGGERS = (
    """
    CREATE OR REPLACE TRIGGER messages_inserted AFTER INSERT ON messages FOR EACH ROW
    WHEN (
        NEW.claim_epoch IS NULL AND (
            NEW.status = 'queued'
            OR NEW.status = 'scheduled' AND NEW.scheduled_for IS NOT NULL
        )
    )
    EXECUTE FUNCTION mirror_waiting_message()
    """,
    """
    CREATE OR REPLACE TRIGGER messages_updated
    AFTER UPDATE OF status, next_attempt_at ON messages FOR EACH ROW
    WHEN (
        NEW.status = 'queued' AND (
            OLD.status <> 'queued' OR OLD.next_attempt_at IS DISTINCT FROM NEW.next_attempt_at
        )
        OR OLD.status = 'queued' AND NEW.status IN ('canceled', 'failed')
    )
    EXECUTE FUNCTION mirror_waiting_message()
    """,
)

# Each returns the last key that it has read, where the next batch goes on. What changes meanwhile
# is written by the triggers, which are there already.
COPY_QUEUED = """
    WITH batch AS MATERIALIZED (
        SELECT shard, organization_id, account_id, seq, id, queued_at, created_at, next_attempt_at,
            recipient
        FROM messages
        WHERE status = 'queued' AND (shard, organization_id, account_id, seq) > (
            :shard, CAST(:organization_id AS uuid), CAST(:account_id AS uuid), :seq
        )
        ORDER BY shard, organization_id, account_id, seq LIMIT :batch
    ), copied AS (
        INSERT INTO message_queue (
            shard, organization_id, account_id, seq, message_id, queued_at, next_attempt_at,
            recipient
        )
        SELECT shard, organization_id, account_id, seq, id, coalesce(queued_at, created_at),
            next_attempt_at, recipient
        FROM batch ORDER BY shard, organization_id, account_id, seq
        ON CONFLICT (shard, organization_id, account_id, seq) DO NOTHING
    )
    SELECT shard, organization_id, account_id, seq FROM batch
    ORDER BY shard DESC, organization_id DESC, account_id DESC, seq DESC LIMIT 1
"""
COPY_SCHEDULED = """
    INSERT INTO message_schedule (shard, organization_id, account_id, message_id, scheduled_for)
    SELECT shard, organization_id, account_id, id, scheduled_for FROM messages
    WHERE status = 'scheduled' AND scheduled_for IS NOT NULL
    ON CONFLICT (shard, organization_id, account_id, message_id) DO NOTHING
"""
NIL = "00000000-0000-0000-0000-000000000000"


def upgrade() -> None:
    with op.get_context().autocommit_block():  # messages are in use (decision 28)
        for statement in (*TABLES, MIRROR, *TRIGGERS, COPY_SCHEDULED):
            op.execute(statement)
        _copy_queued()


def _copy_queued() -> None:
    """Copy what waits, in transactions of a batch: who changes a message waits for its batch."""
    key: dict[str, object] = {
        "shard": -1,
        "organization_id": NIL,
        "account_id": NIL,
        "seq": 0,
    }
    while key:
        found = op.get_bind().execute(text(COPY_QUEUED), {**key, "batch": BATCH}).mappings().first()
        key = dict(found) if found else {}
