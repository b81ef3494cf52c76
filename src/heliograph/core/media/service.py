"""Pictures and files: kept in object storage, served through signed links.

A picture's bytes come from a stranger, so it is decoded and encoded again, and only our encoding is
served. Files are served as downloads, whatever they contain.
"""

import contextlib
import hashlib
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from uuid import UUID

import msgspec

from heliograph.core.media import sql
from heliograph.core.media.links import (
    FILE_LINK_LIFETIME,
    LINK_LIFETIME,
    MediaLinks,
    find_key,
    storage_errors,
)
from heliograph.core.media.model import (
    UPLOADS,
    Location,
    Media,
    MediaRecord,
    files_of,
    parse_file_key,
    parse_organization,
    pictures_of,
    received_key_of,
    uploads_of,
)
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import InvalidInputError, MediaNotFoundError, NotFoundError
from heliograph.networks.content import MediaKind
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.objects import ObjectNotFoundError, Objects
from heliograph.platform.pictures.encoder import PictureEncoder

PREVIEW_SIDE = 96
IMAGE_SIDE = 640
MEDIA_TYPE = "image/jpeg"
BATCH = 500


class OpenedObject(msgspec.Struct, frozen=True):
    """An object behind a link. `media` is the record of an uploaded file."""

    object_key: str
    size: int
    media: Media | None


class MediaService:
    def __init__(self, database: Database, objects: Objects, links: MediaLinks) -> None:
        self._database = database
        self._objects = objects
        self._links = links
        self._encoder = PictureEncoder()

    async def close(self) -> None:
        """Stop the process that decodes pictures."""
        await self._encoder.close()

    # --- what comes from networks ----------------------------------------------------------------

    async def store_picture(self, tenant: Tenant, data: bytes, *, preview: bool) -> str:
        """Re-encode a picture as `MEDIA_TYPE` and store it. Returns its key.

        Raises `UnusablePictureError`, `StorageUnavailableError`, and `OSError` when no process can
        be started to decode it.
        """
        side = PREVIEW_SIDE if preview else IMAGE_SIDE
        encoded = await self._encoder.encode(tenant.organization_id, data, side)
        digest = hashlib.sha256(encoded).hexdigest()
        key = f"{pictures_of(tenant)}/{digest}.jpg"
        with storage_errors():
            await self._objects.put(key, encoded)
        return key

    async def store_file(self, tenant: Tenant, data: bytes) -> str:
        """Store a file that somebody sent until its day's messages are deleted; return a link to
        it, in which its id is.

        Raises `StorageUnavailableError`.
        """
        clock = self._database.clock
        key = received_key_of(tenant, clock.new_id(), clock.now())
        with storage_errors():
            await self._objects.put(key, data)
        return self.link(key, FILE_LINK_LIFETIME)

    async def delete_files(self, tenant: Tenant, before: date) -> int:
        """Delete the files of days before that somebody sent to the tenant, but for those that
        later messages send on; return how many. Raises `StorageUnavailableError`."""
        now, first = self._database.clock.now(), datetime.combine(before, time(), UTC)
        deleted = BATCH
        while deleted == BATCH:
            deleted = await self._database.transact(sql.delete_received, tenant, first, now, BATCH)
        prefix, total = files_of(tenant), 0
        with storage_errors():
            keys = await self._objects.list_keys(prefix)
            old = [key for key in keys if key.removeprefix(prefix + "/") < str(before)]
            for start in range(0, len(old), BATCH):
                total += await self._delete_unknown(tenant, old[start : start + BATCH])
        return total

    async def _delete_unknown(self, tenant: Tenant, keys: Sequence[str]) -> int:
        """Delete those of these objects that no row names; return how many."""
        ids = {key: found[1] for key in keys if (found := parse_file_key(key)) is not None}
        known = await self._database.read(sql.list_known_media, tenant, list(ids.values()))
        unknown = [key for key in keys if ids.get(key) not in known]
        await self._objects.delete(unknown)
        return len(unknown)

    async def delete_all(self, tenant: Tenant) -> int:
        """Delete everything that is stored for a tenant that was removed; return how much that was.
        Raises `StorageUnavailableError`."""
        total = 0
        with storage_errors():
            for prefix in (files_of(tenant), uploads_of(tenant), pictures_of(tenant)):
                keys = await self._objects.list_keys(prefix)
                await self._objects.delete(keys)
                total += len(keys)
        return total

    # --- what organizations have uploaded --------------------------------------------------------

    async def get(self, principal: Principal, media_id: UUID) -> MediaRecord:
        """Read a file's record. Raises `MediaNotFoundError` and `OtherOrganizationError`."""
        principal.require("messages:read")
        return self._links.record(await self._find(principal, media_id))

    async def resolve(
        self, principal: Principal, media_id: UUID, kind: MediaKind, location: Location
    ) -> Media:
        """Return the file that a message is to send as this `kind`.

        Raises `MediaNotFoundError`, `OtherOrganizationError`, and `InvalidInputError` at `location`
        when a file of its type can't be sent so.
        """
        principal.require("messages:write")
        media = await self._find(principal, media_id)
        if not kind.takes(media.media_type):
            reason = f"this file is {media.media_type}, and is to be sent as {kind.wanted()}"
            raise InvalidInputError.at(location, f"Value error, {reason}", input=str(media_id))
        return media

    async def _find(self, principal: Principal, media_id: UUID) -> Media:
        now = self._database.clock.now()
        return await self._database.read(get_media, principal, media_id, now)

    async def delete_expired(self, tenant: Tenant) -> int:
        """Delete some of the tenant's files whose time has expired, `BATCH` at most; return how
        many. Raises `StorageUnavailableError`."""
        now = self._database.clock.now()
        expired = await self._database.read(sql.list_expired, tenant, now, BATCH)
        expired = await self._database.transact(sql.abandon_expired, tenant.shard, expired, now)
        with storage_errors():
            await self._objects.delete([media.object_key for media in expired])
        await self._database.transact(sql.delete_abandoned, tenant.shard, expired)
        return len(expired)

    # --- links, and what they lead to ------------------------------------------------------------

    def link(self, object_key: str, lifetime: timedelta = LINK_LIFETIME) -> str:
        """Return a link that anybody may follow until its `lifetime` ends."""
        return self._links.link(object_key, lifetime)

    def renew_link(self, tenant: Tenant, link: str | None) -> str | None:
        """Return a new link to the tenant's file that `link` leads to; any other as it is."""
        return self._links.renew(tenant, link)

    async def open(self, object_key: str, expires: str, signature: str) -> OpenedObject:
        """Return what a link leads to; `read` gives its bytes.

        Raises `NotFoundError` for an invalid or expired one, `StorageUnavailableError` and
        `UnavailableError`.
        """
        self._links.verify(object_key, expires, signature)
        return await self._open(object_key)

    async def _open(self, object_key: str) -> OpenedObject:
        ids = parse_file_key(object_key)
        if ids is not None:
            media = await self._database.read(sql.find_media_of_organization, *ids)
            if media is not None and media.is_there(self._database.clock.now()):
                return OpenedObject(object_key, media.size, media)
            if media is not None or object_key.startswith(UPLOADS):
                raise NotFoundError("This file's time has expired, or it was deleted.")
        organization_id = parse_organization(object_key)
        if organization_id is None or not await self._database.read(
            sql.has_organization, organization_id
        ):
            raise NotFoundError("This link is not valid, or has expired.")
        try:
            with storage_errors():
                return OpenedObject(object_key, await self._objects.get_size(object_key), None)
        except ObjectNotFoundError:
            raise NotFoundError("This link is not valid, or has expired.") from None

    async def open_link(self, tenant: Tenant, link: str | None) -> OpenedObject:
        """Return the tenant's file that a link of ours leads to, however old the link is.

        Raises `NotFoundError` for any other link and for a file that is gone,
        `StorageUnavailableError` and `UnavailableError`.
        """
        object_key = find_key(tenant, link)
        if object_key is None:
            raise NotFoundError("There is no such file.")
        return await self._open(object_key)

    async def read(self, object_key: str, start: int, end: int) -> AsyncIterator[bytes]:
        """Yield the bytes of an object from `start` to before `end`, half a MiB at a time.

        Raises `NotFoundError` when it is gone, and `StorageUnavailableError`.
        """
        try:
            with storage_errors():
                async for chunk in self._objects.read(object_key, start, end):
                    yield chunk
        except ObjectNotFoundError:
            raise NotFoundError("This file is gone.") from None

    def id_in(self, tenant: Tenant, link: str | None) -> UUID | None:
        """Return the id of the tenant's file that a link leads to, None for any other link."""
        found = parse_file_key(find_key(tenant, link) or "")
        return None if found is None else found[1]

    def find_key(self, tenant: Tenant, link: str | None) -> str | None:
        """Return the key of the tenant's file that a link leads to, None for any other link."""
        return find_key(tenant, link)

    @contextlib.asynccontextmanager
    async def spooled(self, object_key: str, size: int) -> AsyncIterator[Path]:
        """Give a file of this machine with the same bytes, which is deleted after the block.

        Raises what `read` does.
        """
        async with contextlib.AsyncExitStack() as stack:
            with storage_errors():
                staged = await stack.enter_async_context(self._objects.stage())
                async for chunk in self.read(object_key, 0, size):
                    await staged.write(chunk)
            yield staged.path


async def get_media(
    connection: Connection, principal: Principal, media_id: UUID, now: datetime
) -> Media:
    """Get a file that is there.

    Raises `MediaNotFoundError`, `OtherOrganizationError`, and `AccountNotAllowedError` for one that
    came in through an account that the caller may not use.
    """
    media = await sql.find_media(connection, principal.tenant, media_id)
    if media is None:
        not_found = MediaNotFoundError(media_id)
        raise await missing_error(connection, "media", media_id, not_found)
    if media.account_id is not None:
        principal.require_account(media.account_id)
    if not media.is_there(now):
        raise MediaNotFoundError(media_id)
    return media


def expiry_of(principal: Principal, used_at: datetime) -> datetime | None:
    """Return until when a file is kept that is stored or sent at this time; None is forever."""
    days = principal.plan.retention_days
    return None if days is None else used_at + timedelta(days=days)
