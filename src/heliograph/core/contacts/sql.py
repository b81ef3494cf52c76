"""The tables `contacts`, `contact_addresses` and `contact_pictures`."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import msgspec

from heliograph.core.contacts.model import Contact, ContactPicture
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection, RepeatTransactionError, Row

FIND = """
SELECT * FROM contacts WHERE shard = $1 AND organization_id = $2 AND id = $3
"""

FIND_ORGANIZATION = "SELECT organization_id FROM contacts WHERE id = $1"

# One look into each key: without statistics the planner would join a tenant's contacts with what is
# asked for, and read its addresses anew for each pair.
LIST_BY_ADDRESS = """
SELECT k.network, k.remote_jid, c.*
FROM unnest($2::uuid[], $3::text[], $4::text[]) AS k (organization_id, network, remote_jid)
CROSS JOIN LATERAL (
    SELECT contact_id FROM contact_addresses
    WHERE shard = $1 AND organization_id = k.organization_id AND network = k.network
      AND remote_jid = k.remote_jid
    OFFSET 0
) AS a
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND id = a.contact_id
    OFFSET 0
) AS c
"""

LIST_BY_PHONE = """
SELECT c.* FROM unnest($2::uuid[], $3::text[]) AS k (organization_id, phone_number)
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND phone_number = k.phone_number
      AND merged_into IS NULL
    OFFSET 0
) AS c
"""

INSERT = """
INSERT INTO contacts (
    shard, organization_id, id, phone_number, name, chat_name, created_at, updated_at
)
SELECT $1, c.organization_id, c.id, c.phone_number, c.name, c.chat_name, c.at, c.at
FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
    AS c (organization_id, id, phone_number, name, chat_name, at)
ORDER BY c.organization_id, c.phone_number
ON CONFLICT DO NOTHING
RETURNING id
"""

INSERT_ADDRESSES = """
INSERT INTO contact_addresses (
    shard, organization_id, network, remote_jid, contact_id, created_at
)
SELECT $1, a.organization_id, a.network, a.remote_jid, a.contact_id, $6
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[])
    AS a (organization_id, network, remote_jid, contact_id)
ORDER BY a.organization_id, a.network, a.remote_jid
ON CONFLICT (shard, organization_id, network, remote_jid) DO NOTHING
RETURNING contact_id
"""

UPDATE = """
UPDATE contacts AS c
SET phone_number = u.phone_number, name = u.name, chat_name = u.chat_name, updated_at = $7
FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[])
    AS u (organization_id, id, phone_number, name, chat_name)
WHERE c.shard = $1 AND c.organization_id = u.organization_id AND c.id = u.id
"""

# Not FOR UPDATE: who gives a contact an address holds its key, and may wait for this very row.
LOCK = """
SELECT c.* FROM unnest($2::uuid[], $3::uuid[]) AS k (organization_id, id)
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id
    FOR NO KEY UPDATE
) AS c
"""

LIST_MERGED = """
SELECT k.organization_id, c.id FROM unnest($2::uuid[], $3::uuid[]) AS k (organization_id, id)
CROSS JOIN LATERAL (
    SELECT id FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND merged_into = k.id
    OFFSET 0
) AS c
"""

MERGE = """
UPDATE contacts SET merged_into = $4, updated_at = $5
WHERE shard = $1 AND organization_id = $2 AND (id = $3 OR merged_into = $3)
"""

MOVE_ADDRESSES = """
UPDATE contact_addresses SET contact_id = $4
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3
"""

LIST_ADDRESSES = """
SELECT remote_jid FROM contact_addresses
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3 AND network = $4
ORDER BY created_at, remote_jid
"""

FIND_PICTURE = """
SELECT * FROM contact_pictures
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3 AND account_id = $4 AND preview = $5
"""

UPSERT_PICTURE = """
INSERT INTO contact_pictures (
    shard, organization_id, contact_id, account_id, preview, picture_id, object_key, media_type,
    checked_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (shard, organization_id, contact_id, account_id, preview) DO UPDATE
SET picture_id = excluded.picture_id, object_key = excluded.object_key,
    media_type = excluded.media_type, checked_at = excluded.checked_at
"""


ContactKey: TypeAlias = tuple[UUID, UUID]
"""A contact's organization and id."""


class PersonKey(msgspec.Struct, frozen=True):
    """A person as a network knows them."""

    organization_id: UUID
    network: str
    remote_jid: str


async def find_contact(connection: Connection, tenant: Tenant, contact_id: UUID) -> Contact | None:
    """The contact, as it is: one that was merged names the other in `merged_into`."""
    row = await connection.fetchrow(FIND, tenant.shard, tenant.organization_id, contact_id)
    return _contact(row) if row else None


async def find_organization_of(connection: Connection, contact_id: UUID) -> UUID | None:
    """Which organization has this contact: asked only to tell 403 from 404."""
    found: UUID | None = await connection.fetchval(FIND_ORGANIZATION, contact_id)
    return found


async def list_by_address(
    connection: Connection, shard: int, keys: Sequence[PersonKey]
) -> dict[PersonKey, Contact]:
    rows = await connection.fetch(
        LIST_BY_ADDRESS,
        shard,
        [key.organization_id for key in keys],
        [key.network for key in keys],
        [key.remote_jid for key in keys],
    )
    return {
        PersonKey(row["organization_id"], row["network"], row["remote_jid"]): _contact(row)
        for row in rows
    }


async def list_by_phone(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, str]]
) -> dict[tuple[UUID, str], Contact]:
    """Contacts of one shard by (organization id, phone number)."""
    rows = await connection.fetch(
        LIST_BY_PHONE, shard, [key[0] for key in keys], [key[1] for key in keys]
    )
    return {(row["organization_id"], row["phone_number"]): _contact(row) for row in rows}


async def insert_contacts(connection: Connection, shard: int, contacts: Sequence[Contact]) -> None:
    """Insert contacts of one shard. Somebody who was faster has the transaction begin again."""
    rows = await connection.fetch(
        INSERT,
        shard,
        [each.tenant.organization_id for each in contacts],
        [each.id for each in contacts],
        [each.phone_number for each in contacts],
        [each.name for each in contacts],
        [each.chat_name for each in contacts],
        [each.created_at for each in contacts],
    )
    if len(rows) < len(contacts):
        raise RepeatTransactionError("another writer made one of these contacts")


async def insert_addresses(
    connection: Connection, shard: int, owners: dict[PersonKey, UUID], at: datetime
) -> None:
    """Say whose these addresses are. Somebody who was faster has the transaction begin again."""
    rows = await connection.fetch(
        INSERT_ADDRESSES,
        shard,
        [key.organization_id for key in owners],
        [key.network for key in owners],
        [key.remote_jid for key in owners],
        list(owners.values()),
        at,
    )
    if len(rows) < len(owners):
        raise RepeatTransactionError("another writer took one of these addresses")


async def lock_contacts(
    connection: Connection,
    shard: int,
    keys: Collection[ContactKey],
    merging: Collection[ContactKey] = (),
) -> dict[UUID, Contact]:
    """Lock contacts of one shard, and all that were merged into those which are about to be merged
    themselves: a merge writes them, too. In key order; the contacts of `keys` as they are now.

    One that another writer has merged meanwhile has the transaction begin again.
    """
    earlier = await _list_merged(connection, shard, merging)
    ordered = sorted({*keys, *earlier})
    rows = await connection.fetch(
        LOCK, shard, [key[0] for key in ordered], [key[1] for key in ordered]
    )
    contacts = {row["id"]: _contact(row) for row in rows}
    wanted = {contact_id: contacts[contact_id] for _, contact_id in keys}
    is_merged = any(contact.merged_into is not None for contact in wanted.values())
    if is_merged or await _list_merged(connection, shard, merging) - earlier:
        raise RepeatTransactionError("another writer merged one of these contacts")
    return wanted


async def _list_merged(
    connection: Connection, shard: int, keys: Collection[ContactKey]
) -> set[ContactKey]:
    """Those that were merged into these contacts."""
    if not keys:
        return set()
    rows = await connection.fetch(
        LIST_MERGED, shard, [key[0] for key in keys], [key[1] for key in keys]
    )
    return {(row["organization_id"], row["id"]) for row in rows}


async def update_contacts(
    connection: Connection, shard: int, contacts: Sequence[Contact], at: datetime
) -> None:
    """Write back numbers and names of locked contacts of one shard."""
    await connection.execute(
        UPDATE,
        shard,
        [each.tenant.organization_id for each in contacts],
        [each.id for each in contacts],
        [each.phone_number for each in contacts],
        [each.name for each in contacts],
        [each.chat_name for each in contacts],
        at,
    )


async def merge_contacts(
    connection: Connection, keep: Contact, drop: Contact, at: datetime
) -> None:
    """Two locked contacts are one person: `drop` becomes another name of `keep`.

    The conversations of `drop` are the caller's to move.
    """
    tenant = keep.tenant
    ids = (tenant.shard, tenant.organization_id, drop.id, keep.id)
    await connection.execute(MERGE, *ids, at)
    await connection.execute(MOVE_ADDRESSES, *ids)


async def list_addresses(
    connection: Connection, tenant: Tenant, contact_id: UUID, network: str
) -> list[str]:
    """The contact's addresses on a network, oldest first."""
    rows = await connection.fetch(
        LIST_ADDRESSES, tenant.shard, tenant.organization_id, contact_id, network
    )
    return [row["remote_jid"] for row in rows]


async def find_picture(
    connection: Connection, tenant: Tenant, contact_id: UUID, account_id: UUID, *, preview: bool
) -> ContactPicture | None:
    row = await connection.fetchrow(
        FIND_PICTURE, tenant.shard, tenant.organization_id, contact_id, account_id, preview
    )
    if row is None:
        return None
    return ContactPicture(
        tenant=tenant,
        contact_id=contact_id,
        account_id=account_id,
        preview=preview,
        picture_id=row["picture_id"],
        object_key=row["object_key"],
        media_type=row["media_type"],
        checked_at=row["checked_at"],
    )


async def upsert_picture(connection: Connection, picture: ContactPicture) -> None:
    await connection.execute(
        UPSERT_PICTURE,
        picture.tenant.shard,
        picture.tenant.organization_id,
        picture.contact_id,
        picture.account_id,
        picture.preview,
        picture.picture_id,
        picture.object_key,
        picture.media_type,
        picture.checked_at,
    )


def _contact(row: Row) -> Contact:
    return Contact(
        tenant=Tenant(row["shard"], row["organization_id"]),
        id=row["id"],
        phone_number=row["phone_number"],
        name=row["name"],
        chat_name=row["chat_name"],
        merged_into=row["merged_into"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
