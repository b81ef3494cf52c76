"""The table `conversation_notes`."""

from uuid import UUID

from heliograph.core.inbox.model import Note
from heliograph.core.tenants.model import Author, Tenant
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import reads


def _author_of(row: Row) -> Author:
    return Author(row["author_kind"], row["author_id"], row["author_name"])


_note_of = reads(Note, author=_author_of)

INSERT = """
INSERT INTO conversation_notes (
    shard, organization_id, id, conversation_id, body, author_kind, author_id, author_name,
    created_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (shard, organization_id, id) DO NOTHING
"""


async def insert_note(connection: Connection, tenant: Tenant, note: Note) -> None:
    author = note.author
    await connection.execute(
        INSERT,
        *tenant,
        note.id,
        note.conversation_id,
        note.body,
        author.kind,
        author.id,
        author.name,
        note.created_at,
    )


LIST = """
SELECT * FROM conversation_notes
WHERE shard = $1 AND organization_id = $2 AND conversation_id = $3 AND id < $4
ORDER BY id DESC LIMIT $5
"""


async def list_notes(
    connection: Connection, tenant: Tenant, conversation_id: UUID, before: UUID, limit: int
) -> list[Note]:
    """Return notes about a conversation with an id below `before`, newest first."""
    rows = await connection.fetch(LIST, *tenant, conversation_id, before, limit)
    return [_note_of(row) for row in rows]
