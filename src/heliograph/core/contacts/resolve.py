"""Resolve what networks report of people to contacts: find, create, complete or merge them.

A person is identified by their address on a network, and across networks by their phone number
where it is known. When an address without a number turns out to belong to a number that another
contact has, the two are one person: the older contact stays, and the other's id leads to it.
"""

from collections.abc import Iterable
from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.core.contacts import sql
from heliograph.core.contacts.model import Contact
from heliograph.core.contacts.sql import AddressKey, ContactKey
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards
from heliograph.networks.phone_numbers import forms_of
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection


class ObservedPerson(msgspec.Struct, frozen=True):
    """What a network reports of a person; None is unknown.

    `name` is from the address book, `chat_name` is the person's own. With `if_known`, it completes
    an existing contact but creates none.
    """

    tenant: Tenant
    network: str
    remote_jid: str
    phone_number: str | None = None
    name: str | None = None
    chat_name: str | None = None
    if_known: bool = False

    @property
    def key(self) -> AddressKey:
        return AddressKey(self.tenant.organization_id, self.network, self.remote_jid)

    def updated(self, later: "ObservedPerson") -> "ObservedPerson":
        """Return what both report; where they differ, the later one counts."""
        return replace(
            self,
            phone_number=later.phone_number or self.phone_number,
            name=later.name or self.name,
            chat_name=later.chat_name or self.chat_name,
            if_known=later.if_known and self.if_known,
        )


class ResolvedContacts(msgspec.Struct, frozen=True):
    """The contact of each person; `merged` has, by the id of a contact that was merged into
    another, that other one; `updated` those that were known and are different now, each as it was
    and as it is."""

    contacts: dict[AddressKey, Contact]
    merged: dict[UUID, Contact]
    updated: tuple[tuple[Contact, Contact], ...] = ()


async def resolve_contacts(
    connection: Connection, shards: Shards, seen: Iterable[ObservedPerson], clock: Clock
) -> ResolvedContacts:
    """Return the contact of each person, brought up to date."""
    # New contacts and addresses first; then all that change are locked at once, in key order.
    people: dict[AddressKey, ObservedPerson] = {}
    for person in seen:
        earlier = people.get(person.key)
        people[person.key] = earlier.updated(person) if earlier else person
    if not people:
        return ResolvedContacts({}, {})
    contacts = await sql.list_by_address(connection, shards, sorted_keys(people))
    people = {
        key: person for key, person in people.items() if key in contacts or not person.if_known
    }
    unknown = [person for key, person in people.items() if key not in contacts]
    if unknown:
        contacts |= await _insert_contacts(connection, shards, unknown, clock)
    return await _complete(connection, shards, people, contacts, clock)


def sorted_keys(people: Iterable[AddressKey]) -> list[AddressKey]:
    return sorted(people, key=lambda key: (key.organization_id, key.network, key.remote_jid))


async def _insert_contacts(
    connection: Connection, shards: Shards, people: list[ObservedPerson], clock: Clock
) -> dict[AddressKey, Contact]:
    """Assign new addresses to a contact: the one with their number, else a new one."""
    numbers = [
        (person.tenant.organization_id, person.phone_number)
        for person in people
        if person.phone_number
    ]
    by_phone = await sql.list_by_phone(connection, shards, numbers) if numbers else {}
    new: list[Contact] = []
    found: dict[AddressKey, Contact] = {}
    for person in people:
        number = (person.tenant.organization_id, person.phone_number or "")
        contact = by_phone.get(number)
        if contact is None:
            contact = _new_contact(person, clock)
            new.append(contact)
            for form in forms_of(person.phone_number) if person.phone_number else ():
                by_phone.setdefault((person.tenant.organization_id, form), contact)
        found[person.key] = contact
    if new:
        await sql.insert_contacts(connection, shards, new)
    owners = {key: found[key].id for key in sorted_keys(found)}
    await sql.insert_addresses(connection, shards, owners, clock.now())
    return found


def _new_contact(person: ObservedPerson, clock: Clock) -> Contact:
    now = clock.now()
    return Contact(
        tenant=person.tenant,
        id=clock.new_id(),
        phone_number=person.phone_number,
        name=person.name,
        chat_name=person.chat_name,
        merged_into=None,
        created_at=now,
        updated_at=now,
    )


async def _complete(
    connection: Connection,
    shards: Shards,
    people: dict[AddressKey, ObservedPerson],
    contacts: dict[AddressKey, Contact],
    clock: Clock,
) -> ResolvedContacts:
    """Write what is new of known people, and merge contacts that a number shows to be one."""
    owners = await _list_owners(connection, shards, people, contacts)
    affected = {owner.id: owner for owner in owners.values()}
    for key, contact in contacts.items():
        if key in owners or _completed(contact, people[key]) != contact:
            affected[contact.id] = contact
    if not affected:
        return ResolvedContacts(contacts, {})
    merging = [*owners.values(), *(contacts[key] for key in owners)]
    locked = await sql.lock_contacts(
        connection,
        shards,
        [_key(contact) for contact in affected.values()],
        merging={_key(contact) for contact in merging},
    )
    changed, merged = dict(locked), dict[UUID, Contact]()
    for key, owner in owners.items():
        await _merge(connection, changed, merged, contacts[key].id, owner.id, clock)
    for key, person in people.items():
        contact_id = contacts[key].id
        if contact_id in changed:
            kept = merged.get(contact_id, changed[contact_id])
            changed[kept.id] = _completed(changed[kept.id], person)
    merged = {drop: changed[keep.id] for drop, keep in merged.items()}
    updated = [
        contact
        for contact in changed.values()
        if contact != locked[contact.id] and contact.id not in merged
    ]
    now = clock.now()
    if updated:
        await sql.update_contacts(connection, shards, updated, now)
    current = changed | merged
    resolved = {key: current.get(contact.id, contact) for key, contact in contacts.items()}
    different = {contact.id: contact for contact in (*updated, *merged.values())}
    pairs = [(locked[id_], replace(after, updated_at=now)) for id_, after in different.items()]
    return ResolvedContacts(resolved, merged, tuple(pairs))


def _key(contact: Contact) -> ContactKey:
    return contact.tenant.organization_id, contact.id


def _completed(contact: Contact, person: ObservedPerson) -> Contact:
    return replace(
        contact,
        phone_number=contact.phone_number or person.phone_number,
        name=contact.name if contact.has_own_name else person.name or contact.name,
        chat_name=person.chat_name or contact.chat_name,
    )


async def _list_owners(
    connection: Connection,
    shards: Shards,
    people: dict[AddressKey, ObservedPerson],
    contacts: dict[AddressKey, Contact],
) -> dict[AddressKey, Contact]:
    """Return the contacts that have the numbers of people who were known without theirs."""
    numbers = {
        key: (key.organization_id, person.phone_number)
        for key, person in people.items()
        if person.phone_number and contacts[key].phone_number is None
    }
    if not numbers:
        return {}
    found = await sql.list_by_phone(connection, shards, sorted(set(numbers.values())))
    return {
        key: found[number]
        for key, number in numbers.items()
        if number in found and found[number].id != contacts[key].id
    }


async def _merge(
    connection: Connection,
    changed: dict[UUID, Contact],
    merged: dict[UUID, Contact],
    one: UUID,
    other: UUID,
    clock: Clock,
) -> None:
    """Merge the younger of two locked contacts, and all merged into it before, into the older."""
    pair = {merged[id_].id if id_ in merged else id_ for id_ in (one, other)}
    if len(pair) < 2:
        return
    keep, drop = sorted(
        (changed[id_] for id_ in pair), key=lambda contact: (contact.created_at, contact.id)
    )
    await sql.merge_contacts(connection, keep, drop, clock.now())
    changed[keep.id] = _merged(keep, drop)
    for id_ in [drop.id, *(id_ for id_, into in merged.items() if into.id == drop.id)]:
        merged[id_] = keep


def _merged(keep: Contact, drop: Contact) -> Contact:
    named = drop if drop.has_own_name and not keep.has_own_name else keep
    return replace(
        keep,
        phone_number=keep.phone_number or drop.phone_number,
        name=named.name or keep.name or drop.name,
        has_own_name=named.has_own_name,
        chat_name=keep.chat_name or drop.chat_name,
    )
