"""Statistics of each account, and the words of messages, by which they are found."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

# Both tables are new, so nobody waits for them. Words of messages that were there before are
# filled in by the nodes, from the first mark of the second row on.
STATEMENTS = (
    """
    CREATE TABLE account_message_counts (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        account_id uuid NOT NULL,
        day date NOT NULL,
        direction text NOT NULL,
        status text NOT NULL,
        stripe smallint NOT NULL,
        n bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, account_id, day, direction, status, stripe)
    )
    """,
    """
    CREATE TABLE message_words (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        message_id uuid NOT NULL,
        account_id uuid NOT NULL,
        words tsvector NOT NULL,
        PRIMARY KEY (shard, organization_id, message_id)
    )
    """,
    # A search reads the list of what waits to be sorted in, so it is kept short (in KiB).
    """
    CREATE INDEX message_words_words ON message_words USING gin (words)
        WITH (gin_pending_list_limit = 1024)
    """,
    """
    CREATE TABLE word_marks (
        name text PRIMARY KEY,
        read_up_to uuid
    )
    """,
    """
    INSERT INTO word_marks (name, read_up_to)
    VALUES ('new', NULL), ('all', '00000000-0000-0000-0000-000000000000')
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
