"""What 0021 does by now, for databases on which it ran before: where the traces of messages and of
deliveries go on.

It comes after what takes away, and so counts as such, as 0023 does: where 0021 has just run, this
changes nothing, and may wait for nodes of the release before. A column that may be null, without a
default, is added without a look at the rows.
"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None
contracts = True
adds = True

# One table at a time (decision 28): both are in use.
STATEMENTS = (
    "ALTER TABLE messages ADD COLUMN IF NOT EXISTS trace_context text",
    "ALTER TABLE delivery_queue ADD COLUMN IF NOT EXISTS trace_context text",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
