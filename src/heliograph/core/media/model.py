"""Files that an organization has given the gateway to send, and where objects are kept."""

import re
from datetime import datetime
from enum import StrEnum
from typing import TypedDict
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.errors import MediaTypeError

PATH = "/media/"
FILES = "files/"
"""Files from strangers are below this, in a folder for each day."""
UPLOADS = "uploads/"
"""Files that organizations have uploaded, or had fetched, are below this."""

Location = tuple[str | int, ...]
"""Where a value stands in a request: `("body", "content", "url")`."""

_UPLOAD = re.compile(rf"{UPLOADS}([0-9a-f-]{{36}})/[0-9-]{{10}}/([0-9a-f-]{{36}})")


class MediaKind(StrEnum):
    """As what a message sends a file."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    DOCUMENT = "document"
    STICKER = "sticker"

    @property
    def wanted(self) -> str:
        """What it takes, in words."""
        return "a sticker, which is image/webp" if self is MediaKind.STICKER else f"{self.value}/…"

    def takes(self, media_type: str) -> bool:
        if self is MediaKind.DOCUMENT:
            return True
        if self is MediaKind.STICKER:
            return media_type == "image/webp"
        return media_type.startswith(f"{self.value}/") and not media_type.endswith("+xml")


class Media(msgspec.Struct, frozen=True):
    """What is known of a file; its bytes are the object `object_key`.

    `size` is in bytes. `stored_at` is when the file was whole. `expires_at` None is never.
    """

    tenant: Tenant
    id: UUID
    object_key: str
    media_type: str
    size: int
    sha256: bytes
    file_name: str | None
    created_at: datetime
    stored_at: datetime | None
    expires_at: datetime | None

    def is_there(self, now: datetime) -> bool:
        """Return whether the file is whole, and its time has not expired."""
        return self.stored_at is not None and (self.expires_at is None or now < self.expires_at)


class MediaRecord(TypedDict):
    """A file as clients see it. `url` works for an hour; `sha256` is in hexadecimal digits."""

    id: UUID
    media_type: str
    size: int
    sha256: str
    file_name: str | None
    url: str
    expires_at: datetime | None
    created_at: datetime


class Upload(msgspec.Struct, frozen=True):
    """A file that is to arrive: `size` is in bytes, as its sender announces it. `kind` is as what
    it is to be sent, where that is known."""

    claimed_type: str
    file_name: str | None
    size: int | None
    kind: MediaKind | None = None

    def require_kind(self, media_type: str) -> None:
        """Raise `MediaTypeError` unless a file of this type can be sent as this kind."""
        if self.kind is not None and not self.kind.takes(media_type):
            raise MediaTypeError(f"it is {media_type}, and it is to be sent as {self.kind.wanted}")


def files_of(tenant: Tenant) -> str:
    """Return the folder of the files that strangers have sent to a tenant."""
    return f"{FILES}{tenant.organization_id}"


def uploads_of(tenant: Tenant) -> str:
    """Return the folder of the files that a tenant has uploaded or had fetched."""
    return f"{UPLOADS}{tenant.organization_id}"


def pictures_of(tenant: Tenant) -> str:
    """Return the folder of the profile pictures that a tenant has asked for."""
    return f"pictures/{tenant.organization_id}"


def object_key_of(tenant: Tenant, media_id: UUID, created_at: datetime) -> str:
    return f"{UPLOADS}{tenant.organization_id}/{created_at.date()}/{media_id}"


def parse_upload_key(object_key: str) -> tuple[UUID, UUID] | None:
    """Return the organization and the id of an upload; None for any other object."""
    found = _UPLOAD.fullmatch(object_key)
    return None if found is None else (UUID(found[1]), UUID(found[2]))
