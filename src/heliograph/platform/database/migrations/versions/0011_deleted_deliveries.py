"""Count what retention deletes of deliveries, so that how many can be listed is known."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE delivery_counts ADD COLUMN IF NOT EXISTS deleted bigint NOT NULL DEFAULT 0",
    # What was made and deleted until now, both as of one moment.
    """
    INSERT INTO delivery_counts (shard, organization_id, stripe, n, deleted)
    SELECT shard, organization_id, 0, 0, made - kept
    FROM (SELECT shard, organization_id, sum(n) AS made FROM delivery_counts GROUP BY 1, 2) AS c
    CROSS JOIN LATERAL (
        SELECT count(*) AS kept FROM deliveries AS d
        WHERE d.shard = c.shard AND d.organization_id = c.organization_id AND d.seq > 0
    ) AS k
    WHERE made > kept
    ON CONFLICT (shard, organization_id, stripe) DO UPDATE SET deleted = excluded.deleted
    """,
)


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for statement in STATEMENTS:
            op.execute(statement)
