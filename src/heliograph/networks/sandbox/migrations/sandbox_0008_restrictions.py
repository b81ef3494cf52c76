"""Accounts that may not write to strangers for a time."""

from alembic import op

revision = "sandbox_0008"
down_revision = "sandbox_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sandbox.devices ADD COLUMN IF NOT EXISTS restricted_until timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE sandbox.devices DROP COLUMN restricted_until")
