"""Find the contacts that were merged into another without reading all of an organization's."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

CREATE_INDEX = """
CREATE INDEX contacts_merged ON contacts (shard, organization_id, merged_into)
    WHERE merged_into IS NOT NULL
"""


def upgrade() -> None:
    op.execute(CREATE_INDEX)
