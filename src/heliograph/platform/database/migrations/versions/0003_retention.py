"""What is too old goes at night, by one node. Keys of inbound messages are found by their age."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE chores (
        name text PRIMARY KEY,
        node_id uuid,
        held_until timestamptz,
        done_at timestamptz
    )
    """,
    "INSERT INTO chores (name) VALUES ('retention')",
    "CREATE INDEX inbound_keys_age ON inbound_keys (shard, organization_id, created_at)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
