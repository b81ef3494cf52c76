"""Accounts that were removed, until what waited to be sent through them has ended."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE removed_accounts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        message_logging_enabled boolean NOT NULL,
        removed_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id)
    )
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
