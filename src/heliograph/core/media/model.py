"""Files that an organization has uploaded or received, and the keys of their objects."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.tenants.model import Tenant
from heliograph.errors import MediaTypeError
from heliograph.networks.content import MediaKind
from heliograph.untrusted import UntrustedText

PATH = "/media/"
FILES = "files/"
"""The prefix of received files, in a folder for each day."""
UPLOADS = "uploads/"
"""The prefix of files that organizations have uploaded or had fetched."""

Location = tuple[str | int, ...]
"""The location of a value in a request: `("body", "content", "url")`."""

PICTURES = "pictures/"
_ID = r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_OF_ORGANIZATION = re.compile(rf"(?:{FILES}|{UPLOADS}|{PICTURES}){_ID}/")
_FILE = re.compile(rf"(?:{UPLOADS}|{FILES})([0-9a-f-]{{36}})/[0-9-]{{10}}/([0-9a-f-]{{36}})")


class MediaOrigin(StrEnum):
    """How a file came to the gateway: given to be sent, or sent by somebody to a device."""

    UPLOAD = "upload"
    INBOUND = "inbound"


class Media(msgspec.Struct, frozen=True):
    """The record of a file; its bytes are the object `object_key`.

    `size` is in bytes. `stored_at` is when the file was whole. `expires_at` None is never; a file
    that came in is kept as long as its message, and until then where others send it on.
    `account_id` is the account through which the file came in, `key_id` the public part of the API
    key that uploaded it.
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
    account_id: UUID | None = None
    key_id: str | None = None

    @property
    def origin(self) -> MediaOrigin:
        return MediaOrigin.UPLOAD if self.account_id is None else MediaOrigin.INBOUND

    def is_there(self, now: datetime) -> bool:
        """Return whether the file is complete and not expired."""
        return self.stored_at is not None and (self.expires_at is None or now < self.expires_at)


class MediaRecord(TypedDict):
    """A file as clients see it. `url` works for an hour; `sha256` is in hexadecimal digits."""

    id: UUID
    media_type: UntrustedText
    size: int
    sha256: str
    file_name: UntrustedText | None
    url: str
    expires_at: datetime | None
    created_at: datetime
    origin: Annotated[str, Doc("`upload`, or `inbound` for a file that was sent to a device.")]
    chat_account_id: Annotated[UUID | None, Doc("The device through which the file came in.")]


class MediaFilter(msgspec.Struct, frozen=True):
    """Which files a list shows; None means all. `media_type` is one such as `image/png`, or the
    part before the slash."""

    media_type: str | None = None
    origin: str | None = None
    chat_account_id: UUID | None = None


class Upload(msgspec.Struct, frozen=True):
    """A file that is to arrive: `size` is in bytes, as its sender announces it. `kind` is as what
    it is to be sent, where that is known. `is_guess` says that a browser or a server has the type
    from the file's name, as `guess_media_type` doubts it."""

    claimed_type: str
    file_name: str | None
    size: int | None
    kind: MediaKind | None = None
    is_guess: bool = False

    def require_kind(self, media_type: str) -> None:
        """Raise `MediaTypeError` unless a file of this type can be sent as this kind."""
        if self.kind is not None and not self.kind.takes(media_type):
            raise MediaTypeError(
                f"it is {media_type}, and it is to be sent as {self.kind.wanted()}"
            )


def files_of(tenant: Tenant) -> str:
    """Return the folder of the files that strangers have sent to a tenant."""
    return f"{FILES}{tenant.organization_id}"


def uploads_of(tenant: Tenant) -> str:
    """Return the folder of the files that a tenant has uploaded or had fetched."""
    return f"{UPLOADS}{tenant.organization_id}"


def pictures_of(tenant: Tenant) -> str:
    """Return the folder of the profile pictures that a tenant has asked for."""
    return f"{PICTURES}{tenant.organization_id}"


def object_key_of(tenant: Tenant, media_id: UUID, created_at: datetime) -> str:
    return f"{UPLOADS}{tenant.organization_id}/{created_at.date()}/{media_id}"


def received_key_of(tenant: Tenant, media_id: UUID, received_at: datetime) -> str:
    return f"{files_of(tenant)}/{received_at.astimezone(UTC).date()}/{media_id}"


def parse_organization(object_key: str) -> UUID | None:
    """Return the organization whose object this is; None for what is no key of ours."""
    found = _OF_ORGANIZATION.match(object_key)
    return None if found is None else UUID(found[1])


def parse_file_key(object_key: str) -> tuple[UUID, UUID] | None:
    """Return the organization and the id of a file; None for any other object."""
    found = _FILE.fullmatch(object_key)
    return None if found is None else (UUID(found[1]), UUID(found[2]))
