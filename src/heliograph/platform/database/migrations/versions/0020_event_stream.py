"""Up to where retention has deleted an organization's events, so that who reads on from there is
told what is gone."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE deleted_events (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        up_to_seq bigint NOT NULL,
        PRIMARY KEY (shard, organization_id)
    )
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
