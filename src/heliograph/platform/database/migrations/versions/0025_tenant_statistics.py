"""PostgreSQL 15 and 16 are told that a tenant lies on one shard.

Without this they take the shard and the tenant for independent of each other, expect few rows of a
tenant, and read them all where ids are asked for (decision 73). The tables are those that grow with
messages and people and are analyzed, which the queues are not.
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None
contracts = True  # as 0024: what comes after it can't go before it

LISTS_ARE_ALWAYS_LOOKED_UP = (17,)
TABLES = ("messages", "events", "deliveries", "message_words", "conversations", "contacts")


def upgrade() -> None:
    version = op.get_bind().dialect.server_version_info
    if version and version >= LISTS_ARE_ALWAYS_LOOKED_UP:
        return
    with op.get_context().autocommit_block():  # one table at a time: all are in use (decision 28)
        for table in TABLES:
            op.execute(
                f"CREATE STATISTICS IF NOT EXISTS {table}_tenant (dependencies) "
                f"ON shard, organization_id FROM {table}"
            )
