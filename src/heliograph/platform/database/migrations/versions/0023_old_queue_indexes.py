"""Without nodes of the release before: what only they needed, while they worked beside new ones."""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

STATEMENTS = (
    "DROP TRIGGER IF EXISTS delivery_queue_mirrored ON delivery_queue",
    "DROP INDEX CONCURRENTLY IF EXISTS deliveries_first",
    "DROP INDEX CONCURRENTLY IF EXISTS deliveries_retry",
    "DROP INDEX CONCURRENTLY IF EXISTS deliveries_claimed",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
