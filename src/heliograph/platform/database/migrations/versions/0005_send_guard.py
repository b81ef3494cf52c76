"""Accounts warm up: how many messages each has sent on its last day is kept. Events whose payload
shall not be kept are remembered until nobody waits for them."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    ALTER TABLE accounts
        ADD COLUMN warming_since date,
        ADD COLUMN sent_on date,
        ADD COLUMN sent_that_day integer NOT NULL DEFAULT 0
    """,
    """
    CREATE TABLE unlogged_events (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        event_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, event_id)
    )
    """,
    "UPDATE accounts SET warming_since = CURRENT_DATE WHERE auto_warmer_enabled",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
