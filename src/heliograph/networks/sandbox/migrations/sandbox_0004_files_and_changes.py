"""Files, what is changed about messages, and who is writing."""

from alembic import op

revision = "sandbox_0004"
down_revision = "sandbox_0003"
branch_labels = None
depends_on = None

COMMANDS = (
    """
    CREATE TABLE sandbox.files (
        chat_message_id text PRIMARY KEY,
        account_id uuid NOT NULL,
        size bigint,
        stored_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX files_account ON sandbox.files (account_id)",
    "CREATE INDEX files_age ON sandbox.files (stored_at)",
    """
    CREATE TABLE sandbox.file_chunks (
        chat_message_id text NOT NULL REFERENCES sandbox.files ON DELETE CASCADE,
        position integer NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (chat_message_id, position)
    )
    """,
    # what people send is compressed already
    "ALTER TABLE sandbox.file_chunks ALTER COLUMN data SET STORAGE EXTERNAL",
    """
    CREATE TABLE sandbox.changes (
        account_id uuid NOT NULL,
        change_id text NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        kind text NOT NULL CHECK (kind IN ('edited', 'deleted', 'reaction')),
        chat_jid text NOT NULL,
        chat_message_id text NOT NULL,
        message_sender_jid text NOT NULL,
        sender_jid text NOT NULL,
        content text,
        emoji text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (account_id, change_id)
    )
    """,
    "CREATE INDEX changes_message ON sandbox.changes (account_id, chat_message_id, seq)",
    """
    CREATE TABLE sandbox.typing (
        account_id uuid NOT NULL,
        chat_jid text NOT NULL,
        began_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, chat_jid)
    )
    """,
)


def upgrade() -> None:
    for command in COMMANDS:
        op.execute(command)


def downgrade() -> None:
    for table in ("typing", "changes", "file_chunks", "files"):
        op.execute(f"DROP TABLE sandbox.{table}")
