"""The inbox: pinned conversations and those with a label are found at once, and no two labels of an
organization differ in capitals alone.

What people filter by has no index: each would be written once more with every message.
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE INDEX IF NOT EXISTS conversations_pinned
        ON conversations (shard, organization_id, id) WHERE pinned
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS labels_name
        ON labels (shard, organization_id, lower(name))
    """,
    "CREATE INDEX IF NOT EXISTS labels_id ON labels (id)",
    """
    CREATE INDEX IF NOT EXISTS conversation_labels_of_label
        ON conversation_labels (shard, organization_id, label_id, conversation_id)
    """,
)


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for statement in STATEMENTS:
            op.execute(statement)
