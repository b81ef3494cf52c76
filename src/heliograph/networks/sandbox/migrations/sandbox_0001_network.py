"""The sandbox network: devices, phones, chats, groups and the mailbox.

Every row belongs to an account of the network (`account_id`) or to the network itself; none refers
to a table of the gateway.
"""

from alembic import op

revision = "sandbox_0001"
down_revision = None
branch_labels = ("sandbox",)
depends_on = None

DEVICES = (
    "CREATE SCHEMA sandbox",
    """
    CREATE TABLE sandbox.devices (
        account_id uuid PRIMARY KEY,
        jid text NOT NULL UNIQUE,
        status text NOT NULL CHECK (status IN ('active', 'logged_out', 'banned')),
        registration text NOT NULL,
        session_id uuid,
        refused_until timestamptz,
        registered_at timestamptz NOT NULL,
        silent boolean NOT NULL DEFAULT false,
        restricted_until timestamptz
    )
    """,
    """
    CREATE TABLE sandbox.pairings (
        payload text PRIMARY KEY,
        account_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        accepted boolean NOT NULL DEFAULT false
    )
    """,
    "CREATE INDEX pairings_account ON sandbox.pairings (account_id)",
    """
    CREATE TABLE sandbox.phones (
        account_id uuid NOT NULL,
        jid text NOT NULL,
        name text,
        chat_name text NOT NULL,
        online boolean NOT NULL DEFAULT true,
        picture_version integer NOT NULL DEFAULT 0,
        PRIMARY KEY (account_id, jid)
    )
    """,
    "CREATE INDEX phones_offline ON sandbox.phones (account_id) WHERE NOT online",
)

MESSAGES = (
    """
    CREATE TABLE sandbox.messages (
        account_id uuid NOT NULL,
        chat_message_id text NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        chat_jid text NOT NULL,
        sender_jid text NOT NULL,
        content text NOT NULL,
        sent_at timestamptz NOT NULL,
        reply_to text,
        progress smallint NOT NULL DEFAULT 0,
        PRIMARY KEY (account_id, chat_message_id)
    ) WITH (fillfactor = 85)
    """,
    "CREATE INDEX messages_chat ON sandbox.messages (account_id, chat_jid, seq)",
    # Finds the answers to a message, such as the votes in a poll.
    """
    CREATE INDEX messages_answers ON sandbox.messages (account_id, reply_to)
        WHERE reply_to IS NOT NULL
    """,
    """
    CREATE TABLE sandbox.tries (
        account_id uuid NOT NULL,
        chat_message_id text NOT NULL,
        count integer NOT NULL,
        PRIMARY KEY (account_id, chat_message_id)
    )
    """,
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
    # Files that people send are compressed already.
    "ALTER TABLE sandbox.file_chunks ALTER COLUMN data SET STORAGE EXTERNAL",
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

MAILBOX = (
    """
    CREATE TABLE sandbox.updates (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id uuid NOT NULL,
        chat_jid text NOT NULL,
        chat_message_id text NOT NULL,
        kind text NOT NULL,
        due_at timestamptz NOT NULL,
        CHECK (kind IN ('inbound', 'delivered', 'read', 'failed', 'group', 'changed'))
    )
    """,
    # An account's updates are read in the order of ids, after those already deleted; those that are
    # not due yet are skipped in the index.
    "CREATE INDEX updates_of_account ON sandbox.updates (account_id, id, due_at)",
)

# A phone of `account_id` made the group, and shows it and its invite links.
GROUPS = (
    """
    CREATE TABLE sandbox.groups (
        jid text PRIMARY KEY,
        subject text NOT NULL,
        owner_jid text NOT NULL,
        created_at timestamptz NOT NULL,
        account_id uuid,
        description text NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX groups_owner ON sandbox.groups (owner_jid, subject, created_at)",
    "CREATE INDEX groups_account ON sandbox.groups (account_id) WHERE account_id IS NOT NULL",
    """
    CREATE TABLE sandbox.members (
        group_jid text NOT NULL,
        jid text NOT NULL,
        PRIMARY KEY (group_jid, jid)
    )
    """,
    "CREATE INDEX members_jid ON sandbox.members (jid)",
    """
    CREATE TABLE sandbox.invites (
        code text PRIMARY KEY,
        group_jid text NOT NULL,
        approval boolean NOT NULL,
        revoked boolean NOT NULL DEFAULT false
    )
    """,
    """
    CREATE TABLE sandbox.join_requests (
        group_jid text NOT NULL,
        account_id uuid NOT NULL,
        PRIMARY KEY (group_jid, account_id)
    )
    """,
)


def upgrade() -> None:
    for statement in (*DEVICES, *MESSAGES, *MAILBOX, *GROUPS):
        op.execute(statement)
