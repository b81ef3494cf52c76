"""Searches fold all texts alike, and read nothing of what other organizations have written.

The names of contacts and groups are stored as searches see them, and each word of a message behind
a key of its organization. The words of messages are read again by the nodes (decision 82).
"""

from collections.abc import Sequence
from typing import Any

from alembic import op
from sqlalchemy import Connection, Row, text

from heliograph.platform.folding import fold

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None
# Nodes of the release before store names without their fold, and words without key.
contracts = True
adds = True

BATCH = 2_000
NEW_COLUMN = "ALTER TABLE {table} ADD COLUMN IF NOT EXISTS searched text NOT NULL DEFAULT ''"
LIST_SHARDS = text("SELECT DISTINCT shard FROM organizations ORDER BY shard")
LIST = """
SELECT organization_id, id, {columns} FROM {table}
WHERE shard = :shard AND (organization_id, id) > (CAST(:organization_id AS uuid), CAST(:id AS uuid))
ORDER BY organization_id, id LIMIT :batch
"""
FILL = """
UPDATE {table} AS t SET searched = k.searched
FROM unnest(CAST(:organizations AS uuid[]), CAST(:ids AS uuid[]), CAST(:searched AS text[]))
    AS k (organization_id, id, searched)
WHERE t.shard = :shard AND t.organization_id = k.organization_id AND t.id = k.id
"""
CONTACTS_SEARCHED = """
CREATE INDEX IF NOT EXISTS contacts_searched ON contacts USING gin (
    search_keys(organization_id, searched) COLLATE "C"
) WHERE merged_into IS NULL
"""
# Nobody searches meanwhile for what is read again: from the first message on, newest last.
WORDS_AGAIN = (
    "TRUNCATE message_words",
    "UPDATE word_marks SET read_up_to = NULL WHERE name = 'new'",
    "UPDATE word_marks SET read_up_to = '00000000-0000-0000-0000-000000000000' WHERE name = 'all'",
)
NIL = "00000000-0000-0000-0000-000000000000"


def upgrade() -> None:
    with op.get_context().autocommit_block():  # one table at a time (decision 28)
        op.execute("DROP INDEX IF EXISTS contacts_searched")
        op.execute(NEW_COLUMN.format(table="contacts"))
        _fill("contacts", "name, chat_name, phone_number")
        op.execute(CONTACTS_SEARCHED)
        op.execute(NEW_COLUMN.format(table="chat_groups"))
        _fill("chat_groups", "subject")
        for statement in WORDS_AGAIN:
            op.execute(statement)


def _fill(table: str, columns: str) -> None:
    connection = op.get_bind()
    for shard in connection.scalars(LIST_SHARDS).all():
        place = {"organization_id": NIL, "id": NIL}
        while rows := _list(connection, table, columns, shard, place):
            values = {
                "organizations": [str(row.organization_id) for row in rows],
                "ids": [str(row.id) for row in rows],
                "searched": [_searched(row[2:]) for row in rows],
            }
            connection.execute(text(FILL.format(table=table)), {"shard": shard, **values})
            place = {"organization_id": str(rows[-1].organization_id), "id": str(rows[-1].id)}


def _list(
    connection: Connection, table: str, columns: str, shard: int, place: dict[str, str]
) -> Sequence[Row[Any]]:
    statement = text(LIST.format(table=table, columns=columns))
    return connection.execute(statement, {"shard": shard, "batch": BATCH, **place}).all()


def _searched(texts: Sequence[str | None]) -> str:
    return "\n".join(fold(each) for each in texts if each)
