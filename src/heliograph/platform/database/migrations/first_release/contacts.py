"""Contacts with their addresses and pictures, and groups.

`searched` has the names in the form that searches use (decision 83).
"""

TABLES = (
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
        attributes jsonb NOT NULL DEFAULT '{}',
        has_own_name boolean NOT NULL DEFAULT false,
        searched text NOT NULL DEFAULT '',
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    "CREATE INDEX contacts_id ON contacts (id)",
    """
    CREATE UNIQUE INDEX contacts_phone_number ON contacts (shard, organization_id, phone_number)
        WHERE phone_number IS NOT NULL AND merged_into IS NULL
    """,
    """
    CREATE INDEX contacts_merged ON contacts (shard, organization_id, merged_into)
        WHERE merged_into IS NOT NULL
    """,
    # What an index on an array can look up: each three consecutive characters, in lower case, after
    # the end of the organization's id. So one organization's searches read nothing of another's,
    # and no extension is needed (decision 51).
    """
    CREATE FUNCTION search_keys(organization_id uuid, searched text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
    AS $$
        SELECT coalesce(
            array_agg(DISTINCT (right(organization_id::text, 12) || substr(t, i, 3)) COLLATE "C"),
            '{}'
        )
        FROM lower(searched) AS t, generate_series(1, length(t) - 2) AS i
    $$
    """,
    """
    CREATE INDEX contacts_searched ON contacts USING gin (
        search_keys(organization_id, searched) COLLATE "C"
    ) WHERE merged_into IS NULL
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
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        searched text NOT NULL DEFAULT '',
        PRIMARY KEY (shard, organization_id, id),
        UNIQUE (shard, organization_id, account_id, remote_jid)
    )
    """,
)
