"""What waits for an account is looked for in the order of ids, behind what has gone.

What is not due yet is passed over in the index. Nodes of the release before use the same.
"""

from alembic import op

revision = "sandbox_0009"
down_revision = "sandbox_0008"
branch_labels = None
depends_on = None

# Not concurrently: that would wait for the end of a backup, and the table is small.
STATEMENTS = (
    """
    CREATE INDEX IF NOT EXISTS updates_of_account ON sandbox.updates (account_id, id, due_at)
    """,
    "DROP INDEX IF EXISTS sandbox.updates_due",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)


def downgrade() -> None:
    op.execute("CREATE INDEX updates_due ON sandbox.updates (account_id, due_at)")
    op.execute("DROP INDEX sandbox.updates_of_account")
