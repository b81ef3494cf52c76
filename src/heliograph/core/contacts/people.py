"""Whom a list is about: by a contact's id, or by what people write, which is a phone number, a JID,
or a part of a name or number."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from heliograph.core.contacts.addresses import number_at
from heliograph.core.contacts.book_sql import count_found, list_contacts, list_found
from heliograph.core.contacts.model import Contact, ContactFilter
from heliograph.core.contacts.people_sql import (
    PersonIds,
    find_person,
    find_together,
    list_numberless,
)
from heliograph.core.contacts.sql import AddressKey, list_by_address, list_by_phone
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.sql import refuse_others
from heliograph.errors import InvalidInputError
from heliograph.networks.addresses import get_address, is_jid, normalize_address, recipient_of
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.phone_numbers import PhoneNumberError, forms_of, other_form, phone_digits
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Connection
from heliograph.platform.folding import fold

MAX_PEOPLE = 500
"""How many contacts one search may name."""
_MAX_FOUND = 5_000
"""How many the index may find for it: some of them have its letters in another order."""
_MAX_SCANNED = 10_000
"""How many contacts are looked at for a text that is too short for the index, and how many
addresses for one that may be a part of them."""
_NEWEST, _OLDEST = UUID(int=2**128 - 1), UUID(int=0)
_NOBODY = PersonIds((), (), ())


class PeopleDirectory:
    def __init__(self, networks: NetworkRegistry) -> None:
        self._networks = networks

    async def find(
        self,
        connection: Connection,
        tenant: Tenant,
        contact_id: UUID | None,
        phone_number: str | None,
    ) -> PersonIds | None:
        """Return the person that the two name: None if neither is given, `_NOBODY`, which matches
        nothing, if they name different people or nobody has the id.

        `phone_number` is a number as people write it, or a JID. One that is no contact's stands for
        itself. Raises `OtherOrganizationError` for the id, and `InvalidInputError` for what is
        neither a number nor a JID.
        """
        address = None if phone_number is None else _address_of(phone_number)
        person = None if contact_id is None else await _find(connection, tenant, contact_id)
        if address is None or person is _NOBODY:
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
    ) -> PersonIds:
        """Return whom somebody means with this text: the contact or group with just this number or
        JID, else all contacts of whose names, numbers or addresses it is a part, as folded.

        Who may see some accounts alone means contacts of these. Raises `InvalidInputError` where
        more than `MAX_PEOPLE` are meant.
        """
        address = normalize_address(text)
        exact = None if address is None else await self._at(connection, tenant, address)
        if exact is not None and (exact.ids or is_jid(address or "")):
            return exact
        accounts = None if account_ids is None else tuple(account_ids)
        only = ContactFilter(text=fold(text), account_ids=accounts)
        contacts = await _search(connection, tenant, only)
        if not contacts:
            return exact or _NOBODY
        found = await find_together(connection, tenant, contacts)
        return found if exact is None else _together(found, exact)

    async def _at(self, connection: Connection, tenant: Tenant, address: str) -> PersonIds:
        forms = (address,) if is_jid(address) else forms_of(address)
        named = (key for form in forms for key in self._list_addresses(tenant, form))
        keys = list(dict.fromkeys(named))
        contacts = await _find_contacts(connection, tenant, forms, keys)
        if contacts:
            return await find_together(connection, tenant, contacts)
        jids = dict.fromkeys(key.remote_jid for key in keys)
        if is_jid(address):
            return PersonIds((), tuple(jids | {address: None}), ())
        return PersonIds((), tuple(jids), forms)

    def _list_addresses(self, tenant: Tenant, address: str) -> list[AddressKey]:
        """List what each network calls this number or JID, by its form alone, and at the end its
        other form."""
        keys = []
        for network in self._networks.list_networks():
            with suppress(InvalidAddressError):
                jid = network.recipient(recipient_of(address), {})
                number = number_at(network, {}, jid)
                for form in (jid,) if number is None else forms_of(number):
                    named = network.recipient(recipient_of(form), {})
                    keys.append(AddressKey(tenant.organization_id, network.name, named))
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


def _together(one: PersonIds, other: PersonIds) -> PersonIds:
    return PersonIds(
        (*one.ids, *other.ids),
        (*one.addresses, *other.addresses),
        (*one.phone_numbers, *other.phone_numbers),
    )


def _address_of(text: str) -> str:
    try:
        return get_address(text)
    except PhoneNumberError as error:
        raise InvalidInputError.at(("query", "phone_number"), error.reason, input=text) from error


async def _find(connection: Connection, tenant: Tenant, contact_id: UUID) -> PersonIds:
    person = await find_person(connection, tenant, contact_id)
    if person is None:
        await refuse_others(connection, tenant, "contacts", contact_id)
    return person or _NOBODY


async def _find_contacts(
    connection: Connection, tenant: Tenant, forms: Sequence[str], keys: Sequence[AddressKey]
) -> list[Contact]:
    """Return the contacts with the number in one of its forms, or the one with an address."""
    if is_jid(forms[0]):
        found = await list_by_address(connection, tenant.shard, keys)
        return [found[key] for key in keys if key in found][:1]
    numbers = [(tenant.organization_id, form) for form in forms]
    by_number = await list_by_phone(connection, tenant.shard, numbers)
    return list({contact.id: contact for contact in by_number.values()}.values())


async def as_known(connection: Connection, tenant: Tenant, text: str | None) -> str | None:
    """Return the number that a contact has where the text is its other form, else the text."""
    digits = None if text is None else phone_digits(text)
    if digits is None or other_form(digits) is None:
        return text
    key = tenant.organization_id, f"+{digits}"
    contact = (await list_by_phone(connection, tenant.shard, [key])).get(key)
    return text if contact is None else contact.phone_number
