"""The foundation: every resource, its counters, leases, queues and secrets.

Tables of no tenant (organizations, API keys, nodes, the secret canary) are few and small. Every
tenant's table begins its primary key with `(shard, organization_id)`, and no foreign key leads from
one kind to the other.
"""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = ("core",)
depends_on = None

NO_TENANT = (
    """
    CREATE TABLE organizations (
        id uuid PRIMARY KEY,
        shard integer NOT NULL,
        name text NOT NULL,
        plan text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE api_keys (
        id uuid PRIMARY KEY,
        key_id text NOT NULL UNIQUE,
        organization_id uuid NOT NULL,
        name text NOT NULL,
        display_prefix text NOT NULL,
        secret_hash bytea NOT NULL,
        previous_secret_hash bytea,
        previous_secret_expires_at timestamptz,
        scopes text[],
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CHECK (scopes IS NULL OR cardinality(scopes) > 0)
    )
    """,
    "CREATE INDEX api_keys_of_organization ON api_keys (organization_id, created_at)",
    """
    CREATE TABLE nodes (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        roles text[] NOT NULL,
        version text NOT NULL,
        admin_port integer,
        started_at timestamptz NOT NULL,
        lease_expires_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE secret_canaries (
        key_id text PRIMARY KEY,
        ciphertext bytea NOT NULL,
        created_at timestamptz NOT NULL
    )
    """,
)

ACCOUNTS = (
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
        total_messages_sent bigint NOT NULL,
        total_messages_received bigint NOT NULL,
        contacts_synced_count bigint NOT NULL,
        last_connected_at timestamptz,
        last_health_check_at timestamptz,
        last_contact_sync_at timestamptz,
        last_contact_sync_status text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        UNIQUE (shard, organization_id, session_name),
        CHECK (status IN ('pairing', 'connecting', 'connected', 'disconnected', 'logged_out'))
    )
    """,
    "CREATE INDEX accounts_id ON accounts (id)",
    """
    CREATE UNIQUE INDEX accounts_primary ON accounts (shard, organization_id) WHERE is_primary
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
)

PEOPLE = (
    """
    CREATE TABLE contacts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        phone_number text,
        name text,
        chat_name text,
        merged_into uuid,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    "CREATE INDEX contacts_id ON contacts (id)",
    """
    CREATE UNIQUE INDEX contacts_phone_number ON contacts (shard, organization_id, phone_number)
        WHERE phone_number IS NOT NULL AND merged_into IS NULL
    """,
    """
    CREATE TABLE contact_addresses (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        network text NOT NULL,
        remote_jid text NOT NULL,
        contact_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, network, remote_jid),
        FOREIGN KEY (shard, organization_id, contact_id)
            REFERENCES contacts (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    """
    CREATE INDEX contact_addresses_of_contact
        ON contact_addresses (shard, organization_id, contact_id)
        WHERE contact_id IS NOT NULL
    """,
    """
    CREATE TABLE contact_pictures (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        account_id uuid NOT NULL,
        preview boolean NOT NULL,
        picture_id text NOT NULL,
        object_key text NOT NULL,
        media_type text NOT NULL,
        checked_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, contact_id, account_id, preview),
        FOREIGN KEY (shard, organization_id, contact_id)
            REFERENCES contacts (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE chat_groups (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        account_id uuid NOT NULL,
        remote_jid text NOT NULL,
        subject text NOT NULL,
        owner_jid text,
        participants text[] NOT NULL,
        group_created_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        UNIQUE (shard, organization_id, account_id, remote_jid)
    )
    """,
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
        PRIMARY KEY (shard, organization_id, id),
        CHECK (status IN ('open', 'pending', 'snoozed', 'closed'))
    )
    """,
    """
    CREATE UNIQUE INDEX conversations_chat
        ON conversations (shard, organization_id, account_id, remote_jid)
        WHERE account_id IS NOT NULL
    """,
    "CREATE INDEX conversations_id ON conversations (id)",
    """
    CREATE INDEX conversations_recent
        ON conversations (shard, organization_id, last_message_at DESC, id)
        WHERE last_message_at IS NOT NULL
    """,
    """
    CREATE INDEX conversations_of_contact ON conversations (shard, organization_id, contact_id)
        WHERE contact_id IS NOT NULL
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
)

MESSAGES = (
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
        PRIMARY KEY (shard, organization_id, id),
        CHECK (direction IN ('inbound', 'outbound')),
        CHECK (chat_type IN ('individual', 'group')),
        CHECK (status IN ('scheduled', 'queued', 'sending', 'sent', 'delivered', 'read', 'failed',
                          'canceled', 'received'))
    )
    """,
    "CREATE INDEX messages_id ON messages (id)",
    """
    CREATE INDEX messages_queue ON messages (shard, organization_id, account_id, seq)
        WHERE status = 'queued'
    """,
    """
    CREATE INDEX messages_backoff
        ON messages (shard, organization_id, account_id, recipient, seq)
        WHERE status = 'queued' AND next_attempt_at IS NOT NULL
    """,
    """
    CREATE INDEX messages_sending ON messages (shard, organization_id, account_id)
        WHERE status = 'sending'
    """,
    """
    CREATE INDEX messages_scheduled ON messages (scheduled_for, shard) WHERE status = 'scheduled'
    """,
    """
    CREATE INDEX messages_network_id
        ON messages (shard, organization_id, account_id, chat_message_id)
        WHERE direction = 'outbound'
    """,
    """
    CREATE INDEX messages_thread ON messages (shard, organization_id, conversation_id, seq)
        WHERE conversation_id IS NOT NULL
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
    CREATE TABLE idempotency_keys (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        key text NOT NULL,
        fingerprint bytea NOT NULL,
        resource_id uuid,
        node_id uuid,
        response_status integer,
        response_body bytea,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, key)
    )
    """,
    "CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at, shard)",
    """
    CREATE TABLE jobs (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        account_id uuid NOT NULL,
        kind text NOT NULL,
        status text NOT NULL,
        safe_to_repeat boolean NOT NULL,
        request jsonb NOT NULL,
        result jsonb,
        error jsonb,
        claim_epoch bigint,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (status IN ('pending', 'running', 'completed', 'failed', 'unknown'))
    )
    """,
    """
    CREATE INDEX jobs_open ON jobs (shard, organization_id, account_id, seq)
        WHERE status IN ('pending', 'running')
    """,
    """
    CREATE UNIQUE INDEX jobs_one_sync ON jobs (shard, organization_id, account_id)
        WHERE kind = 'sync_contacts' AND status IN ('pending', 'running')
    """,
)

WEBHOOKS = (
    """
    CREATE TABLE webhooks (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        url text NOT NULL,
        description text NOT NULL,
        events text[] NOT NULL,
        secret bytea NOT NULL,
        previous_secret bytea,
        previous_secret_expires_at timestamptz,
        enabled boolean NOT NULL,
        disabled_reason text,
        disabled_at timestamptz,
        failing_since timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    "CREATE INDEX webhooks_id ON webhooks (id)",
    """
    CREATE TABLE webhook_leases (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        webhook_id uuid NOT NULL,
        node_id uuid,
        epoch bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, webhook_id),
        FOREIGN KEY (shard, organization_id, webhook_id)
            REFERENCES webhooks (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX webhook_leases_of_node ON webhook_leases (node_id)",
    """
    CREATE TABLE events (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        type text NOT NULL,
        account_id uuid,
        conversation_id uuid,
        message_id uuid,
        payload bytea NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    # A look-up by id must not be able to use an index that begins like the key: without statistics
    # (a new database, a new tenant) the planner takes both for equally good and reads a tenant's
    # whole history. These predicates keep such an index to the queries that it is there for.
    "CREATE INDEX events_recent ON events (shard, organization_id, seq) WHERE seq > 0",
    """
    CREATE TABLE deliveries (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        webhook_id uuid NOT NULL,
        webhook_url text NOT NULL,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        order_key uuid NOT NULL,
        status text NOT NULL,
        retry_count integer NOT NULL,
        attempt_count integer NOT NULL,
        next_attempt_at timestamptz,
        claim_epoch bigint,
        response_code integer,
        error_message text,
        delivered_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (status IN ('pending', 'delivering', 'delivered', 'failed', 'canceled'))
    )
    """,
    """
    CREATE INDEX deliveries_first ON deliveries (shard, organization_id, webhook_id, seq)
        WHERE status = 'pending' AND next_attempt_at IS NULL
    """,
    """
    CREATE INDEX deliveries_retry
        ON deliveries (shard, organization_id, webhook_id, next_attempt_at)
        WHERE status = 'pending' AND next_attempt_at IS NOT NULL
    """,
    """
    CREATE INDEX deliveries_claimed ON deliveries (shard, organization_id, webhook_id)
        WHERE status = 'delivering'
    """,
    """
    CREATE INDEX deliveries_recent ON deliveries (shard, organization_id, seq DESC) WHERE seq > 0
    """,
    # No foreign key: an attempt is inserted by the statement that updates its delivery, and the key
    # would look each delivery up and lock it once more.
    """
    CREATE TABLE delivery_attempts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        delivery_id uuid NOT NULL,
        number integer NOT NULL,
        started_at timestamptz NOT NULL,
        duration_ms integer NOT NULL,
        response_code integer,
        response_body text,
        error_message text,
        address text,
        PRIMARY KEY (shard, organization_id, delivery_id, number)
    )
    """,
    """
    CREATE TABLE delivery_counts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        stripe smallint NOT NULL,
        n bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, stripe)
    )
    """,
)


def upgrade() -> None:
    for statement in NO_TENANT + ACCOUNTS + PEOPLE + MESSAGES + WEBHOOKS:
        op.execute(statement)


def downgrade() -> None:
    raise RuntimeError("The foundation can't be taken away: restore a backup instead.")
