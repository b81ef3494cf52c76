"""WhatsApp: messages of which something is needed later, such as the answers of a poll."""

from alembic import op

revision = "whatsapp_0003"
down_revision = "whatsapp_0002"
branch_labels = None
depends_on = None

COMMANDS = (
    """
    CREATE TABLE whatsapp.originals (
        account_id uuid NOT NULL,
        remote_id text NOT NULL,
        message bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, remote_id)
    )
    """,
    "CREATE INDEX originals_age ON whatsapp.originals (account_id, expires_at)",
)


def upgrade() -> None:
    for command in COMMANDS:
        op.execute(command)


def downgrade() -> None:
    op.execute("DROP TABLE whatsapp.originals")
