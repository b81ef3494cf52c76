"""Connections that stay open and bring nothing any more."""

from alembic import op

revision = "sandbox_0002"
down_revision = "sandbox_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sandbox.devices ADD COLUMN silent boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE sandbox.devices DROP COLUMN silent")
