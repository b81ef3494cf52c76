"""How far the accounts' sessions have read what their networks keep for them."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE account_cursors (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        chat_jid text NOT NULL,
        position text NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, chat_jid),
        FOREIGN KEY (shard, organization_id, account_id)
            REFERENCES accounts (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
