"""Organizations, their plans and API keys, their usage, and their audit entries."""

TABLES = (
    """
    CREATE TABLE plans (
        name text PRIMARY KEY,
        requests_per_minute integer,
        key_requests_per_minute integer,
        messages_per_day bigint,
        messages_per_month bigint,
        accounts integer,
        webhooks integer,
        api_keys integer,
        retention_days integer,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        media_bytes bigint,
        max_file_bytes bigint
    )
    """,
    """
    INSERT INTO plans (
        name, requests_per_minute, key_requests_per_minute, messages_per_day, messages_per_month,
        accounts, webhooks, api_keys, retention_days, media_bytes, created_at, updated_at
    )
    VALUES
        ('free', 120, 60, 100, 1000, 1, 2, 2, 30, 1073741824, now(), now()),
        ('pro', 1800, 600, 50000, 1000000, 25, 50, 50, 365, 107374182400, now(), now()),
        ('unlimited', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, now(), now())
    """,
    # A removed organization's identity stays until everything that it owned is deleted.
    """
    CREATE TABLE organizations (
        id uuid PRIMARY KEY,
        shard integer NOT NULL,
        name text NOT NULL,
        plan text NOT NULL CONSTRAINT organizations_plan REFERENCES plans (name),
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        removed_at timestamptz
    )
    """,
    # A key may be limited to certain accounts. Replaced secrets stay valid for as long as was
    # promised.
    """
    CREATE TABLE api_keys (
        id uuid PRIMARY KEY,
        key_id text NOT NULL UNIQUE,
        organization_id uuid NOT NULL,
        name text NOT NULL,
        display_prefix text NOT NULL,
        secret_hash bytea NOT NULL,
        old_secret_hashes bytea[] NOT NULL DEFAULT '{}',
        old_secrets_expire_at timestamptz[] NOT NULL DEFAULT '{}',
        scopes text[],
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        account_ids uuid[],
        last_used_address text,
        CHECK (scopes IS NULL OR cardinality(scopes) > 0)
    )
    """,
    "CREATE INDEX api_keys_of_organization ON api_keys (organization_id, created_at)",
    """
    CREATE TABLE message_quotas (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        span text NOT NULL,
        starts_on date NOT NULL,
        n bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, span, starts_on),
        CHECK (span IN ('day', 'month'))
    )
    """,
    """
    CREATE TABLE audit_entries (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        actor text NOT NULL,
        action text NOT NULL,
        subject text NOT NULL,
        details jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id)
    )
    """,
    """
    CREATE INDEX audit_entries_recent ON audit_entries (shard, organization_id, seq DESC)
        WHERE seq > 0
    """,
    # Nodes of the private PostgreSQL may only add audit entries. This lets them erase those of a
    # removed organization, with the rights of the owner (decision 80). The search path is fixed,
    # so that nobody can substitute objects of their own.
    """
    CREATE FUNCTION erase_audit_entries(of_shard integer, of_organization uuid, most integer)
    RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        erased integer;
    BEGIN
        IF NOT EXISTS (
            SELECT FROM public.organizations
            WHERE id = of_organization AND shard = of_shard AND removed_at IS NOT NULL
        ) THEN
            RETURN 0;
        END IF;
        DELETE FROM public.audit_entries
        WHERE shard = of_shard AND organization_id = of_organization AND id = ANY(ARRAY(
            SELECT id FROM public.audit_entries
            WHERE shard = of_shard AND organization_id = of_organization LIMIT most
        ));
        GET DIAGNOSTICS erased = ROW_COUNT;
        RETURN erased;
    END $$
    """,
    "REVOKE ALL ON FUNCTION erase_audit_entries(integer, uuid, integer) FROM PUBLIC",
)
