"""Changes of messages wait in mailboxes, too."""

from alembic import op

revision = "sandbox_0005"
down_revision = "sandbox_0004"
branch_labels = None
depends_on = None

KINDS = "'inbound', 'delivered', 'read', 'failed', 'group'"


def upgrade() -> None:
    _allow(f"{KINDS}, 'changed'")


def downgrade() -> None:
    op.execute("DELETE FROM sandbox.updates WHERE kind = 'changed'")
    _allow(KINDS)


def _allow(kinds: str) -> None:
    # every row there is has one of them: not valid spares the reading
    op.execute(
        "ALTER TABLE sandbox.updates DROP CONSTRAINT updates_kind_check, "
        f"ADD CONSTRAINT updates_kind_check CHECK (kind IN ({kinds})) NOT VALID"
    )
