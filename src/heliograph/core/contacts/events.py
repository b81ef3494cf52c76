"""What is reported of contacts: changes by people and by networks, and synchronizations that ended.

A contact that is new is no change: its first message tells of it.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec.structs import replace
from typing_extensions import Doc

from heliograph.core.contacts.book_sql import load_entries
from heliograph.core.contacts.model import Contact, ContactEntry
from heliograph.core.contacts.serializers import (
    ContactRecord,
    contact_record,
    sync_state_record,
)
from heliograph.core.contacts.sql import list_contacts_by_id
from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.jobs.model import Job, JobStatus
from heliograph.core.labels.model import Label, with_label
from heliograph.core.tenants.model import Author, Tenant
from heliograph.platform.database.pool import Connection


class UpdatedContactRecord(ContactRecord):
    """A changed contact, as it is now. `profile_picture_url` is null here."""

    changed: Annotated[list[str], Doc("The names of the fields that have another value now.")]
    changed_by: Annotated[
        Author | None, Doc("Who changed it; null when the chat network reported it.")
    ]


def add_contact_event(
    events: EventBuilder, before: ContactEntry, after: ContactEntry, by: Author | None
) -> None:
    """Add that the contact was changed, if any field that clients see is different."""
    old, new = contact_record(before), contact_record(after)
    changed = [name for name in new if name != "updated_at" and new[name] != old[name]]  # type: ignore[literal-required]  # its own keys
    if not changed:
        return
    data: UpdatedContactRecord = {
        **new,
        "changed": changed,
        "changed_by": by,
    }
    events.add(EventType.CONTACT_UPDATED, data, after.contact.tenant)


async def add_network_changes(
    connection: Connection, events: EventBuilder, updated: Sequence[tuple[Contact, Contact]]
) -> None:
    """Add what networks reported of known contacts, each given as it was and as it is: names and
    numbers."""
    by_tenant: defaultdict[Tenant, list[tuple[Contact, Contact]]] = defaultdict(list)
    for pair in updated:
        by_tenant[pair[1].tenant].append(pair)
    for tenant, pairs in by_tenant.items():
        entries = await load_entries(connection, tenant, [after for _, after in pairs])
        for (before, _), entry in zip(pairs, entries, strict=True):
            add_contact_event(events, replace(entry, contact=before), entry, None)


async def add_contact_label_events(
    connection: Connection,
    events: EventBuilder,
    tenant: Tenant,
    contact_ids: Sequence[UUID],
    label: Label,
    by: Author,
) -> None:
    """Add that these contacts, which had this `label`, have another one or none in its place; the
    tables say so already."""
    if not contact_ids:
        return
    contacts = await list_contacts_by_id(connection, tenant, contact_ids)
    for after in await load_entries(connection, tenant, contacts):
        labels = with_label(after.labels, label)
        add_contact_event(events, replace(after, labels=labels), after, by)


def add_synced_event(
    events: EventBuilder,
    job: Job,
    status: JobStatus,
    result: dict[str, Any] | None,
    error: dict[str, Any] | None,
    at: datetime,
) -> None:
    """Add that a synchronization has ended: `completed`, or `failed` with the reason."""
    ended = replace(job, status=status, result=result, error=error, finished_at=at)
    events.add(
        EventType.CONTACTS_SYNCED, sync_state_record(ended), job.tenant, account_id=job.account_id
    )
