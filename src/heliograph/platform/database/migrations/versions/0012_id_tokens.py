"""What the provider asks for when somebody signs out: the ID token of the session, encrypted."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

STATEMENTS = ("ALTER TABLE browser_sessions ADD COLUMN id_token bytea",)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
