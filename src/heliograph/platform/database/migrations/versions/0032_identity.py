"""Codes that accept an invitation, and where people and keys come from."""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None
contracts = True  # as 0025: what comes after it can't go before it
adds = True

# One table at a time (decision 28): people sign in meanwhile.
STATEMENTS = (
    "ALTER TABLE invitations ADD COLUMN IF NOT EXISTS code_hash bytea",
    """
    ALTER TABLE browser_sessions
        ADD COLUMN IF NOT EXISTS id uuid NOT NULL DEFAULT gen_random_uuid(),
        ADD COLUMN IF NOT EXISTS address text,
        ADD COLUMN IF NOT EXISTS agent text
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS browser_sessions_of_user ON browser_sessions (user_id, id)
    """,
    "ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS last_used_address text",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
