"""Nodes, their work for all tenants, and the keys to secrets: rows without a tenant."""

TABLES = (
    """
    CREATE TABLE nodes (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        roles text[] NOT NULL,
        version text NOT NULL,
        admin_port integer,
        started_at timestamptz NOT NULL,
        lease_expires_at timestamptz NOT NULL,
        schema_revision integer NOT NULL
    )
    """,
    """
    CREATE TABLE chores (
        name text PRIMARY KEY,
        node_id uuid,
        held_until timestamptz,
        done_at timestamptz
    )
    """,
    "INSERT INTO chores (name) VALUES ('retention')",
    """
    CREATE TABLE chore_failures (
        chore text PRIMARY KEY,
        node_id uuid NOT NULL,
        failing_since timestamptz NOT NULL,
        failed_at timestamptz NOT NULL,
        failure text NOT NULL
    )
    """,
    """
    CREATE TABLE secret_canaries (
        key_id text PRIMARY KEY,
        ciphertext bytea NOT NULL,
        created_at timestamptz NOT NULL
    )
    """,
    # Counters continue in new rows while old versions of their rows can't be vacuumed: only
    # meanwhile does this table have a row.
    """
    CREATE TABLE counter_rounds (
        is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
        round integer NOT NULL,
        began_at timestamptz NOT NULL
    )
    """,
)
