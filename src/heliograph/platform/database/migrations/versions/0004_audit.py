"""Who did what: a table that only grows."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STATEMENTS = (
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
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
