"""Accounts on networks: their owners, how far they have been read, and what they have sent."""

TABLES = (
    """
    CREATE TABLE accounts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        network text NOT NULL,
        name text NOT NULL,
        session_name text NOT NULL,
        status text NOT NULL,
        status_reason text,
        enabled boolean NOT NULL,
        pairing jsonb,
        phone_number text,
        remote_jid text,
        is_primary boolean NOT NULL,
        message_logging_enabled boolean NOT NULL,
        auto_warmer_enabled boolean NOT NULL,
        send_rate integer,
        settings jsonb NOT NULL,
        secrets bytea,
        contacts_synced_count bigint NOT NULL,
        last_connected_at timestamptz,
        last_health_check_at timestamptz,
        last_contact_sync_at timestamptz,
        last_contact_sync_status text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        warming_since date,
        restriction_kind text,
        restriction_until timestamptz,
        restriction_reason text,
        restrictions_in_a_row integer NOT NULL DEFAULT 0,
        disconnected_since timestamptz,
        told_reason text,
        reopen_asked_at timestamptz,
        PRIMARY KEY (shard, organization_id, id),
        UNIQUE (shard, organization_id, session_name),
        CHECK (status IN ('pairing', 'connecting', 'connected', 'disconnected', 'logged_out'))
    )
    """,
    "CREATE INDEX accounts_id ON accounts (id)",
    "CREATE UNIQUE INDEX accounts_primary ON accounts (shard, organization_id) WHERE is_primary",
    """
    CREATE INDEX accounts_restricted ON accounts (restriction_until, shard)
        WHERE restriction_until IS NOT NULL
    """,
    """
    CREATE TABLE account_leases (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        node_id uuid,
        epoch bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id),
        FOREIGN KEY (shard, organization_id, account_id)
            REFERENCES accounts (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX account_leases_of_node ON account_leases (node_id)",
    # How far sessions have read the messages that their networks keep for them.
    """
    CREATE TABLE account_cursors (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        chat_jid text NOT NULL,
        position text NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, chat_jid),
        FOREIGN KEY (shard, organization_id, account_id)
            REFERENCES accounts (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    # Counts that each batch of messages changes, apart from the rows of the accounts themselves.
    """
    CREATE TABLE account_totals (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        round smallint NOT NULL,
        sent bigint NOT NULL,
        received bigint NOT NULL,
        sent_on date,
        sent_that_day integer NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, round)
    ) WITH (fillfactor = 50)
    """,
    """
    CREATE INDEX account_totals_rounds ON account_totals (shard, organization_id) WHERE round > 0
    """,
    # Removed accounts, until the messages that were waiting to be sent through them are done.
    """
    CREATE TABLE removed_accounts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        message_logging_enabled boolean NOT NULL,
        removed_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id)
    )
    """,
)
