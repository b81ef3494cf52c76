"""What the provider asks for when somebody signs out: the ID token of the session, encrypted."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

STATEMENTS = ("ALTER TABLE browser_sessions ADD COLUMN id_token bytea",)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
