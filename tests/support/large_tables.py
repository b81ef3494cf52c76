"""Tables with thousands of rows of a tenant, of a time that is over."""

from uuid import UUID

from connections import connected
from heliograph.core.tenants.model import Tenant

ROWS = 6_000

BIG = (
    "messages", "conversations", "contacts", "contact_addresses", "deliveries",
    "delivery_queue", "delivery_attempts", "events", "jobs", "idempotency_keys", "inbound_keys",
    "sandbox.devices", "sandbox.phones", "sandbox.messages", "sandbox.updates", "sandbox.members",
    "sandbox.groups", "chat_groups",
)  # fmt: skip

INSERT_MESSAGES = """
INSERT INTO messages (
    shard, organization_id, id, account_id, conversation_id, direction, status, message_type,
    chat_type, recipient, phone_number, content, chat_message_id, retry_count, connected_seconds,
    sent_at, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $4, $5, 'inbound', 'received', 'text', 'individual', 'x', '+1',
    '{"type": "text", "body": "x"}', n::text, 0, 0, now(), now(), now()
FROM generate_series(1, $3::int) AS n
"""
"""A conversation's, so many."""
INSERT_LABELS = """
INSERT INTO conversation_labels (shard, organization_id, conversation_id, label_id)
SELECT $1, $2, v.id, l.id FROM conversations AS v, labels AS l
WHERE v.organization_id = $2 AND l.organization_id = $2
"""
"""Each conversation gets each label."""

SEED = """
CREATE TEMPORARY TABLE seed (
    tenant_shard int, organization uuid, account uuid, webhook uuid, rows int
)
"""

STATEMENTS = (
    """
    INSERT INTO contacts (shard, organization_id, id, phone_number, created_at, updated_at)
    SELECT tenant_shard, organization, gen_random_uuid(), '+9' || n, now(), now()
    FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO contact_addresses (
        shard, organization_id, network, remote_jid, contact_id, created_at
    )
    SELECT tenant_shard, organization_id, 'sandbox', phone_number || '@sandbox', id, now()
    FROM contacts JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO conversations (
        shard, organization_id, id, account_id, remote_jid, status, unread_count, contact_id,
        is_group, agent_paused, last_message_at, pinned, created_at, updated_at
    )
    SELECT tenant_shard, organization_id, gen_random_uuid(), account,
        phone_number || '@sandbox', 'open', 0, id, false, false, now(), false, now(), now()
    FROM contacts JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO chat_groups (
        shard, organization_id, id, account_id, remote_jid, subject, created_at, updated_at
    )
    SELECT shard, organization_id, gen_random_uuid(), account_id, remote_jid, 'Old', now(), now()
    FROM conversations JOIN seed ON organization_id = organization
    """,
    """
    UPDATE conversations AS v SET chat_group_id = g.id
    FROM chat_groups AS g JOIN seed ON g.organization_id = organization
    WHERE v.shard = g.shard AND v.organization_id = g.organization_id
      AND v.account_id = g.account_id AND v.remote_jid = g.remote_jid
    """,
    """
    INSERT INTO messages (
        shard, organization_id, id, account_id, conversation_id, contact_id, direction, status,
        message_type, chat_type, recipient, phone_number, content, chat_message_id, retry_count,
        connected_seconds, sent_at, created_at, updated_at
    )
    SELECT tenant_shard, organization_id, gen_random_uuid(), account, id, contact_id,
        'outbound', 'read', 'text', 'individual', remote_jid, '+1',
        '{"kind": "text", "body": "x"}', 'old ' || id, 0, 0, now(), now(), now()
    FROM conversations JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO inbound_keys (
        shard, organization_id, account_id, chat_jid, sender_jid, chat_message_id, message_id,
        created_at
    )
    SELECT tenant_shard, organization_id, account, recipient, recipient, chat_message_id, id, now()
    FROM messages JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO events (
        shard, organization_id, id, type, account_id, message_id, payload, created_at
    )
    SELECT tenant_shard, organization_id, gen_random_uuid(), 'message.read', account, id, '{}',
        now() - interval '1 day'
    FROM messages JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO deliveries (
        shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
        retry_count, attempt_count, delivered_at, created_at, updated_at
    )
    SELECT tenant_shard, organization_id, gen_random_uuid(), nextval('delivery_queue_seq_seq'),
        webhook, 'http://127.0.0.1:9/', id, type, 'delivered', 0, 1, now(), now(), now()
    FROM events JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO delivery_queue (
        shard, organization_id, id, webhook_id, event_id, event_type, order_key, created_at,
        attempt_count, next_attempt_at
    )
    SELECT tenant_shard, organization_id, gen_random_uuid(), webhook, id, type, id, now(), 1,
        now() + interval '1 day'
    FROM events JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO delivery_attempts (
        shard, organization_id, delivery_id, number, started_at, duration_ms
    )
    SELECT tenant_shard, organization_id, id, 1, now(), 1
    FROM deliveries JOIN seed ON organization_id = organization
    """,
    """
    INSERT INTO jobs (
        shard, organization_id, id, account_id, kind, status, safe_to_repeat, request, created_at,
        deadline
    )
    SELECT tenant_shard, organization, gen_random_uuid(), account, 'create_group', 'completed',
        false, '{}', now(), now()
    FROM seed, generate_series(1, rows)
    """,
    """
    INSERT INTO idempotency_keys (
        shard, organization_id, key, fingerprint, response_status, response_body, created_at,
        expires_at
    )
    SELECT tenant_shard, organization, 'old ' || n, '', 200, '', now(), now() + interval '1 day'
    FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO sandbox.devices (account_id, jid, status, registration, registered_at)
    SELECT CASE n WHEN 1 THEN account ELSE gen_random_uuid() END, account || '/' || n, 'active',
        'r', now()
    FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO sandbox.phones (account_id, jid, chat_name, online)
    SELECT account, n || '@sandbox', 'x', n % 1000 > 0 FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO sandbox.groups (jid, subject, owner_jid, created_at)
    SELECT account || '-' || n || '@g.sandbox', 'x', 'y', now()
    FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO sandbox.members (group_jid, jid)
    SELECT account || '-' || n || '@g.sandbox', n || '@sandbox'
    FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO sandbox.messages (
        account_id, chat_message_id, chat_jid, sender_jid, content, sent_at
    )
    SELECT account, 'old ' || n, n || '@sandbox', 'me', '{}', now()
    FROM seed, generate_series(1, rows) AS n
    """,
    """
    INSERT INTO sandbox.updates (account_id, chat_jid, chat_message_id, kind, due_at)
    SELECT account, n || '@sandbox', 'old ' || n, 'read',
        now() + CASE WHEN n < 100 THEN interval '0' ELSE interval '1 day' END
    FROM seed, generate_series(1, rows) AS n
    """,
)


async def fill(database_url: str, tenant: Tenant, account_id: UUID, webhook_id: UUID) -> None:
    """Rows of one tenant. What the server knows of the tables stays as it was."""
    async with connected(database_url) as connection:
        for table in BIG:
            await connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        await connection.execute(SEED)
        values = (*tenant, account_id, webhook_id, ROWS)
        await connection.execute("INSERT INTO seed VALUES ($1, $2, $3, $4, $5)", *values)
        for statement in STATEMENTS:
            await connection.execute(statement)


async def analyze(database_url: str) -> None:
    """Let the server know its tables."""
    async with connected(database_url) as connection:
        await connection.execute("ANALYZE")
