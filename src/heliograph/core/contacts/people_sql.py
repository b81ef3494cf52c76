"""Who a person is: a contact by all that messages and conversations may name of them."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection


class Person(NamedTuple):
    """Whom messages and conversations are with: the ids of a contact, its addresses and its number.
    The last two also find messages that the network has not taken yet. An address that belongs to
    no contact, such as a group's, has no ids."""

    ids: Sequence[UUID]
    addresses: Sequence[str]
    phone_number: str | None


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


async def find_person(connection: Connection, tenant: Tenant, contact_id: UUID) -> Person | None:
    """Return who the contact is, whichever of the ids it was known by."""
    row = await connection.fetchrow(FIND_PERSON, *tenant, contact_id)
    if row is None:
        return None
    return Person([row["id"], *row["merged"]], row["addresses"], row["phone_number"])
