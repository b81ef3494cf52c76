"""What 0021 does by now, for databases on which it ran before: the table of the totals of accounts,
and a lower index of the first attempts.

It comes after what takes away, and so counts as such: where 0021 has just run, this changes
nothing, and may wait for nodes of the release before.
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None
contracts = True
adds = True

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
ROUNDS = """
    CREATE INDEX IF NOT EXISTS account_totals_rounds
        ON account_totals (shard, organization_id) WHERE round > 0
"""
# The table is small.
LOWER_INDEX = """
    DO $$ BEGIN
        IF pg_get_indexdef('delivery_queue_first'::regclass) LIKE '%organization_id%' THEN
            DROP INDEX delivery_queue_first;
            CREATE INDEX delivery_queue_first ON delivery_queue (webhook_id, seq)
                WHERE next_attempt_at IS NULL;
        END IF;
    END $$
"""


def upgrade() -> None:
    for statement in (ACCOUNT_TOTALS, ROUNDS, LOWER_INDEX):
        with op.get_context().autocommit_block():
            op.execute(statement)
