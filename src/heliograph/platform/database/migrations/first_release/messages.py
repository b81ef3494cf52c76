"""Messages: the record of what was said, words for searches, counts, and requested changes."""

TABLES = (
    # No index covers what a status change writes, and half of each page is left free at first: many
    # are claimed at once, and each has room for its next state on its page (decision 55). A trace
    # id is written only if traces are recorded (decision 69).
    """
    CREATE TABLE messages (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        account_id uuid NOT NULL,
        conversation_id uuid,
        contact_id uuid,
        direction text NOT NULL,
        status text NOT NULL,
        message_type text NOT NULL,
        chat_type text NOT NULL,
        recipient text NOT NULL,
        remote_jid text,
        sender_jid text,
        phone_number text NOT NULL,
        content jsonb NOT NULL,
        chat_message_id text NOT NULL,
        reply_to_message_id uuid,
        reply_to_chat_message_id text,
        run_id text,
        media_type text,
        media_url text,
        variable_values jsonb,
        campaign_id uuid,
        batch_id uuid,
        retry_count integer NOT NULL,
        next_attempt_at timestamptz,
        connected_seconds double precision NOT NULL,
        claim_epoch bigint,
        failure_reason text,
        scheduled_for timestamptz,
        queued_at timestamptz,
        sent_at timestamptz,
        delivered_at timestamptz,
        read_at timestamptz,
        failed_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        metadata jsonb,
        sent_by jsonb,
        expires_at timestamptz,
        edited_at timestamptz,
        deleted_at timestamptz,
        reactions jsonb,
        trace_context text,
        attempts jsonb,
        in_doubt boolean NOT NULL DEFAULT false,
        referral jsonb,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (direction IN ('inbound', 'outbound')),
        CHECK (chat_type IN ('individual', 'group')),
        CHECK (status IN ('scheduled', 'queued', 'sending', 'sent', 'delivered', 'read', 'failed',
                          'canceled', 'received'))
    ) WITH (fillfactor = 50)
    """,
    "CREATE INDEX messages_id ON messages (id)",
    """
    CREATE INDEX messages_thread ON messages (shard, organization_id, conversation_id, seq)
        WHERE conversation_id IS NOT NULL
    """,
    """
    CREATE INDEX messages_chat_message_id ON messages (shard, organization_id, chat_message_id)
        WHERE chat_message_id > ''
    """,
    """
    CREATE INDEX messages_run_id ON messages (shard, organization_id, run_id) WHERE run_id > ''
    """,
    """
    CREATE TABLE inbound_keys (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        chat_jid text NOT NULL,
        sender_jid text NOT NULL,
        chat_message_id text NOT NULL,
        message_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, chat_jid, sender_jid, chat_message_id)
    )
    """,
    "CREATE INDEX inbound_keys_age ON inbound_keys (shard, organization_id, created_at)",
    # Requested changes, until the network has them.
    """
    CREATE TABLE message_changes (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        account_id uuid NOT NULL,
        message_id uuid NOT NULL,
        kind text NOT NULL,
        content jsonb,
        emoji text NOT NULL,
        change_id text NOT NULL,
        run_id text NOT NULL,
        sent_by jsonb,
        retry_count integer NOT NULL,
        next_attempt_at timestamptz,
        connected_seconds double precision NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (kind IN ('edited', 'deleted', 'reaction'))
    )
    """,
    """
    CREATE INDEX message_changes_queue
        ON message_changes (shard, organization_id, account_id, seq)
    """,
    """
    CREATE INDEX message_changes_of_message
        ON message_changes (shard, organization_id, message_id, seq)
    """,
    """
    CREATE TABLE message_words (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        message_id uuid NOT NULL,
        account_id uuid NOT NULL,
        words tsvector NOT NULL,
        PRIMARY KEY (shard, organization_id, message_id)
    )
    """,
    # A search reads the index's list of pending entries, so it is kept short (in KiB).
    """
    CREATE INDEX message_words_words ON message_words USING gin (words)
        WITH (gin_pending_list_limit = 1024)
    """,
    # How far words have been read: of new messages, and of those that were stored late.
    """
    CREATE TABLE word_marks (
        name text PRIMARY KEY,
        read_up_to uuid
    )
    """,
    """
    INSERT INTO word_marks (name, read_up_to)
    VALUES ('new', NULL), ('all', '00000000-0000-0000-0000-000000000000')
    """,
    """
    CREATE TABLE message_counts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        day date NOT NULL,
        direction text NOT NULL,
        status text NOT NULL,
        stripe smallint NOT NULL,
        n bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, day, direction, status, stripe)
    )
    """,
    """
    CREATE INDEX message_counts_rounds ON message_counts (shard, organization_id)
        WHERE stripe >= 16
    """,
    """
    CREATE TABLE account_message_counts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        day date NOT NULL,
        direction text NOT NULL,
        status text NOT NULL,
        stripe smallint NOT NULL,
        n bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, day, direction, status, stripe)
    )
    """,
    """
    CREATE INDEX account_message_counts_rounds ON account_message_counts (shard, organization_id)
        WHERE stripe >= 16
    """,
)
