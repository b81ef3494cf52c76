"""Identifies a person by all ids, addresses and numbers that messages and conversations may have of
a contact."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from heliograph.core.contacts.model import Contact
from heliograph.core.contacts.sql import contact_of
from heliograph.core.tenants.model import Tenant
from heliograph.networks.phone_numbers import forms_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.folding import sql_of_fold


class PersonIds(NamedTuple):
    """Whom messages and conversations are with: the ids of a contact, its addresses and its number,
    or those of several. The last two also find messages that the network has not taken yet. An
    address that belongs to no contact, such as a group's, has no ids."""

    ids: Sequence[UUID]
    addresses: Sequence[str]
    phone_numbers: Sequence[str]


FIND_PERSON = """
SELECT ARRAY(
    SELECT id FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND merged_into = c.id LIMIT 1000
) AS merged, ARRAY(
    SELECT remote_jid FROM contact_addresses
    WHERE shard = $1 AND organization_id = $2 AND contact_id = c.id LIMIT 1000
) AS addresses, c.id, c.phone_number
FROM contacts AS c
WHERE c.shard = $1 AND c.organization_id = $2 AND c.id = coalesce((
    SELECT merged_into FROM contacts WHERE shard = $1 AND organization_id = $2 AND id = $3
), $3)
"""


async def find_person(connection: Connection, tenant: Tenant, contact_id: UUID) -> PersonIds | None:
    """Return the contact's identifiers, by any id that it ever had."""
    row = await connection.fetchrow(FIND_PERSON, *tenant, contact_id)
    if row is None:
        return None
    number = row["phone_number"]
    numbers = () if number is None else forms_of(number)
    return PersonIds([row["id"], *row["merged"]], row["addresses"], numbers)


# A contact without a number is shown as its address. No index has parts of these.
LIST_NUMBERLESS = """
SELECT DISTINCT ON (c.id) c.* FROM (
    SELECT contact_id, remote_jid FROM contact_addresses
    WHERE shard = $1 AND organization_id = $2
    LIMIT $5
) AS a
CROSS JOIN LATERAL (
    SELECT * FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND id = a.contact_id
      AND phone_number IS NULL AND merged_into IS NULL
    OFFSET 0
) AS c
WHERE strpos({jid}, $3) > 0
LIMIT $4
""".replace("{jid}", sql_of_fold("split_part(a.remote_jid, '@', 1)"))


async def list_numberless(
    connection: Connection, tenant: Tenant, text: str, limit: int, scan: int
) -> list[Contact]:
    """Return contacts without a number that have this folded text before the `@` of an address, of
    at most `scan` addresses."""
    rows = await connection.fetch(LIST_NUMBERLESS, *tenant, text, limit, scan)
    return [contact_of(row) for row in rows]


# one index lookup for each: without statistics the planner would read all rows of a tenant
FIND_TOGETHER = """
SELECT ARRAY(
    SELECT m.id FROM unnest($3::uuid[]) AS k (id)
    CROSS JOIN LATERAL (
        SELECT id FROM contacts
        WHERE shard = $1 AND organization_id = $2 AND merged_into = k.id LIMIT 1000
    ) AS m
) AS merged, ARRAY(
    SELECT a.remote_jid FROM unnest($3::uuid[]) AS k (id)
    CROSS JOIN LATERAL (
        SELECT remote_jid FROM contact_addresses
        WHERE shard = $1 AND organization_id = $2 AND contact_id = k.id LIMIT 1000
    ) AS a
) AS addresses
"""


async def find_together(
    connection: Connection, tenant: Tenant, contacts: Sequence[Contact]
) -> PersonIds:
    """Return who these contacts are, as if they were one."""
    ids = [contact.id for contact in contacts]
    [row] = await connection.fetch(FIND_TOGETHER, *tenant, ids)
    known = (contact.phone_number for contact in contacts)
    numbers = [form for number in known if number is not None for form in forms_of(number)]
    return PersonIds([*ids, *row["merged"]], row["addresses"], numbers)
