"""${message}"""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}

STATEMENTS = ()


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
