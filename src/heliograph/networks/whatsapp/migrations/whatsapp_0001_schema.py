"""WhatsApp: what the driver keeps beside the library's own tables, in a schema of both.

The library makes its tables (`whatsmeow_…`) itself. Every row belongs to an account; none refers
to a table of the gateway.
"""

from alembic import op

revision = "whatsapp_0001"
down_revision = None
branch_labels = ("whatsapp",)
depends_on = None

STATEMENTS = (
    "CREATE SCHEMA IF NOT EXISTS whatsapp",
    # Which devices an account has had, so that their keys go with it.
    """
    CREATE TABLE whatsapp.devices (
        account_id uuid NOT NULL,
        jid text NOT NULL,
        PRIMARY KEY (account_id, jid)
    )
    """,
    "CREATE INDEX devices_jid ON whatsapp.devices (jid)",
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
    # What could not be decrypted is told when its sender has not sent it again by `due_at`; null is
    # at once.
    """
    CREATE TABLE whatsapp.unheard (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id uuid NOT NULL,
        code smallint NOT NULL,
        event bytea NOT NULL,
        due_at timestamptz
    )
    """,
    "CREATE INDEX unheard_account ON whatsapp.unheard (account_id, id)",
    # Messages of which something is needed later, such as the answers of a poll.
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
    for statement in STATEMENTS:
        op.execute(statement)
