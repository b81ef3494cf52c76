"""Answers to a message are found by it: the votes in a poll."""

from alembic import op

revision = "sandbox_0007"
down_revision = "sandbox_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "CREATE INDEX messages_answers ON sandbox.messages (account_id, reply_to) "
        "WHERE reply_to IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("DROP INDEX sandbox.messages_answers")
