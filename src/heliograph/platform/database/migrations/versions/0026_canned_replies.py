"""Canned replies, and an index by which unread conversations are counted."""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None
contracts = True  # as 0025: what comes after it can't go before it
adds = True

# One table at a time (decision 28): the conversations are in use.
STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS canned_replies (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        shortcut text NOT NULL,
        body text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS canned_replies_shortcut
        ON canned_replies (shard, organization_id, shortcut)
    """,
    """
    CREATE INDEX IF NOT EXISTS conversations_unread ON conversations (shard, organization_id, id)
        WHERE unread_count > 0
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
