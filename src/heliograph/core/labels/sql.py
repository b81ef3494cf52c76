"""The tables `labels`, `conversation_labels` and `contact_labels`."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias
from uuid import UUID

from heliograph.core.labels.model import Label
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.sql import lock_organization
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads

Owner: TypeAlias = Literal["conversation", "contact"]
"""What a label is put on."""
_label_of = reads(Label)

LIST = """
SELECT * FROM labels
WHERE shard = $1 AND organization_id = $2
ORDER BY lower(name) LIMIT $3
"""


async def list_labels(connection: Connection, tenant: Tenant, limit: int) -> list[Label]:
    return [_label_of(row) for row in await connection.fetch(LIST, *tenant, limit)]


FIND = "SELECT * FROM labels WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_label(connection: Connection, tenant: Tenant, label_id: UUID) -> Label | None:
    return await _find(connection, FIND, tenant, label_id)


# A deletion of the label waits for this; a caller that waited for a deletion finds no label.
HOLD = f"{FIND} FOR KEY SHARE"


async def hold_label(connection: Connection, tenant: Tenant, label_id: UUID) -> Label | None:
    """Return the label, which nobody can delete until this transaction ends."""
    return await _find(connection, HOLD, tenant, label_id)


LOCK = f"{FIND} FOR UPDATE"


async def lock_label(connection: Connection, tenant: Tenant, label_id: UUID) -> Label | None:
    """Return the label, which nobody can change, delete or add until this transaction ends."""
    return await _find(connection, LOCK, tenant, label_id)


async def _find(
    connection: Connection, statement: str, tenant: Tenant, label_id: UUID
) -> Label | None:
    row = await connection.fetchrow(statement, *tenant, label_id)
    return None if row is None else _label_of(row)


LIST_OTHERS = """
SELECT * FROM labels WHERE shard = $1 AND organization_id = $2 AND id <> $3 ORDER BY id
"""


async def lock_other_labels(
    connection: Connection, tenant: Tenant, label_id: UUID
) -> Sequence[Label]:
    """List all labels but this one, to make or rename that. Until this transaction ends, others who
    call this wait."""
    await lock_organization(connection, tenant.organization_id)
    rows = await connection.fetch(LIST_OTHERS, *tenant, label_id)
    return [_label_of(row) for row in rows]


INSERT = """
INSERT INTO labels (shard, organization_id, id, name, color, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (shard, organization_id, id) DO NOTHING
"""


async def insert_label(connection: Connection, tenant: Tenant, label: Label) -> None:
    values = (label.id, label.name, label.color, label.created_at)
    await connection.execute(INSERT, *tenant, *values)


UPDATE = """
UPDATE labels SET name = $4, color = $5
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def update_label(connection: Connection, tenant: Tenant, label: Label) -> None:
    await connection.execute(UPDATE, *tenant, label.id, label.name, label.color)


DELETE = "DELETE FROM labels WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def delete_label(connection: Connection, tenant: Tenant, label_id: UUID) -> None:
    """Delete a label that no conversation and no contact has any more."""
    await connection.execute(DELETE, *tenant, label_id)


# from conversations to labels, never the other way: every conversation may have the same label
LIST_OF = """
SELECT x.conversation_id, l.*
FROM unnest($3::uuid[]) AS v (id)
CROSS JOIN LATERAL (
    SELECT conversation_id, label_id FROM conversation_labels
    WHERE shard = $1 AND organization_id = $2 AND conversation_id = v.id
    OFFSET 0
) AS x
CROSS JOIN LATERAL (
    SELECT * FROM labels WHERE shard = $1 AND organization_id = $2 AND id = x.label_id
    OFFSET 0
) AS l
ORDER BY l.name
"""
LIST_OF_ONE = LIST_OF.replace("unnest($3::uuid[]) AS v (id)", "(SELECT $3::uuid AS id) AS v")
LIST_OF_CONTACTS = LIST_OF.replace("conversation_", "contact_")


async def list_labels_of_one(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> tuple[Label, ...]:
    """Return the labels of a conversation, by name."""
    # no array: asyncpg looks its type up, in a query of its own, on each new connection
    rows = await connection.fetch(LIST_OF_ONE, *tenant, conversation_id)
    return tuple(map(_label_of, rows))


async def list_labels_of(
    connection: Connection, tenant: Tenant, conversation_ids: Sequence[UUID]
) -> dict[UUID, tuple[Label, ...]]:
    """Return the labels of each conversation that has one, by name."""
    rows = await connection.fetch(LIST_OF, *tenant, list(conversation_ids))
    return _grouped(rows, "conversation_id")


async def list_labels_of_contacts(
    connection: Connection, tenant: Tenant, contact_ids: Sequence[UUID]
) -> dict[UUID, tuple[Label, ...]]:
    """Return the labels of each contact that has one, by name."""
    rows = await connection.fetch(LIST_OF_CONTACTS, *tenant, list(contact_ids))
    return _grouped(rows, "contact_id")


def _grouped(rows: Iterable[Row], owner: str) -> dict[UUID, tuple[Label, ...]]:
    labels: defaultdict[UUID, tuple[Label, ...]] = defaultdict(tuple)
    for row in rows:
        labels[row[owner]] += (_label_of(row),)
    return labels


_ADDED = Columns("label_id uuid", first=4)
ADD_TO = _ADDED.fill("""
INSERT INTO conversation_labels (shard, organization_id, conversation_id, label_id)
SELECT $1, $2, $3, k.label_id FROM {rows}
ON CONFLICT (shard, organization_id, conversation_id, label_id) DO NOTHING
""")
ADD_TO_CONTACT = ADD_TO.replace("conversation_", "contact_")


async def add_labels(
    connection: Connection, tenant: Tenant, owner: Owner, owner_id: UUID, label_ids: Sequence[UUID]
) -> None:
    statement = ADD_TO if owner == "conversation" else ADD_TO_CONTACT
    await connection.execute(statement, *tenant, owner_id, list(label_ids))


REMOVE_FROM = """
DELETE FROM conversation_labels
WHERE shard = $1 AND organization_id = $2 AND conversation_id = $3 AND label_id = ANY($4::uuid[])
"""
REMOVE_FROM_CONTACT = REMOVE_FROM.replace("conversation_", "contact_")


async def remove_labels(
    connection: Connection, tenant: Tenant, owner: Owner, owner_id: UUID, label_ids: Sequence[UUID]
) -> None:
    statement = REMOVE_FROM if owner == "conversation" else REMOVE_FROM_CONTACT
    await connection.execute(statement, *tenant, owner_id, list(label_ids))


MOVE_TO_CONTACT = """
INSERT INTO contact_labels (shard, organization_id, contact_id, label_id)
SELECT $1, $2, $4, label_id FROM contact_labels
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3
ON CONFLICT (shard, organization_id, contact_id, label_id) DO NOTHING
"""
REMOVE_ALL_FROM_CONTACT = """
DELETE FROM contact_labels WHERE shard = $1 AND organization_id = $2 AND contact_id = $3
"""


async def move_labels(connection: Connection, tenant: Tenant, drop: UUID, keep: UUID) -> None:
    """Give a contact the labels of another, which is merged into it."""
    await connection.execute(MOVE_TO_CONTACT, *tenant, drop, keep)
    await connection.execute(REMOVE_ALL_FROM_CONTACT, *tenant, drop)


REMOVE_FROM_SOME = """
DELETE FROM conversation_labels
WHERE shard = $1 AND organization_id = $2 AND label_id = $3 AND conversation_id = ANY(ARRAY(
    SELECT conversation_id FROM conversation_labels
    WHERE shard = $1 AND organization_id = $2 AND label_id = $3
    ORDER BY conversation_id LIMIT $4 FOR UPDATE
))
RETURNING conversation_id
"""
REMOVE_FROM_SOME_CONTACTS = REMOVE_FROM_SOME.replace("conversation_", "contact_")


class Unlabeled(NamedTuple):
    """Conversations and contacts that have lost a label."""

    conversation_ids: list[UUID]
    contact_ids: list[UUID]


async def remove_from_some(
    connection: Connection, tenant: Tenant, label_id: UUID, limit: int
) -> Unlabeled:
    """Take a locked label off at most `limit` conversations and as many contacts."""
    values = (*tenant, label_id, limit)
    conversations = await connection.fetch(REMOVE_FROM_SOME, *values)
    contacts = await connection.fetch(REMOVE_FROM_SOME_CONTACTS, *values)
    return Unlabeled(
        [row["conversation_id"] for row in conversations], [row["contact_id"] for row in contacts]
    )


LIST_SOME_WITH = """
SELECT conversation_id FROM conversation_labels
WHERE shard = $1 AND organization_id = $2 AND label_id = $3 AND conversation_id > $4
ORDER BY conversation_id LIMIT $5
"""


async def list_some_with(
    connection: Connection, tenant: Tenant, label_id: UUID, after: UUID, limit: int
) -> list[UUID]:
    """List the next conversations, by id, that have a label."""
    rows = await connection.fetch(LIST_SOME_WITH, *tenant, label_id, after, limit)
    return [row["conversation_id"] for row in rows]


LIST_SOME_CONTACTS_WITH = LIST_SOME_WITH.replace("conversation_", "contact_")


async def list_some_contacts_with(
    connection: Connection, tenant: Tenant, label_id: UUID, after: UUID, limit: int
) -> list[UUID]:
    """List the next contacts, by id, that have a label."""
    rows = await connection.fetch(LIST_SOME_CONTACTS_WITH, *tenant, label_id, after, limit)
    return [row["contact_id"] for row in rows]
