"""Events: what has happened, in the order of `seq`."""

TABLES = (
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
    "CREATE INDEX events_recent ON events (shard, organization_id, seq) WHERE seq > 0",
    # Events whose payload must not be kept; each is listed until nobody is waiting for it.
    """
    CREATE TABLE unlogged_events (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        event_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, event_id)
    )
    """,
    # How far retention has deleted events, so that a client reading on from there can be told.
    """
    CREATE TABLE deleted_events (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        up_to_seq bigint NOT NULL,
        PRIMARY KEY (shard, organization_id)
    )
    """,
)
