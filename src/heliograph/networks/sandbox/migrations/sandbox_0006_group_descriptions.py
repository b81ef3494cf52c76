"""Groups have a description."""

from alembic import op

revision = "sandbox_0006"
down_revision = "sandbox_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sandbox.groups ADD COLUMN description text NOT NULL DEFAULT ''")


def downgrade() -> None:
    op.execute("ALTER TABLE sandbox.groups DROP COLUMN description")
