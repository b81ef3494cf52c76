"""Whose phone has made a group: that phone shows the group and its invite links."""

from alembic import op

revision = "sandbox_0003"
down_revision = "sandbox_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sandbox.groups ADD COLUMN account_id uuid")
    op.execute(
        "CREATE INDEX groups_account ON sandbox.groups (account_id) WHERE account_id IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE sandbox.groups DROP COLUMN account_id")
