"""Signed links to objects: whoever has one may fetch the object until it expires."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import structlog

from heliograph.core.media.model import PATH, Media, MediaRecord, files_of, uploads_of
from heliograph.core.tenants.model import Tenant
from heliograph.errors import NotFoundError, StorageUnavailableError
from heliograph.platform.crypto import InvalidLinkError, SecretKey, sign_link, verify_link
from heliograph.platform.objects import ObjectStorageError, is_key

log = structlog.get_logger()

LINK_LIFETIME = timedelta(hours=1)
FILE_LINK_LIFETIME = timedelta(days=7)


class MediaLinks:
    def __init__(
        self, keys: Sequence[SecretKey], public_url: str, now: Callable[[], datetime]
    ) -> None:
        self._keys = keys
        self._public_url = public_url
        self._now = now

    def link(self, object_key: str, lifetime: timedelta = LINK_LIFETIME) -> str:
        """Return a link that anybody may follow until its `lifetime` ends."""
        expires_at = int((self._now() + lifetime).timestamp())
        return self._public_url + sign_link(self._keys, PATH + object_key, expires_at)

    def renew(self, tenant: Tenant, link: str | None) -> str | None:
        """Return a new link to the tenant's file that `link` leads to; any other as it is."""
        key = find_key(tenant, link)
        return link if key is None else self.link(key, FILE_LINK_LIFETIME)

    def verify(self, object_key: str, expires: str, signature: str) -> None:
        """Raise `NotFoundError` for a link that is not ours, or has expired."""
        now = int(self._now().timestamp())
        try:
            verify_link(self._keys, PATH + object_key, expires, signature, now=now)
        except InvalidLinkError:
            raise NotFoundError("This link is not valid, or has expired.") from None

    def record(self, media: Media) -> MediaRecord:
        """Return the file as clients see it, with a new link."""
        return {
            "id": media.id,
            "media_type": media.media_type,
            "size": media.size,
            "sha256": media.sha256.hex(),
            "file_name": media.file_name,
            "url": self.link(media.object_key),
            "expires_at": media.expires_at,
            "created_at": media.created_at,
            "origin": media.origin,
            "chat_account_id": media.account_id,
        }


def find_key(tenant: Tenant, link: str | None) -> str | None:
    """Return the key of the tenant's file that a link leads to, whether it has expired or not; None
    for any other."""
    key = urlsplit(link or "").path.rpartition(PATH)[2]
    folders = (f"{files_of(tenant)}/", f"{uploads_of(tenant)}/")
    return key if key.startswith(folders) and is_key(key) else None


@contextlib.contextmanager
def storage_errors() -> Iterator[None]:
    """Log a storage error for the operator, and raise `StorageUnavailableError` for the caller."""
    try:
        yield
    except ObjectStorageError as error:
        log.error("the object storage failed", error=str(error))
        raise StorageUnavailableError from error
