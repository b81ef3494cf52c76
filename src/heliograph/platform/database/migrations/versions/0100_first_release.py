"""The first release, 0.1.0: every table.

They are in `first_release`, by subject. Lower numbers belong to versions before it, which can't be
upgraded.
"""

from alembic import op

from heliograph.platform.database.migrations.first_release import LARGE, TABLES

revision = "0100"
down_revision = None
branch_labels = ("core",)
depends_on = None

LISTS_ARE_ALWAYS_LOOKED_UP = (17,)
# Tells PostgreSQL 15 and 16 that a tenant is on one shard. Otherwise they assume that the columns
# are independent, expect few rows of a tenant, and read them all when looking for certain ids
# (decision 73).
TENANT_STATISTICS = """
CREATE STATISTICS {table}_tenant (dependencies) ON shard, organization_id FROM {table}
"""


def upgrade() -> None:
    for statement in TABLES:
        op.execute(statement)
    version = op.get_bind().dialect.server_version_info
    if version is None or version < LISTS_ARE_ALWAYS_LOOKED_UP:
        for table in LARGE:
            op.execute(TENANT_STATISTICS.format(table=table))
