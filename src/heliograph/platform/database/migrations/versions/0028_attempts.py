"""What came of the attempts to send a message, and whether one of them may have sent it.

What waits for another attempt when this runs is in doubt: how the attempts before ended was not
written down.
"""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None
contracts = True  # as 0025: what comes after it can't go before it
adds = True

STATEMENTS = (
    "ALTER TABLE messages ADD COLUMN IF NOT EXISTS attempts jsonb,"
    " ADD COLUMN IF NOT EXISTS in_doubt boolean NOT NULL DEFAULT false",
    "UPDATE messages SET in_doubt = true WHERE status = 'queued' AND retry_count > 0",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
