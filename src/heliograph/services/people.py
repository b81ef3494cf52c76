"""From what a network says of a person to our contact: found, made, completed or merged.

A person is known by their address on a network; by their phone number where it is known, also
across networks. When an address without a number turns out to belong to a number that another
contact has, the two are one person: the older contact stays, the other's id still answers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from heliograph.model.contacts import Contact
from heliograph.model.organizations import Tenant
from heliograph.store import contacts as contact_store
from heliograph.store.contacts import PersonKey
from heliograph.store.database import Clock, Connection


@dataclass(frozen=True, slots=True)
class PersonSeen:
    """`name` is the address book's, `chat_name` the person's own; None is not known."""

    tenant: Tenant
    network: str
    remote_jid: str
    phone_number: str | None = None
    name: str | None = None
    chat_name: str | None = None

    @property
    def key(self) -> PersonKey:
        return PersonKey(self.tenant.organization_id, self.network, self.remote_jid)

    def joined(self, later: "PersonSeen") -> "PersonSeen":
        """What both say; the later one's word counts."""
        return replace(
            self,
            phone_number=later.phone_number or self.phone_number,
            name=later.name or self.name,
            chat_name=later.chat_name or self.chat_name,
        )


async def meet_people(
    connection: Connection, shard: int, seen: Iterable[PersonSeen], clock: Clock
) -> dict[PersonKey, Contact]:
    """The contact of each person of one shard, brought up to date."""
    people: dict[PersonKey, PersonSeen] = {}
    for person in seen:
        earlier = people.get(person.key)
        people[person.key] = earlier.joined(person) if earlier else person
    if not people:
        return {}
    contacts = await contact_store.list_by_address(connection, shard, sorted_keys(people))
    strangers = [person for key, person in people.items() if key not in contacts]
    if strangers:
        contacts |= await _introduce(connection, shard, strangers, clock)
    return await _complete(connection, shard, people, contacts, clock)


def sorted_keys(people: Iterable[PersonKey]) -> list[PersonKey]:
    return sorted(people, key=lambda key: (key.organization_id, key.network, key.remote_jid))


async def _introduce(
    connection: Connection, shard: int, strangers: list[PersonSeen], clock: Clock
) -> dict[PersonKey, Contact]:
    """Give new addresses their contact: the one with their number, else a new one."""
    numbers = [
        (person.tenant.organization_id, person.phone_number)
        for person in strangers
        if person.phone_number
    ]
    by_phone = await contact_store.list_by_phone(connection, shard, numbers) if numbers else {}
    new: list[Contact] = []
    found: dict[PersonKey, Contact] = {}
    for person in strangers:
        number = (person.tenant.organization_id, person.phone_number or "")
        contact = by_phone.get(number)
        if contact is None:
            contact = _new_contact(person, clock)
            new.append(contact)
            if person.phone_number:
                by_phone[number] = contact
        found[person.key] = contact
    if new:
        await contact_store.insert_contacts(connection, shard, new)
    owners = {key: found[key].id for key in sorted_keys(found)}
    await contact_store.insert_addresses(connection, shard, owners, clock.now())
    return found


def _new_contact(person: PersonSeen, clock: Clock) -> Contact:
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
    shard: int,
    people: dict[PersonKey, PersonSeen],
    contacts: dict[PersonKey, Contact],
    clock: Clock,
) -> dict[PersonKey, Contact]:
    """Write what is new of known people; merge where a number now shows two to be one."""
    merged = await _merge(connection, shard, people, contacts, clock)
    changed: dict[UUID, Contact] = {}
    for key, person in people.items():
        contact = changed.get(merged[key].id, merged[key])
        better = replace(
            contact,
            phone_number=contact.phone_number or person.phone_number,
            name=person.name or contact.name,
            chat_name=person.chat_name or contact.chat_name,
        )
        if better != contact:
            changed[contact.id] = better
    if changed:
        await contact_store.update_contacts(connection, shard, list(changed.values()), clock.now())
    return {key: changed.get(contact.id, contact) for key, contact in merged.items()}


async def _merge(
    connection: Connection,
    shard: int,
    people: dict[PersonKey, PersonSeen],
    contacts: dict[PersonKey, Contact],
    clock: Clock,
) -> dict[PersonKey, Contact]:
    unnumbered = {
        key: person.phone_number
        for key, person in people.items()
        if person.phone_number and contacts[key].phone_number is None
    }
    if not unnumbered:
        return contacts
    wanted = [(key.organization_id, number) for key, number in unnumbered.items()]
    owners = await contact_store.list_by_phone(connection, shard, wanted)
    replaced: dict[UUID, Contact] = {}
    for key, number in unnumbered.items():
        owner, contact = owners.get((key.organization_id, number)), contacts[key]
        if owner is not None and owner.id != contact.id:
            keep, drop = sorted((owner, contact), key=lambda each: (each.created_at, each.id))
            await contact_store.merge_contacts(connection, keep, drop, clock.now())
            replaced[drop.id] = replaced[keep.id] = _united(keep, drop)
    if replaced:
        await contact_store.update_contacts(
            connection,
            shard,
            list({each.id: each for each in replaced.values()}.values()),
            clock.now(),
        )
    return {key: replaced.get(contact.id, contact) for key, contact in contacts.items()}


def _united(keep: Contact, drop: Contact) -> Contact:
    return replace(
        keep,
        phone_number=keep.phone_number or drop.phone_number,
        name=keep.name or drop.name,
        chat_name=keep.chat_name or drop.chat_name,
    )
