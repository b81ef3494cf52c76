"""Whom a list is about, by a contact's id or by what people write: a phone number or a JID."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from heliograph.core.contacts.model import Contact, is_jid, normalize_address, recipient_of
from heliograph.core.contacts.people_sql import Person, find_person
from heliograph.core.contacts.sql import AddressKey, list_by_address, list_by_phone
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import ContactNotFoundError, InvalidInputError
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Connection

_NOBODY = Person((), (), None)


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

    async def _at(self, connection: Connection, tenant: Tenant, address: str) -> Person:
        keys = self._list_addresses(tenant, address)
        contact = await _find_contact(connection, tenant, address, keys)
        person = None if contact is None else await find_person(connection, tenant, contact.id)
        if person is not None:
            return person
        jids = dict.fromkeys(key.remote_jid for key in keys)
        if is_jid(address):
            return Person((), tuple(jids | {address: None}), None)
        return Person((), tuple(jids), address)

    def _list_addresses(self, tenant: Tenant, address: str) -> list[AddressKey]:
        """List what each network calls this number or JID, by its form alone."""
        keys = []
        for network in self._networks.list_networks():
            with suppress(InvalidAddressError):
                jid = network.recipient(recipient_of(address), {})
                keys.append(AddressKey(tenant.organization_id, network.name, jid))
        return keys


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
