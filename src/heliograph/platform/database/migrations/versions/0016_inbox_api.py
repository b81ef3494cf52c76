"""Conversations, labels and contacts as clients work with them: notes, snoozes that end, attributes
and labels of contacts; and contacts are found by a part of their name or number.

`search_keys` makes what an index on an array can look up: each three characters in a row, in lower
case, behind the end of the organization's id. So one organization's searches read nothing of
another's, and no extension is needed (decision 47).
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

# One table at a time (decision 28): all that were there before are in use.
STATEMENTS = (
    "ALTER TABLE conversations ADD COLUMN IF NOT EXISTS snoozed_until timestamptz",
    """
    CREATE INDEX IF NOT EXISTS conversations_snoozed ON conversations (snoozed_until, shard)
        WHERE status = 'snoozed' AND snoozed_until IS NOT NULL
    """,
    """
    CREATE INDEX IF NOT EXISTS conversations_silent ON conversations (shard, organization_id, id)
        WHERE last_message_at IS NULL
    """,
    """
    CREATE TABLE IF NOT EXISTS conversation_notes (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        id uuid NOT NULL,
        conversation_id uuid NOT NULL,
        body text NOT NULL,
        author_kind text NOT NULL,
        author_id text,
        author_name text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (shard, organization_id, id),
        FOREIGN KEY (shard, organization_id, conversation_id)
            REFERENCES conversations (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    # no key begins like this one, so that a look-up by id can't take it
    """
    CREATE INDEX IF NOT EXISTS conversation_notes_of_conversation
        ON conversation_notes (conversation_id, shard, organization_id, id)
    """,
    """
    ALTER TABLE contacts
        ADD COLUMN IF NOT EXISTS attributes jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN IF NOT EXISTS has_own_name boolean NOT NULL DEFAULT false
    """,
    """
    CREATE OR REPLACE FUNCTION search_keys(organization_id uuid, searched text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
    AS $$
        SELECT coalesce(
            array_agg(DISTINCT (right(organization_id::text, 12) || substr(t, i, 3)) COLLATE "C"),
            '{}'
        )
        FROM lower(searched) AS t, generate_series(1, length(t) - 2) AS i
    $$
    """,
    """
    CREATE INDEX IF NOT EXISTS contacts_searched ON contacts USING gin (
        search_keys(
            organization_id,
            coalesce(name, '') || E'\\n' || coalesce(chat_name, '') || E'\\n'
                || coalesce(phone_number, '')
        ) COLLATE "C"
    ) WHERE merged_into IS NULL
    """,
    """
    CREATE TABLE IF NOT EXISTS contact_labels (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        label_id uuid NOT NULL,
        PRIMARY KEY (shard, organization_id, contact_id, label_id),
        FOREIGN KEY (shard, organization_id, contact_id)
            REFERENCES contacts (shard, organization_id, id) ON DELETE CASCADE
    )
    """,
    """
    DO $$ BEGIN
        ALTER TABLE contact_labels ADD CONSTRAINT contact_labels_label
            FOREIGN KEY (shard, organization_id, label_id)
            REFERENCES labels (shard, organization_id, id) ON DELETE CASCADE;
    EXCEPTION WHEN duplicate_object THEN
        NULL;
    END $$
    """,
    """
    CREATE INDEX IF NOT EXISTS contact_labels_of_label
        ON contact_labels (shard, organization_id, label_id, contact_id)
    """,
    "CREATE INDEX IF NOT EXISTS jobs_id ON jobs (id)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        with op.get_context().autocommit_block():
            op.execute(statement)
