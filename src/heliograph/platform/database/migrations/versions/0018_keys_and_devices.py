"""Keys that are limited to some accounts, and what a network forbids an account for a time."""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

# One table at a time (decision 28): both are in use.
STATEMENTS = (
    "ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS account_ids uuid[]",
    """
    ALTER TABLE accounts
        ADD COLUMN IF NOT EXISTS restriction_kind text,
        ADD COLUMN IF NOT EXISTS restriction_until timestamptz,
        ADD COLUMN IF NOT EXISTS restriction_reason text
    """,
    """
    CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_restricted
        ON accounts (restriction_until, shard) WHERE restriction_until IS NOT NULL
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
