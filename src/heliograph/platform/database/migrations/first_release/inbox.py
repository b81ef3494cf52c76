"""The inbox: conversations, notes, labels of conversations and contacts, and canned replies.

What people filter by has an index only if it selects few rows: every message writes to each index
once more.
"""

TABLES = (
    """
    CREATE TABLE conversations (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        account_id uuid NOT NULL,
        remote_jid text NOT NULL,
        status text NOT NULL,
        unread_count integer NOT NULL,
        contact_id uuid,
        phone_number text,
        is_group boolean NOT NULL,
        chat_group_id uuid,
        assignee_user_id uuid,
        agent_paused boolean NOT NULL,
        subject text,
        last_message_preview text,
        last_message_at timestamptz,
        last_inbound_at timestamptz,
        last_outbound_at timestamptz,
        pinned boolean NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        snoozed_until timestamptz,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (status IN ('open', 'pending', 'snoozed', 'closed'))
    )
    """,
    "CREATE INDEX conversations_id ON conversations (id)",
    """
    CREATE UNIQUE INDEX conversations_chat
        ON conversations (shard, organization_id, account_id, remote_jid)
        WHERE account_id IS NOT NULL
    """,
    """
    CREATE INDEX conversations_of_contact ON conversations (shard, organization_id, contact_id)
        WHERE contact_id IS NOT NULL
    """,
    """
    CREATE INDEX conversations_recent
        ON conversations (shard, organization_id, last_message_at DESC, id)
        WHERE last_message_at IS NOT NULL
    """,
    """
    CREATE INDEX conversations_silent ON conversations (shard, organization_id, id)
        WHERE last_message_at IS NULL
    """,
    "CREATE INDEX conversations_pinned ON conversations (shard, organization_id, id) WHERE pinned",
    """
    CREATE INDEX conversations_unread ON conversations (shard, organization_id, id)
        WHERE unread_count > 0
    """,
    """
    CREATE INDEX conversations_snoozed ON conversations (snoozed_until, shard)
        WHERE status = 'snoozed' AND snoozed_until IS NOT NULL
    """,
    """
    CREATE TABLE conversation_notes (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        conversation_id uuid NOT NULL,
        body text NOT NULL,
        author_kind text NOT NULL,
        author_id text,
        author_name text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        FOREIGN KEY (shard, organization_id, conversation_id)
            REFERENCES conversations (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    # This index begins differently from any key, so that a lookup by id can't use it.
    """
    CREATE INDEX conversation_notes_of_conversation
        ON conversation_notes (conversation_id, shard, organization_id, id)
    """,
    """
    CREATE TABLE labels (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        color text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        UNIQUE (shard, organization_id, name)
    )
    """,
    "CREATE INDEX labels_id ON labels (id)",
    "CREATE UNIQUE INDEX labels_name ON labels (shard, organization_id, lower(name))",
    """
    CREATE TABLE conversation_labels (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        conversation_id uuid NOT NULL,
        label_id uuid NOT NULL,
        PRIMARY KEY (shard, organization_id, conversation_id, label_id),
        FOREIGN KEY (shard, organization_id, conversation_id)
            REFERENCES conversations (shard, organization_id, id) ON DELETE CASCADE,
        FOREIGN KEY (shard, organization_id, label_id)
            REFERENCES labels (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    """
    CREATE INDEX conversation_labels_of_label
        ON conversation_labels (shard, organization_id, label_id, conversation_id)
    """,
    """
    CREATE TABLE contact_labels (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        label_id uuid NOT NULL,
        PRIMARY KEY (shard, organization_id, contact_id, label_id),
        FOREIGN KEY (shard, organization_id, contact_id)
            REFERENCES contacts (shard, organization_id, id) ON DELETE CASCADE,
        CONSTRAINT contact_labels_label FOREIGN KEY (shard, organization_id, label_id)
            REFERENCES labels (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    """
    CREATE INDEX contact_labels_of_label
        ON contact_labels (shard, organization_id, label_id, contact_id)
    """,
    # Changes of labels that have not reached all conversations and contacts with the label yet.
    """
    CREATE TABLE label_changes (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        label_id uuid NOT NULL,
        name_before text NOT NULL,
        color_before text NOT NULL,
        author_kind text NOT NULL,
        author_id text,
        author_name text NOT NULL,
        after_conversation_id uuid,
        after_contact_id uuid,
        told_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        FOREIGN KEY (shard, organization_id, label_id)
            REFERENCES labels (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE canned_replies (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        shortcut text NOT NULL,
        body text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    """
    CREATE UNIQUE INDEX canned_replies_shortcut
        ON canned_replies (shard, organization_id, shortcut)
    """,
)
