"""The files that an organization has: listed, and deleted to make room in its quota."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.media import library_sql, sql
from heliograph.core.media.links import MediaLinks, storage_errors
from heliograph.core.media.model import Media, MediaFilter, MediaRecord
from heliograph.core.media.service import get_media
from heliograph.core.pages import decode_cursor, encode_cursor
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.sql import refuse_others
from heliograph.errors import MediaInUseError, StorageUnavailableError
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.objects import Objects

MAX_SCANNED = 10_000
"""How many files are looked at for one page, where a filter leaves out some."""
_NEWEST = UUID(int=2**128 - 1)


DELETE = Write(scope="messages:write", audits=(AuditAction.FILE_DELETED,))


class _BeforeFile(msgspec.Struct, frozen=True):
    before: UUID


class MediaPage(msgspec.Struct, frozen=True):
    """`stored_bytes` is what all uploads of the organization take of its plan's quota, which is
    `stored_bytes_limit`; None is no limit."""

    media: Sequence[MediaRecord]
    next_cursor: str | None
    stored_bytes: int
    stored_bytes_limit: int | None


class MediaLibraryService:
    """Who is limited to some accounts sees what came in through these, and what they uploaded."""

    def __init__(
        self, database: Database, changes: Changes, objects: Objects, links: MediaLinks
    ) -> None:
        self._database = database
        self._changes = changes
        self._objects = objects
        self._links = links

    async def list(
        self,
        principal: Principal,
        only: MediaFilter,
        cursor: str | None = None,
        limit: int = 50,
    ) -> MediaPage:
        """List files, newest first, and what they take.

        A page may hold fewer, even none, and yet lead to a next one. Raises `InvalidInputError` for
        a cursor of another list, `OtherOrganizationError` and `AccountNotAllowedError`.
        """
        principal.require("messages:read")
        if only.chat_account_id is not None:
            principal.require_account(only.chat_account_id)
        before = _NEWEST if cursor is None else decode_cursor(cursor, _BeforeFile).before

        async def work(connection: Connection) -> tuple[Sequence[Media], UUID | None, int]:
            if only.chat_account_id is not None:
                await refuse_others(connection, principal.tenant, "accounts", only.chat_account_id)
            found, following = await self._find(connection, principal, only, before, limit)
            return found, following, await sql.sum_sizes(connection, principal.tenant)

        found, following, stored = await self._database.read(work)
        return MediaPage(
            media=[self._links.record(media) for media in found],
            next_cursor=None if following is None else encode_cursor(_BeforeFile(following)),
            stored_bytes=stored,
            stored_bytes_limit=principal.plan.media_bytes,
        )

    async def _find(
        self,
        connection: Connection,
        principal: Principal,
        only: MediaFilter,
        before: UUID,
        limit: int,
    ) -> tuple[Sequence[Media], UUID | None]:
        """Return a page of files, and the id before which the next one begins."""
        tenant = principal.tenant
        found = await library_sql.list_media(
            connection,
            tenant,
            only,
            (principal.account_filter, principal.key_id),
            before=before,
            scan=MAX_SCANNED,
            now=self._database.clock.now(),
            limit=limit + 1,
        )
        if len(found) > limit:
            return found[:limit], found[limit - 1].id
        return found, await library_sql.find_end(connection, tenant, before, MAX_SCANNED)

    async def delete(self, principal: Principal, media_id: UUID) -> None:
        """Delete a file: its place in the quota is free at once.

        Raises `MediaInUseError` while a message with it waits to be sent, `MediaNotFoundError`,
        `OtherOrganizationError`, and `AccountNotAllowedError` for what the caller does not see.
        """
        await self._delete_object(await self._changes.run(DELETE, principal, _delete, media_id))

    async def _delete_object(self, media: Media) -> None:
        try:
            with storage_errors():
                await self._objects.delete([media.object_key])
        except StorageUnavailableError:
            return  # it is hidden, and swept later
        await self._database.transact(sql.delete_abandoned, media.tenant.shard, [media])


async def _delete(change: Change, media_id: UUID) -> Media:
    """Hide the file, so that its object can be deleted, and return it."""
    connection, principal = change.connection, change.principal
    media = await get_media(connection, principal, media_id, change.now)
    if media.account_id is None and media.key_id != principal.key_id:
        principal.require_all_accounts()
    await sql.abandon_media(connection, change.tenant.shard, [media])
    if await library_sql.is_waited_for(connection, change.tenant, media.id):
        raise MediaInUseError
    change.audit(AuditAction.FILE_DELETED, media.id, name=media.file_name)
    return media
