"""WhatsApp: messages that could not be decrypted are told when their sender has not sent them again
by `due_at`; null is at once."""

from alembic import op

revision = "whatsapp_0004"
down_revision = "whatsapp_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE whatsapp.unheard ADD COLUMN due_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE whatsapp.unheard DROP COLUMN due_at")
