"""The nodes, what they do for all, and what opens secrets: rows of no tenant."""

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
    # Counters go on in new rows while old versions of theirs are kept: this has a row as long as
    # they do.
    """
    CREATE TABLE counter_rounds (
        is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
        round integer NOT NULL,
        began_at timestamptz NOT NULL
    )
    """,
)
