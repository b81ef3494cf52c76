"""WhatsApp: what the driver keeps beside the library's own tables, in a schema of both.

The library makes its tables (`whatsmeow_…`) itself. Every row belongs to an account; none refers
to a table of the gateway.
"""

from alembic import op

revision = "whatsapp_0001"
down_revision = None
branch_labels = ("whatsapp",)
depends_on = None

COMMANDS = (
    "CREATE SCHEMA IF NOT EXISTS whatsapp",
    """
    CREATE TABLE whatsapp.sent (
        account_id uuid NOT NULL,
        chat_message_id text NOT NULL,
        remote_id text NOT NULL,
        chat_jid text NOT NULL,
        sent_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, chat_message_id)
    )
    """,
    "CREATE INDEX sent_remote_id ON whatsapp.sent (account_id, remote_id)",
    "CREATE INDEX sent_age ON whatsapp.sent (account_id, sent_at)",
    """
    CREATE TABLE whatsapp.unheard (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id uuid NOT NULL,
        code smallint NOT NULL,
        event bytea NOT NULL
    )
    """,
    "CREATE INDEX unheard_account ON whatsapp.unheard (account_id, id)",
)


def upgrade() -> None:
    for command in COMMANDS:
        op.execute(command)


def downgrade() -> None:
    op.execute("DROP SCHEMA whatsapp CASCADE")
