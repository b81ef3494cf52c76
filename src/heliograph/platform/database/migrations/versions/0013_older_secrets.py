"""Secrets from before the last rotation but one, which keep the time that they were promised."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# One table at a time (decision 28): both are in use.
STATEMENTS = (
    """
    ALTER TABLE api_keys
        ADD COLUMN IF NOT EXISTS older_secret_hashes bytea[] NOT NULL DEFAULT '{}',
        ADD COLUMN IF NOT EXISTS older_secrets_expire_at timestamptz[] NOT NULL DEFAULT '{}'
    """,
    """
    ALTER TABLE webhooks
        ADD COLUMN IF NOT EXISTS older_secrets bytea[] NOT NULL DEFAULT '{}',
        ADD COLUMN IF NOT EXISTS older_secrets_expire_at timestamptz[] NOT NULL DEFAULT '{}'
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
