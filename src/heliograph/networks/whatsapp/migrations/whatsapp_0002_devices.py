"""WhatsApp: which devices an account has had, so that their keys go with it."""

from alembic import op

revision = "whatsapp_0002"
down_revision = "whatsapp_0001"
branch_labels = None
depends_on = None

COMMANDS = (
    """
    CREATE TABLE whatsapp.devices (
        account_id uuid NOT NULL,
        jid text NOT NULL,
        PRIMARY KEY (account_id, jid)
    )
    """,
    "CREATE INDEX devices_jid ON whatsapp.devices (jid)",
)


def upgrade() -> None:
    for command in COMMANDS:
        op.execute(command)


def downgrade() -> None:
    op.execute("DROP TABLE whatsapp.devices")
