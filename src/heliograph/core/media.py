"""Pictures and files: kept in object storage, served through signed links.

A picture's bytes come from a stranger, so it is decoded and encoded again; only our encoding is
served.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import structlog

from heliograph.core.tenants.model import Tenant
from heliograph.errors import NotFoundError, StorageUnavailableError
from heliograph.platform.crypto import InvalidLinkError, SecretKey, sign_link, verify_link
from heliograph.platform.objects import ObjectNotFoundError, Objects, ObjectStorageError
from heliograph.platform.pictures.encoder import PictureEncoder

log = structlog.get_logger()

LINK_LIFETIME = timedelta(hours=1)
FILE_LINK_LIFETIME = timedelta(days=7)
PATH = "/media/"
FILES = "files/"
"""Files from strangers are below this, in a folder for each day, and are served as downloads."""
PREVIEW_SIDE = 96
IMAGE_SIDE = 640
MEDIA_TYPE = "image/jpeg"


class MediaService:
    def __init__(
        self,
        objects: Objects,
        keys: Sequence[SecretKey],
        public_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self._objects = objects
        self._keys = keys
        self._public_url = public_url
        self._now = now
        self._encoder = PictureEncoder()

    async def close(self) -> None:
        """Stop the process that decodes pictures."""
        await self._encoder.close()

    async def store_picture(self, tenant: Tenant, data: bytes, *, preview: bool) -> str:
        """Re-encode a picture as `MEDIA_TYPE` and store it. Returns its key.

        Raises `UnusablePictureError`, `StorageUnavailableError`, and `OSError` when no process can
        be started to decode it.
        """
        side = PREVIEW_SIDE if preview else IMAGE_SIDE
        encoded = await self._encoder.encode(tenant.organization_id, data, side)
        digest = hashlib.sha256(encoded).hexdigest()
        key = f"pictures/{tenant.organization_id}/{digest}.jpg"
        with _storage_errors():
            await self._objects.put(key, encoded)
        return key

    async def store_file(self, tenant: Tenant, data: bytes) -> str:
        """Store a file that somebody sent until its day's messages are deleted; return a link to
        it.

        Raises `StorageUnavailableError`.
        """
        day = self._now().astimezone(UTC).date()
        key = f"{files_of(tenant)}/{day}/{uuid4().hex}"
        with _storage_errors():
            await self._objects.put(key, data)
        return self.link(key, FILE_LINK_LIFETIME)

    async def delete_files(self, tenant: Tenant, before: date) -> int:
        """Delete the tenant's files of days before; return how many. Raises
        `StorageUnavailableError`."""
        prefix = files_of(tenant)
        with _storage_errors():
            keys = await self._objects.list_keys(prefix)
            old = [key for key in keys if key.removeprefix(prefix + "/") < str(before)]
            await self._objects.delete(old)
        return len(old)

    def link(self, object_key: str, lifetime: timedelta = LINK_LIFETIME) -> str:
        """Return a link that anybody may follow until its `lifetime` ends."""
        expires_at = int((self._now() + lifetime).timestamp())
        return self._public_url + sign_link(self._keys, PATH + object_key, expires_at)

    def renew_link(self, tenant: Tenant, link: str | None) -> str | None:
        """Return a new link to the tenant's file that `link` leads to; any other as it is."""
        key = urlsplit(link or "").path.rpartition(PATH)[2]
        if not key.startswith(files_of(tenant) + "/"):
            return link
        return self.link(key, FILE_LINK_LIFETIME)

    async def open(self, object_key: str, expires: str, signature: str) -> bytes:
        """Return the bytes that a link leads to.

        Raises `NotFoundError` for an invalid or expired one, and `StorageUnavailableError`.
        """
        try:
            now = int(self._now().timestamp())
            verify_link(self._keys, PATH + object_key, expires, signature, now=now)
            with _storage_errors():
                return await self._objects.get(object_key)
        except (InvalidLinkError, ObjectNotFoundError):
            raise NotFoundError("This link is not valid, or has expired.") from None


def files_of(tenant: Tenant) -> str:
    return f"{FILES}{tenant.organization_id}"


@contextlib.contextmanager
def _storage_errors() -> Iterator[None]:
    """Log a storage error for the operator, and raise `StorageUnavailableError` for the caller."""
    try:
        yield
    except ObjectStorageError as error:
        log.error("the object storage failed", error=str(error))
        raise StorageUnavailableError from error
