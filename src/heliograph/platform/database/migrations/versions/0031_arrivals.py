"""The advertisement that a message came from, and how often in a row an account was restricted."""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None
contracts = True  # as 0025: what comes after it can't go before it
adds = True


def upgrade() -> None:
    with op.get_context().autocommit_block():  # it is in use (decision 28)
        op.execute("ALTER TABLE messages ADD COLUMN IF NOT EXISTS referral jsonb")
        op.execute(
            "ALTER TABLE accounts"
            " ADD COLUMN IF NOT EXISTS restrictions_in_a_row integer NOT NULL DEFAULT 0"
        )
