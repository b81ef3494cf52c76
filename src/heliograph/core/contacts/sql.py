"""The tables `contacts`, `contact_addresses` and `contact_pictures`."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import msgspec
from msgspec.structs import astuple

from heliograph.core.contacts.model import Contact, ContactPicture
from heliograph.core.labels.sql import move_labels
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import ROW_KEYS, Shards, statement, tenant_columns, tenant_of
from heliograph.networks.phone_numbers import forms_of
from heliograph.platform.database.pool import Connection, RepeatTransactionError
from heliograph.platform.database.rows import Columns, reads

contact_of = reads(Contact, tenant=tenant_of)
_picture_of = reads(ContactPicture, tenant=tenant_of)

ContactKey: TypeAlias = tuple[UUID, UUID]
"""A contact's organization and id."""


class AddressKey(msgspec.Struct, frozen=True):
    """The address by which a network identifies a person."""

    organization_id: UUID
    network: str
    remote_jid: str


_address_key_of = reads(AddressKey)

FIND = """
SELECT * FROM contacts WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def find_contact(connection: Connection, tenant: Tenant, contact_id: UUID) -> Contact | None:
    """Return the contact as it is stored: one that was merged has the other in `merged_into`."""
    row = await connection.fetchrow(FIND, *tenant, contact_id)
    return contact_of(row) if row else None


LIST_BY_ID = """
SELECT c.* FROM unnest($3::uuid[]) AS k (id)
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND id = k.id AND merged_into IS NULL
    OFFSET 0
) AS c
"""


async def list_contacts_by_id(
    connection: Connection, tenant: Tenant, contact_ids: Sequence[UUID]
) -> list[Contact]:
    """Return these contacts, without those that were merged into another."""
    rows = await connection.fetch(LIST_BY_ID, *tenant, list(contact_ids))
    return [contact_of(row) for row in rows]


# One index lookup for each key: without statistics the planner would join a tenant's contacts with
# the keys, and read its addresses again for each pair.
_ADDRESS_KEYS = Columns("organization_id uuid, network text, remote_jid text")
LIST_BY_ADDRESS = statement(
    """
SELECT k.network, k.remote_jid, c.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT contact_id FROM contact_addresses
    WHERE shard = {shard} AND organization_id = k.organization_id AND network = k.network
      AND remote_jid = k.remote_jid
    OFFSET 0
) AS a
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = a.contact_id
    OFFSET 0
) AS c
""",
    _ADDRESS_KEYS,
)


async def list_by_address(
    connection: Connection, shards: Shards, keys: Sequence[AddressKey]
) -> dict[AddressKey, Contact]:
    rows = await connection.fetch(*LIST_BY_ADDRESS.of(shards, keys))
    return {_address_key_of(row): contact_of(row) for row in rows}


_PHONE_KEYS = Columns("organization_id uuid, phone_number text")
LIST_BY_PHONE = statement(
    """
SELECT c.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id AND phone_number = k.phone_number
      AND merged_into IS NULL
    OFFSET 0
) AS c
""",
    _PHONE_KEYS,
)


async def list_by_phone(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, str]]
) -> dict[tuple[UUID, str], Contact]:
    """Return contacts by (organization id, phone number); one that has the number in its other form
    is returned for it, too, unless another contact has it as it is."""
    forms = {key: [(key[0], form) for form in forms_of(key[1])] for key in keys}
    asked = list(dict.fromkeys(form for each in forms.values() for form in each))
    rows = await connection.fetch(*LIST_BY_PHONE.transpose(shards, asked))
    found = {(row["organization_id"], row["phone_number"]): contact_of(row) for row in rows}
    first = {
        key: next((found[form] for form in each if form in found), None)
        for key, each in forms.items()
    }
    return {key: contact for key, contact in first.items() if contact is not None}


_NEW = tenant_columns(
    "id uuid, phone_number text, name text, chat_name text, searched text,"
    " created_at timestamptz, updated_at timestamptz",
    updated_at="created_at",
)
INSERT = insertion(
    """
INSERT INTO contacts (shard, {names}) SELECT {shard}, {values} FROM {rows}
ORDER BY k.organization_id, k.phone_number
ON CONFLICT DO NOTHING
RETURNING id
""",
    _NEW,
)


async def insert_contacts(
    connection: Connection, shards: Shards, contacts: Sequence[Contact]
) -> None:
    """Insert contacts; repeat the transaction if another writer was faster."""
    rows = await INSERT.insert(connection, shards, contacts)
    if len(rows) < len(contacts):
        raise RepeatTransactionError("another writer made one of these contacts")


_ADDRESSES = Columns(
    "organization_id uuid, network text, remote_jid text, contact_id uuid", first=3
)
INSERT_ADDRESSES = insertion(
    """
INSERT INTO contact_addresses (shard, created_at, {names}) SELECT {shard}, $2, {values} FROM {rows}
ORDER BY k.organization_id, k.network, k.remote_jid
ON CONFLICT (shard, organization_id, network, remote_jid) DO NOTHING
RETURNING contact_id
""",
    _ADDRESSES,
)


async def insert_addresses(
    connection: Connection, shards: Shards, owners: dict[AddressKey, UUID], at: datetime
) -> None:
    """Insert addresses of contacts; repeat the transaction if another writer was faster."""
    addresses = [(*astuple(key), contact_id) for key, contact_id in owners.items()]
    rows = await INSERT_ADDRESSES.insert_rows(connection, shards, addresses, at)
    if len(rows) < len(owners):
        raise RepeatTransactionError("another writer took one of these addresses")


# Not FOR UPDATE: who gives a contact an address holds its key, and may wait for this very row.
LOCK = statement(
    """
SELECT c.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
    FOR NO KEY UPDATE
) AS c
""",
    ROW_KEYS,
)


async def lock_contacts(
    connection: Connection,
    shards: Shards,
    keys: Collection[ContactKey],
    merging: Collection[ContactKey] = (),
) -> dict[UUID, Contact]:
    """Lock contacts in key order, and return those of `keys` as they are now.

    `merging` are about to be merged; the contacts that were merged into them are locked as well,
    for a merge writes them, too. If another writer has merged one meanwhile, the transaction is
    repeated.
    """
    earlier = await _list_merged(connection, shards, merging)
    ordered = sorted({*keys, *earlier})
    rows = await connection.fetch(*LOCK.transpose(shards, ordered))
    contacts = {row["id"]: contact_of(row) for row in rows}
    wanted = {contact_id: contacts[contact_id] for _, contact_id in keys}
    is_merged = any(contact.merged_into is not None for contact in wanted.values())
    if is_merged or await _list_merged(connection, shards, merging) - earlier:
        raise RepeatTransactionError("another writer merged one of these contacts")
    return wanted


LIST_MERGED = statement(
    """
SELECT k.organization_id, c.id FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id AND merged_into = k.id
    OFFSET 0
) AS c
""",
    ROW_KEYS,
)


async def _list_merged(
    connection: Connection, shards: Shards, keys: Collection[ContactKey]
) -> set[ContactKey]:
    """Return the contacts that were merged into these."""
    if not keys:
        return set()
    rows = await connection.fetch(*LIST_MERGED.transpose(shards, keys))
    return {tuple(row) for row in rows}


_NAMES = tenant_columns(
    "id uuid, phone_number text, name text, chat_name text, searched text, has_own_name bool",
    first=3,
    keys=2,
)
UPDATE = statement(
    """
UPDATE contacts AS c SET {changes}, updated_at = $2 FROM {rows}
WHERE c.shard = {shard} AND c.organization_id = k.organization_id AND c.id = k.id
""",
    _NAMES,
)


async def update_contacts(
    connection: Connection, shards: Shards, contacts: Sequence[Contact], at: datetime
) -> None:
    """Write the numbers and names of locked contacts."""
    await connection.execute(*UPDATE.of(shards, contacts, at))


MERGE = """
UPDATE contacts SET merged_into = $4, updated_at = $5
WHERE shard = $1 AND organization_id = $2 AND (id = $3 OR merged_into = $3)
"""
MOVE_ADDRESSES = """
UPDATE contact_addresses SET contact_id = $4
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3
"""
MOVE_ATTRIBUTES = """
UPDATE contacts AS c SET attributes = d.attributes || c.attributes
FROM contacts AS d
WHERE c.shard = $1 AND c.organization_id = $2 AND c.id = $4
  AND d.shard = $1 AND d.organization_id = $2 AND d.id = $3 AND d.attributes <> '{}'
"""


async def merge_contacts(
    connection: Connection, keep: Contact, drop: Contact, at: datetime
) -> None:
    """Merge the locked contact `drop` into `keep`, whose attributes count where both have one. The
    caller moves the conversations."""
    tenant = keep.tenant
    ids = (*tenant, drop.id, keep.id)
    await connection.execute(MERGE, *ids, at)
    await connection.execute(MOVE_ADDRESSES, *ids)
    await connection.execute(MOVE_ATTRIBUTES, *ids)
    await move_labels(connection, tenant, drop.id, keep.id)


LIST_ADDRESSES = """
SELECT remote_jid FROM contact_addresses
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3 AND network = $4
ORDER BY created_at, remote_jid
"""


async def list_addresses(
    connection: Connection, tenant: Tenant, contact_id: UUID, network: str
) -> list[str]:
    """Return the contact's addresses on a network, oldest first."""
    rows = await connection.fetch(LIST_ADDRESSES, *tenant, contact_id, network)
    return [row["remote_jid"] for row in rows]


FIND_PICTURE = """
SELECT * FROM contact_pictures
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3 AND account_id = $4 AND preview = $5
"""


async def find_picture(
    connection: Connection, tenant: Tenant, contact_id: UUID, account_id: UUID, *, preview: bool
) -> ContactPicture | None:
    row = await connection.fetchrow(FIND_PICTURE, *tenant, contact_id, account_id, preview)
    return _picture_of(row) if row else None


_PICTURES = tenant_columns(
    "contact_id uuid, account_id uuid, preview bool, picture_id text, object_key text,"
    " media_type text, checked_at timestamptz"
)
UPSERT_PICTURE = _PICTURES.fill("""
INSERT INTO contact_pictures (shard, {names}) SELECT $1, {values} FROM {rows}
ON CONFLICT (shard, organization_id, contact_id, account_id, preview) DO UPDATE
SET picture_id = excluded.picture_id, object_key = excluded.object_key,
    media_type = excluded.media_type, checked_at = excluded.checked_at
""")


async def upsert_picture(connection: Connection, picture: ContactPicture) -> None:
    await connection.execute(UPSERT_PICTURE, picture.tenant.shard, *_PICTURES.of([picture]))
