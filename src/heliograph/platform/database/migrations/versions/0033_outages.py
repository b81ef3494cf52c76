"""Outages of accounts: since when one has been without a connection, and what was told of that.

An account that was `connecting` had been told of as disconnected before.
"""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None
contracts = True  # as 0027: what comes after it can't go before it
adds = True


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute(
            "ALTER TABLE accounts ADD COLUMN IF NOT EXISTS disconnected_since timestamptz, "
            "ADD COLUMN IF NOT EXISTS told_reason text"
        )
        op.execute(
            "UPDATE accounts SET disconnected_since = updated_at, "
            "told_reason = CASE WHEN status IN ('connecting', 'disconnected') "
            "THEN coalesce(status_reason, '') END, "
            "status = CASE status WHEN 'connecting' THEN 'disconnected' ELSE status END "
            "WHERE status <> 'connected'"
        )
