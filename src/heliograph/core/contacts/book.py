"""The contacts of an organization: found, read, named, and given attributes and labels."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.contacts import book_sql
from heliograph.core.contacts.events import add_contact_event
from heliograph.core.contacts.lookup import get_visible_contact
from heliograph.core.contacts.model import (
    Attributes,
    Contact,
    ContactChange,
    ContactCursor,
    ContactEntry,
    ContactFilter,
)
from heliograph.core.contacts.people import as_known
from heliograph.core.contacts.serializers import ContactRecord, contact_record
from heliograph.core.events.model import EventType
from heliograph.core.labels import sql as labels_sql
from heliograph.core.labels.model import by_name
from heliograph.core.labels.service import get_label
from heliograph.core.media.service import MediaService
from heliograph.core.pages import Page, decode_cursor, encode_cursor, run_search
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import refuse_others
from heliograph.errors import InvalidInputError
from heliograph.networks.addresses import get_phone_number
from heliograph.networks.phone_numbers import PhoneNumberError
from heliograph.platform.characters import without_hidden
from heliograph.platform.database.pool import Connection, Database, RepeatTransactionError
from heliograph.platform.folding import fold

MAX_SEARCH = 100
MAX_ATTRIBUTES = 50
MAX_ATTRIBUTE_NAME = 40
MAX_ATTRIBUTE_VALUE = 500
MAX_NAME = 255
"""Characters."""
_MAX_NUMBER = 2**53 - 1
"""What every JSON parser reads as it was written."""
MAX_FOUND = 5_000
"""How many contacts the index may find for a search; of a more common text, the newest contacts are
looked through instead."""
MAX_SCANNED = 10_000
"""How many contacts are read at most for one page of a filtered list."""
_NEWEST, _OLDEST = UUID(int=2**128 - 1), UUID(int=0)

CHANGE = Write(
    scope="contacts:write",
    unaudited="its event names who changed the contact, and how",
    events=(EventType.CONTACT_UPDATED,),
)


class ContactBookService:
    """The contact book. A caller who is limited to some accounts sees only contacts that have a
    conversation with one of these.

    Methods that take a contact's id raise `ContactNotFoundError`, `OtherOrganizationError` and
    `AccountNotAllowedError`; the id of a contact that was merged leads to the one that was kept.
    All of them raise `MissingScopeError`.
    """

    def __init__(self, database: Database, media: MediaService, changes: Changes) -> None:
        self._database = database
        self._media = media
        self._changes = changes

    async def list(
        self,
        principal: Principal,
        only: ContactFilter,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """List contacts, newest first.

        A page of a filtered list may be short or empty and yet have a next one. Raises
        `OtherOrganizationError` for a label that is not the caller's, and
        `InvalidInputError` for a cursor of another list, a number that is none, a search of more
        than 100 characters, and one that takes too long; `TooManyReadsError`.
        """
        principal.require("contacts:read")
        only = _checked_filter(principal, only)
        before = _NEWEST if cursor is None else decode_cursor(cursor, ContactCursor).contact_id

        async def work(connection: Connection) -> tuple[list[ContactEntry], UUID | None]:
            if only.label_id is not None:
                await refuse_others(connection, principal.tenant, "labels", only.label_id)
            found, more = await _find(connection, principal, only, before, limit)
            return await _load(connection, principal, found), more

        if only.text is None:
            entries, more = await self._database.read(work)
        else:
            entries, more = await run_search(self._database, principal.tenant, "search", work)
        next_cursor = None if more is None else encode_cursor(ContactCursor(more))
        return Page([self._record(entry) for entry in entries], next_cursor)

    async def get(self, principal: Principal, contact_id: UUID) -> ContactRecord:
        principal.require("contacts:read")

        async def work(connection: Connection) -> ContactEntry:
            contact = await get_visible_contact(connection, principal, contact_id)
            [entry] = await _load(connection, principal, [contact])
            return entry

        return self._record(await self._database.read(work))

    async def change(
        self, principal: Principal, contact_id: UUID, wanted: ContactChange
    ) -> ContactRecord:
        """Make several changes at once, or none of them.

        A name of null gives the name back to the phone's address book. `attributes` and `label_ids`
        replace those that there are. Raises `InvalidInputError` for values out of bounds, and what
        `LabelService.get` raises.
        """
        _check(wanted)
        return self._record(await self._changes.run(CHANGE, principal, _change, contact_id, wanted))

    def _record(self, entry: ContactEntry) -> ContactRecord:
        url = None if entry.picture_key is None else self._media.link(entry.picture_key)
        return contact_record(entry, picture_url=url)


async def _find(
    connection: Connection, principal: Principal, only: ContactFilter, before: UUID, limit: int
) -> tuple[list[Contact], UUID | None]:
    """Return a page of contacts, and the id before which the next one begins."""
    tenant = principal.tenant
    only = replace(only, text=await as_known(connection, tenant, only.text))
    if only.phone_number is not None:
        return await book_sql.list_with_number(connection, tenant, only, before, limit), None
    if only.can_be_looked_up:
        count = await book_sql.count_found(connection, tenant, only, MAX_FOUND + 1)
        if count <= MAX_FOUND:
            found = await book_sql.list_found(
                connection, tenant, only, before, limit + 1, 2 * MAX_FOUND
            )
            return found[:limit], found[limit - 1].id if len(found) > limit else None
    end, scan = None, limit + 1
    if only != ContactFilter():
        end = await book_sql.find_scan_end(connection, tenant, only, before, MAX_SCANNED)
        scan = MAX_SCANNED
    found = await book_sql.list_contacts(
        connection, tenant, only, before, end=end or _OLDEST, limit=limit + 1, scan=scan
    )
    return found[:limit], found[limit - 1].id if len(found) > limit else end


async def _load(
    connection: Connection, principal: Principal, contacts: Sequence[Contact]
) -> list[ContactEntry]:
    return await book_sql.load_entries(
        connection, principal.tenant, contacts, principal.account_filter
    )


async def _change(change: Change, contact_id: UUID, wanted: ContactChange) -> ContactEntry:
    connection, principal, tenant = change.connection, change.principal, change.tenant
    known = await get_visible_contact(connection, principal, contact_id)
    contact = await book_sql.lock_contact(connection, tenant, known.id)
    if contact is None or contact.merged_into is not None:
        raise RepeatTransactionError("another writer merged this contact")
    [before] = await _load(connection, principal, [contact])
    after = await _changed(connection, principal, before, wanted)
    if after == before:
        return before
    now = max(contact.updated_at, change.now)
    await book_sql.update_contact(connection, after.contact, after.attributes, now)
    after = replace(after, contact=replace(after.contact, updated_at=now))
    add_contact_event(change.events, before, after, change.author)
    return after


async def _changed(
    connection: Connection, principal: Principal, entry: ContactEntry, wanted: ContactChange
) -> ContactEntry:
    contact = entry.contact
    if wanted.name is not UNSET:
        name = None if wanted.name is None else without_hidden(" ".join(wanted.name.split()))
        contact = replace(contact, name=name, has_own_name=name is not None)
    attributes = entry.attributes if wanted.attributes is UNSET else wanted.attributes
    labels = entry.labels
    if wanted.label_ids is not UNSET:
        # locked in key order, or two such changes could deadlock
        held = [
            await get_label(connection, principal, label_id, labels_sql.hold_label)
            for label_id in sorted(set(wanted.label_ids))
        ]
        await _relabel(connection, entry, [label.id for label in held])
        labels = by_name(held)
    return replace(entry, contact=contact, attributes=attributes, labels=labels)


async def _relabel(connection: Connection, entry: ContactEntry, label_ids: Sequence[UUID]) -> None:
    known, contact = {label.id for label in entry.labels}, entry.contact
    if new := [label_id for label_id in label_ids if label_id not in known]:
        await labels_sql.add_labels(connection, contact.tenant, "contact", contact.id, new)
    if gone := sorted(known - set(label_ids)):
        await labels_sql.remove_labels(connection, contact.tenant, "contact", contact.id, gone)


# --- what is in bounds -----------------------------------------------------------------------


def _checked_filter(principal: Principal, only: ContactFilter) -> ContactFilter:
    """Return the filter for this caller: their accounts alone, the text folded, none that has
    nothing to see, and the number as it is stored."""
    text = " ".join((only.text or "").split())
    if len(text) > MAX_SEARCH or "\0" in text:
        problem = f"A search has at most {MAX_SEARCH} characters."
        raise InvalidInputError.at(("query", "search"), problem)
    number = None if only.phone_number is None else _number_of(only.phone_number)
    accounts = principal.account_filter
    return replace(
        only,
        text=fold(text) or None,
        phone_number=number,
        account_ids=None if accounts is None else tuple(accounts),
    )


def _number_of(text: str) -> str:
    try:
        return get_phone_number(text)
    except PhoneNumberError as error:
        raise InvalidInputError.at(("query", "phone_number"), error.reason, input=text) from error


def _check(wanted: ContactChange) -> None:
    if isinstance(wanted.name, str) and not 1 <= len(" ".join(wanted.name.split())) <= MAX_NAME:
        problem = f"A name has 1 to {MAX_NAME} characters, not all of them blank."
        raise InvalidInputError.at(("body", "name"), problem, input=wanted.name)
    if isinstance(wanted.name, str):
        require_visible("A name", " ".join(wanted.name.split()), "body", "name")
    if wanted.attributes is not UNSET:
        _check_attributes(wanted.attributes)


def _check_attributes(attributes: Attributes) -> None:
    if len(attributes) > MAX_ATTRIBUTES:
        problem = f"A contact has at most {MAX_ATTRIBUTES} attributes."
        raise InvalidInputError.at(("body", "attributes"), problem)
    for name, value in attributes.items():
        if not 1 <= len(name) <= MAX_ATTRIBUTE_NAME:
            problem = f"An attribute's name has 1 to {MAX_ATTRIBUTE_NAME} characters."
            raise InvalidInputError.at(("body", "attributes", name), problem, input=name)
        require_visible("An attribute's name", name, "body", "attributes", name)
        if isinstance(value, str) and len(value) > MAX_ATTRIBUTE_VALUE:
            problem = f"An attribute's value has at most {MAX_ATTRIBUTE_VALUE} characters."
            raise InvalidInputError.at(("body", "attributes", name), problem)
        if isinstance(value, int | float) and abs(value) > _MAX_NUMBER:
            problem = f"A number is at most {_MAX_NUMBER}, above and below 0."
            raise InvalidInputError.at(("body", "attributes", name), problem)
