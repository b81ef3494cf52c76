"""Organizations that are removed: who they were stays until all that was theirs is deleted."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None
contracts = True  # as 0025: what comes after it can't go before it
adds = True


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute(
            "ALTER TABLE organizations ADD COLUMN IF NOT EXISTS removed_at timestamptz",
        )
