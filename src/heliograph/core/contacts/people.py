"""Whom a list is about: by a contact's id, or by what people write, which is a phone number, a JID,
or a part of a name or number."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from heliograph.core.contacts.book_sql import count_found, list_contacts, list_found
from heliograph.core.contacts.model import (
    Contact,
    ContactFilter,
    is_jid,
    normalize_address,
    recipient_of,
)
from heliograph.core.contacts.people_sql import Person, find_person, find_together, list_numberless
from heliograph.core.contacts.sql import AddressKey, list_by_address, list_by_phone
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import ContactNotFoundError, InvalidInputError
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Connection

MAX_PEOPLE = 500
"""How many contacts one search may name."""
_MAX_FOUND = 5_000
"""How many the index may find for it: some of them have its letters in another order."""
_MAX_SCANNED = 10_000
"""How many contacts are looked at for a text that is too short for the index, and how many
addresses for one that may be a part of them."""
_NEWEST, _OLDEST = UUID(int=2**128 - 1), UUID(int=0)
_NOBODY = Person((), (), ())


class PeopleDirectory:
    def __init__(self, networks: NetworkRegistry) -> None:
        self._networks = networks

    async def find(
        self,
        connection: Connection,
        tenant: Tenant,
        contact_id: UUID | None,
        phone_number: str | None,
    ) -> Person | None:
        """Return the person that the two name: None if neither is given, `_NOBODY`, which matches
        nothing, if they name different people.

        `phone_number` is a number as people write it, or a JID. One that is no contact's stands for
        itself. Raises `ContactNotFoundError` and `OtherOrganizationError` for the id, and
        `InvalidInputError` for what is neither a number nor a JID.
        """
        address = None if phone_number is None else _address_of(phone_number)
        person = None if contact_id is None else await _get(connection, tenant, contact_id)
        if address is None:
            return person
        found = await self._at(connection, tenant, address)
        is_other = person is not None and person.ids[0] not in found.ids
        return _NOBODY if is_other else found

    async def search(
        self,
        connection: Connection,
        tenant: Tenant,
        text: str,
        account_ids: Sequence[UUID] | None = None,
    ) -> Person:
        """Return whom somebody means with this text: the contact or group with just this number or
        JID, else all contacts of whose names, numbers or addresses it is a part, in any case.

        Who may see some accounts alone means contacts of these. Raises `InvalidInputError` where
        more than `MAX_PEOPLE` are meant.
        """
        address = normalize_address(text)
        exact = None if address is None else await self._at(connection, tenant, address)
        if exact is not None and (exact.ids or is_jid(text)):
            return exact
        accounts = None if account_ids is None else tuple(account_ids)
        only = ContactFilter(text=" ".join(text.split()), account_ids=accounts)
        contacts = await _search(connection, tenant, only)
        if not contacts:
            return exact or _NOBODY
        found = await find_together(connection, tenant, contacts)
        return found if exact is None else _together(found, exact)

    async def _at(self, connection: Connection, tenant: Tenant, address: str) -> Person:
        keys = self._list_addresses(tenant, address)
        contact = await _find_contact(connection, tenant, address, keys)
        person = None if contact is None else await find_person(connection, tenant, contact.id)
        if person is not None:
            return person
        jids = dict.fromkeys(key.remote_jid for key in keys)
        if is_jid(address):
            return Person((), tuple(jids | {address: None}), ())
        return Person((), tuple(jids), (address,))

    def _list_addresses(self, tenant: Tenant, address: str) -> list[AddressKey]:
        """List what each network calls this number or JID, by its form alone."""
        keys = []
        for network in self._networks.list_networks():
            with suppress(InvalidAddressError):
                jid = network.recipient(recipient_of(address), {})
                keys.append(AddressKey(tenant.organization_id, network.name, jid))
        return keys


async def _search(connection: Connection, tenant: Tenant, only: ContactFilter) -> Sequence[Contact]:
    most, text = MAX_PEOPLE + 1, only.text or ""
    if only.can_be_looked_up:
        if await count_found(connection, tenant, only, _MAX_FOUND + 1) > _MAX_FOUND:
            raise _too_many()
        found = await list_found(connection, tenant, only, _NEWEST, most, 2 * _MAX_FOUND)
    else:
        found = await list_contacts(
            connection, tenant, only, _NEWEST, end=_OLDEST, limit=most, scan=_MAX_SCANNED
        )
    numberless = await list_numberless(connection, tenant, text, most, _MAX_SCANNED)
    people = {contact.id: contact for contact in (*found, *numberless)}
    if len(people) > MAX_PEOPLE:
        raise _too_many()
    return list(people.values())


def _too_many() -> InvalidInputError:
    problem = f"More than {MAX_PEOPLE} people match: type more of the name or number."
    return InvalidInputError.at(("query", "person"), problem)


def _together(one: Person, other: Person) -> Person:
    return Person(
        (*one.ids, *other.ids),
        (*one.addresses, *other.addresses),
        (*one.phone_numbers, *other.phone_numbers),
    )


def _address_of(text: str) -> str:
    address = normalize_address(text)
    if address is None:
        problem = "This is neither a phone number of 5 to 15 digits nor a JID."
        raise InvalidInputError.at(("query", "phone_number"), problem, input=text)
    return address


async def _get(connection: Connection, tenant: Tenant, contact_id: UUID) -> Person:
    person = await find_person(connection, tenant, contact_id)
    if person is None:
        not_found = ContactNotFoundError(contact_id)
        raise await missing_error(connection, "contacts", contact_id, not_found)
    return person


async def _find_contact(
    connection: Connection, tenant: Tenant, address: str, keys: Sequence[AddressKey]
) -> Contact | None:
    """Return the contact with this number, or with one of the addresses if it is a JID."""
    if is_jid(address):
        found = await list_by_address(connection, tenant.shard, keys)
        return next((found[key] for key in keys if key in found), None)
    key = tenant.organization_id, address
    return (await list_by_phone(connection, tenant.shard, [key])).get(key)
