"""The totals of accounts, for databases on which 0021 ran before it made their table.

It comes after what takes away, and so counts as such: nodes of the release before can't be alive,
and where they are, 0021 has just made the table.
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None
contracts = True

ACCOUNT_TOTALS = """
    CREATE TABLE IF NOT EXISTS account_totals (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        round smallint NOT NULL,
        sent bigint NOT NULL,
        received bigint NOT NULL,
        sent_on date,
        sent_that_day integer NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, round)
    ) WITH (fillfactor = 50)
"""


def upgrade() -> None:
    op.execute(ACCOUNT_TOTALS)
