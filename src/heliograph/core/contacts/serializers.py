"""Contacts' jobs and profile pictures as clients see them."""

from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.contacts.model import ContactPicture
from heliograph.core.jobs.model import Job, JobStatus


class SyncRecord(TypedDict):
    """The job that reads the contacts: a new one, or the one that is running already."""

    success: bool
    message: str
    job_id: str
    status: JobStatus


def sync_record(job: Job) -> SyncRecord:
    return {
        "success": True,
        "message": "The contact synchronisation has been started."
        if job.status is JobStatus.PENDING
        else "A contact synchronisation of this account is already running.",
        "job_id": str(job.id),
        "status": job.status,
    }


class PictureRecord(TypedDict):
    """A contact's profile picture, from object storage or the chat network."""

    contact_id: UUID
    phone_number: Annotated[str | None, Doc("`+` and digits when known, else null.")]
    url: Annotated[str, Doc("A signed link that works for one hour.")]
    preview: Annotated[bool, Doc("True when this is the thumbnail.")]
    chat_account_id: UUID
    picture_id: str
    picture_type: str
    cached: Annotated[bool, Doc("True when it came from object storage.")]


def picture_record(
    picture: ContactPicture, *, phone_number: str | None, url: str, cached: bool
) -> PictureRecord:
    return {
        "contact_id": picture.contact_id,
        "phone_number": phone_number,
        "url": url,
        "preview": picture.preview,
        "chat_account_id": picture.account_id,
        "picture_id": picture.picture_id,
        "picture_type": "preview" if picture.preview else "image",
        "cached": cached,
    }
