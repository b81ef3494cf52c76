"""Contacts in pages, newest first; each with its attributes, labels, addresses and picture.

What matches a filter comes from one of four places: the contact with a number, those that an index
finds by parts of their names and numbers, those with a label, or all. Each is bounded by itself.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.contacts.model import (
    Attributes,
    Contact,
    ContactAddress,
    ContactEntry,
    ContactFilter,
)
from heliograph.core.contacts.sql import contact_of
from heliograph.core.labels.sql import list_labels_of_contacts
from heliograph.core.tenants.model import Tenant
from heliograph.networks.phone_numbers import forms_of
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import reads

_address_of = reads(ContactAddress)


def _matching(statement: str) -> str:
    """Fill in `{matching}`: of the contacts `c` those with an id below `$3`, at most `$4`, which
    match the filter of `_filters`, `$5` to `$8`."""
    return statement.replace(
        "{matching}",
        """
WHERE c.merged_into IS NULL AND c.id < $3
  AND ($5::uuid IS NULL OR EXISTS (
      SELECT 1 FROM contact_labels
      WHERE shard = $1 AND organization_id = $2 AND contact_id = c.id AND label_id = $5
      OFFSET 0
  ))
  AND ($6::uuid[] IS NULL OR EXISTS (
      SELECT 1 FROM conversations
      WHERE shard = $1 AND organization_id = $2 AND contact_id = c.id AND account_id = ANY($6)
      OFFSET 0
  ))
  AND (
      $7::text IS NULL
      OR strpos(c.searched, $7) > 0
      OR strpos(c.phone_number, $8::text) > 0
  )
ORDER BY c.id DESC LIMIT $4
""",
    )


def _filters(only: ContactFilter) -> tuple[object, ...]:
    return only.label_id, only.account_ids, only.text, only.digits


LIST_WITH_NUMBER = _matching("""
SELECT c.* FROM unnest($9::text[]) AS k (phone_number)
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND phone_number = k.phone_number
      AND merged_into IS NULL
    OFFSET 0
) AS c
{matching}
""")


async def list_with_number(
    connection: Connection, tenant: Tenant, only: ContactFilter, before: UUID, limit: int
) -> list[Contact]:
    """Return the contacts with a form of the filter's number that match the rest as well."""
    rows = await connection.fetch(
        LIST_WITH_NUMBER, *tenant, before, limit, *_filters(only), forms_of(only.phone_number or "")
    )
    return [contact_of(row) for row in rows]


# The very expression of the index. `IS TRUE` keeps the planner from taking the primary key instead,
# or as well: without statistics it expects few contacts of a tenant, and makes the keys of all.
_KEYS = 'search_keys(organization_id, searched) COLLATE "C"'


def _looked_up(statement: str) -> str:
    """Fill in the keys; a number is looked up by its digits alone as well."""
    return statement.replace("{keys}", _KEYS)


COUNT_FOUND = _looked_up("""
SELECT count(*) FROM (
    SELECT 1 FROM contacts
    WHERE (shard = $1 AND organization_id = $2) IS TRUE AND merged_into IS NULL AND (
        {keys} @> search_keys($2, $3::text)
        OR {keys} @> search_keys($2, coalesce($4::text, $3::text))
    )
    LIMIT $5
) AS found
""")
LIST_FOUND = _looked_up(
    _matching("""
SELECT c.* FROM (
    SELECT * FROM contacts
    WHERE (shard = $1 AND organization_id = $2) IS TRUE AND merged_into IS NULL AND (
        {keys} @> search_keys($2, $7::text)
        OR {keys} @> search_keys($2, coalesce($8::text, $7::text))
    )
    LIMIT $9
) AS c
{matching}
""")
)


async def count_found(
    connection: Connection, tenant: Tenant, only: ContactFilter, most: int
) -> int:
    """Count, up to `most`, the contacts that the index finds for the filter's text."""
    found = await connection.fetchval(COUNT_FOUND, *tenant, only.text, only.digits, most)
    return int(found)


async def list_found(
    connection: Connection,
    tenant: Tenant,
    only: ContactFilter,
    before: UUID,
    limit: int,
    most: int,
) -> list[Contact]:
    """Return the matching ones of at most `most` contacts that the index finds."""
    rows = await connection.fetch(LIST_FOUND, *tenant, before, limit, *_filters(only), most)
    return [contact_of(row) for row in rows]


LIST_LABELED = _matching("""
SELECT c.* FROM (
    SELECT l.* FROM (
        SELECT contact_id FROM contact_labels
        WHERE shard = $1 AND organization_id = $2 AND label_id = $5
          AND contact_id < $3 AND contact_id >= $9
        ORDER BY contact_id DESC LIMIT $10
    ) AS x
    CROSS JOIN LATERAL (
        SELECT * FROM contacts WHERE shard = $1 AND organization_id = $2 AND id = x.contact_id
        OFFSET 0
    ) AS l
) AS c
{matching}
""")
LIST = _matching("""
SELECT c.* FROM (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND id < $3 AND id >= $9
    ORDER BY id DESC LIMIT $10
) AS c
{matching}
""")


async def list_contacts(
    connection: Connection,
    tenant: Tenant,
    only: ContactFilter,
    before: UUID,
    *,
    end: UUID,
    limit: int,
    scan: int,
) -> list[Contact]:
    """Return the matching ones of at most `scan` contacts, or of those with the filter's label:
    from before the id `before` to `end`, that one included."""
    statement = LIST if only.label_id is None else LIST_LABELED
    rows = await connection.fetch(statement, *tenant, before, limit, *_filters(only), end, scan)
    return [contact_of(row) for row in rows]


FIND_END = """
SELECT id FROM contacts
WHERE shard = $1 AND organization_id = $2 AND id < $3 ORDER BY id DESC OFFSET $4 LIMIT 1
"""
FIND_LABELED_END = """
SELECT contact_id FROM contact_labels
WHERE shard = $1 AND organization_id = $2 AND contact_id < $3 AND label_id = $5
ORDER BY contact_id DESC OFFSET $4 LIMIT 1
"""


async def find_scan_end(
    connection: Connection, tenant: Tenant, only: ContactFilter, before: UUID, scan: int
) -> UUID | None:
    """Return the last of the `scan` contacts that `list_contacts` would look at, None if there are
    fewer."""
    values = (*tenant, before, scan - 1)
    found: UUID | None = await (
        connection.fetchval(FIND_END, *values)
        if only.label_id is None
        else connection.fetchval(FIND_LABELED_END, *values, only.label_id)
    )
    return found


# --- what is shown of a contact --------------------------------------------------------------

# one index lookup for each: without statistics the planner would read all rows of a tenant
LIST_ATTRIBUTES = """
SELECT k.id, c.attributes FROM unnest($3::uuid[]) AS k (id)
CROSS JOIN LATERAL (
    SELECT attributes FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND id = k.id
    OFFSET 0
) AS c
"""
LIST_ADDRESSES_OF = """
SELECT a.* FROM unnest($3::uuid[]) AS k (id)
CROSS JOIN LATERAL (
    SELECT contact_id, network, remote_jid, created_at FROM contact_addresses
    WHERE shard = $1 AND organization_id = $2 AND contact_id = k.id
    OFFSET 0
) AS a
ORDER BY a.created_at, a.network, a.remote_jid
"""
LIST_PICTURES_OF = """
SELECT DISTINCT ON (contact_id) contact_id, object_key FROM contact_pictures
WHERE shard = $1 AND organization_id = $2 AND contact_id = ANY($3::uuid[])
  AND ($4::uuid[] IS NULL OR account_id = ANY($4))
ORDER BY contact_id, preview, checked_at DESC
"""


async def load_entries(
    connection: Connection,
    tenant: Tenant,
    contacts: Sequence[Contact],
    account_ids: Sequence[UUID] | None = None,
) -> list[ContactEntry]:
    """Return contacts of one tenant with all that is shown of them, in this order; with pictures
    that one of these accounts has fetched."""
    ids = [contact.id for contact in contacts]
    if not ids:
        return []
    attributes: dict[UUID, Attributes] = {
        row["id"]: msgspec.json.decode(row["attributes"])
        for row in await connection.fetch(LIST_ATTRIBUTES, *tenant, ids)
    }
    labels = await list_labels_of_contacts(connection, tenant, ids)
    addresses = _group_addresses(await connection.fetch(LIST_ADDRESSES_OF, *tenant, ids))
    pictures = await connection.fetch(LIST_PICTURES_OF, *tenant, ids, account_ids)
    keys = {row["contact_id"]: row["object_key"] for row in pictures}
    return [
        ContactEntry(
            contact,
            attributes.get(contact.id, {}),
            labels.get(contact.id, ()),
            addresses.get(contact.id, ()),
            keys.get(contact.id),
        )
        for contact in contacts
    ]


def _group_addresses(rows: Sequence[Row]) -> dict[UUID, tuple[ContactAddress, ...]]:
    addresses: defaultdict[UUID, tuple[ContactAddress, ...]] = defaultdict(tuple)
    for row in rows:
        addresses[row["contact_id"]] += (_address_of(row),)
    return addresses


# --- changing one ----------------------------------------------------------------------------

LOCK = """
SELECT * FROM contacts WHERE shard = $1 AND organization_id = $2 AND id = $3 FOR NO KEY UPDATE
"""


async def lock_contact(connection: Connection, tenant: Tenant, contact_id: UUID) -> Contact | None:
    row = await connection.fetchrow(LOCK, *tenant, contact_id)
    return contact_of(row) if row else None


UPDATE = """
UPDATE contacts
SET name = $4, has_own_name = $5, attributes = $6::jsonb, updated_at = $7, searched = $8
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def update_contact(
    connection: Connection, contact: Contact, attributes: Attributes, at: datetime
) -> None:
    """Write what clients change in a locked contact."""
    await connection.execute(
        UPDATE,
        *contact.tenant,
        contact.id,
        contact.name,
        contact.has_own_name,
        msgspec.json.encode(attributes).decode(),
        at,
        contact.searched,
    )


HAS_CONVERSATION = """
SELECT id FROM conversations
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3 AND account_id = ANY($4::uuid[])
LIMIT 1
"""


async def has_conversation(
    connection: Connection, tenant: Tenant, contact_id: UUID, account_ids: Sequence[UUID]
) -> bool:
    """Whether one of these accounts has a conversation with the contact."""
    found = await connection.fetchval(HAS_CONVERSATION, *tenant, contact_id, account_ids)
    return found is not None
