"""People: their identities at a provider, their sessions, and their memberships."""

TABLES = (
    """
    CREATE TABLE users (
        id uuid PRIMARY KEY,
        issuer text NOT NULL,
        subject text NOT NULL,
        email text,
        name text NOT NULL,
        UNIQUE (issuer, subject)
    )
    """,
    # The encrypted ID token, which the provider asks for when somebody signs out.
    """
    CREATE TABLE browser_sessions (
        token_hash bytea PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        id_token bytea,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        address text,
        agent text
    )
    """,
    "CREATE INDEX browser_sessions_age ON browser_sessions (created_at)",
    "CREATE UNIQUE INDEX browser_sessions_of_user ON browser_sessions (user_id, id)",
    """
    CREATE TABLE members (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, user_id),
        CHECK (role IN ('owner', 'admin', 'agent', 'viewer'))
    )
    """,
    "CREATE INDEX members_of_user ON members (user_id)",
    """
    CREATE TABLE invitations (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        email text NOT NULL,
        role text NOT NULL,
        invited_by text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        code_hash bytea,
        PRIMARY KEY (shard, organization_id, id),
        CHECK (role IN ('owner', 'admin', 'agent', 'viewer'))
    )
    """,
)
