"""The audit entries of removed organizations can be erased, and chores that fail are recorded."""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None
contracts = True  # as 0025: what comes after it can't go before it
adds = True

# Nodes of the private PostgreSQL may only add audit entries. This lets them erase those of an
# organization that is removed, with the rights of the owner (decision 80). What follows the last
# word of a name in it belongs to nobody: the search path is fixed.
ERASE = """
CREATE OR REPLACE FUNCTION erase_audit_entries(of_shard integer, of_organization uuid, most integer)
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
"""

STATEMENTS = (
    ERASE,
    "REVOKE ALL ON FUNCTION erase_audit_entries(integer, uuid, integer) FROM PUBLIC",
    """
    CREATE TABLE IF NOT EXISTS chore_failures (
        chore text PRIMARY KEY,
        node_id uuid NOT NULL,
        failing_since timestamptz NOT NULL,
        failed_at timestamptz NOT NULL,
        failure text NOT NULL
    )
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
