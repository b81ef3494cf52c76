"""Contacts, and the jobs that read them from a phone, as clients see them."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.contacts.model import Attributes, ContactEntry
from heliograph.core.jobs.model import Job, JobStatus
from heliograph.core.labels.model import Label
from heliograph.core.records import make_record
from heliograph.untrusted import UntrustedText


class ContactAddressRecord(TypedDict):
    """How a chat network identifies the person."""

    network: str
    jid: UntrustedText


class ContactRecord(TypedDict):
    """A person known to the organization."""

    id: UUID
    phone_number: Annotated[str | None, Doc("`+` and digits when known, else null.")]
    name: Annotated[UntrustedText | None, Doc("The organization's name for the contact.")]
    chat_name: Annotated[
        UntrustedText | None, Doc("The name the contact uses on the chat network.")
    ]
    display_name: Annotated[
        UntrustedText | None, Doc("The organization's name, else the network's.")
    ]
    attributes: Annotated[Attributes, Doc("The organization's own data about the contact.")]
    labels: list[Label]
    addresses: list[ContactAddressRecord]
    profile_picture_url: Annotated[
        str | None, Doc("A signed link to a stored picture, which works for one hour.")
    ]
    created_at: datetime
    updated_at: datetime


def contact_record(entry: ContactEntry, *, picture_url: str | None = None) -> ContactRecord:
    return make_record(
        ContactRecord,
        entry.contact,
        attributes=entry.attributes,
        labels=list(entry.labels),
        addresses=[
            {"network": address.network, "jid": address.remote_jid} for address in entry.addresses
        ],
        profile_picture_url=picture_url,
    )


class SyncStateRecord(TypedDict):
    """The progress and outcome of a contact synchronization."""

    job_id: UUID
    chat_account_id: UUID
    status: JobStatus
    contacts: Annotated[int | None, Doc("Number of contacts read; null until it is completed.")]
    error: Annotated[UntrustedText | None, Doc("Why it failed, as a sentence for people.")]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


def sync_state_record(job: Job) -> SyncStateRecord:
    return make_record(
        SyncStateRecord,
        job,
        job_id=job.id,
        chat_account_id=job.account_id,
        contacts=(job.result or {}).get("contacts"),
        error=(job.error or {}).get("reason"),
    )
