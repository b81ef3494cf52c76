"""Receiving files: streamed to disk, checked, stored as an object, and seen only after that.

The row is there before the first byte is read, without `stored_at`. It takes the file's place in
the quota, so that uploads side by side can't exceed it together; and whatever a node leaves behind
that dies, `sweep` finds by it.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextvars import Context
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from msgspec.structs import replace

from heliograph import errors
from heliograph.core.cluster.chores import Chore
from heliograph.core.cluster.sql import list_alive_nodes
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    KeyTakenError,
    StoredResponse,
    encode_response,
    fingerprint,
)
from heliograph.core.media import sql
from heliograph.core.media.links import MediaLinks, storage_errors
from heliograph.core.media.media_types import (
    HEAD,
    as_sent,
    guess_media_type,
    judge_media_type,
)
from heliograph.core.media.model import Media, Upload, object_key_of
from heliograph.core.media.service import expiry_of
from heliograph.core.media.sql import ArrivingFile, Unfinished
from heliograph.core.organizations.sql import lock_plan_of
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.platform.aio.limits import FairSemaphore
from heliograph.platform.aio.periodic import Attempt, attempt_and_log, run_chore_every
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.objects import Objects, StagedFile

log = structlog.get_logger()

AT_ONCE = 64
SHARE = 32
"""Files that arrive at a node at once, and those of one organization; each takes half a MiB."""
WAIT = 30.0
"""Seconds that an upload waits for its turn, unread."""
PIECE = 256 * 1024
"""Bytes that are written at once."""
SWEEP_INTERVAL = 60.0
JUST_BEGUN = timedelta(seconds=60)
BATCH = 500


class UploadService:
    """`node_id` returns this process's present id."""

    def __init__(
        self,
        database: Database,
        objects: Objects,
        links: MediaLinks,
        idempotency: IdempotencyService,
        node_id: Callable[[], UUID],
        *,
        sweep_interval: float = SWEEP_INTERVAL,
    ) -> None:
        self._database = database
        self._objects = objects
        self._links = links
        self._idempotency = idempotency
        self._node_id = node_id
        self._sweep_interval = sweep_interval
        self._turns = FairSemaphore(AT_ONCE, SHARE)
        self._arriving: set[UUID] = set()
        self._undoing: set[asyncio.Task[None]] = set()

    # --- the public API's uploads ----------------------------------------------------------------

    def check(self, principal: Principal, upload: Upload) -> None:
        """Check what can be told without the body. Raises `BodyTooLargeError`, and
        `InvalidInputError` for an empty one."""
        principal.require("messages:write")
        if upload.size is not None and upload.size > principal.plan.file_limit:
            raise errors.BodyTooLargeError(principal.plan.file_limit)
        if upload.size == 0:
            _refuse_empty()

    async def receive(
        self,
        principal: Principal,
        upload: Upload,
        body: AsyncIterator[bytes],
        operation: str,
        key_name: str | None,
    ) -> StoredResponse:
        """Store a file, and answer when it is whole and on disk.

        `operation` is the method and path that `key_name`, an Idempotency-Key, belongs to. Under a
        key that was used before, the body is only compared. Raises `PlanLimitReachedError`, or
        `IdempotencyConflictError` where the first request under the key takes the room; further
        `BodyTooLargeError`, `MediaTypeError`, `InvalidInputError`, `UploadsBusyError`,
        `StorageUnavailableError`, `UnavailableError`, and what `body` raises.
        """
        self.check(principal, upload)
        async with self._turn(principal):
            if key_name is None:
                return self._respond(await self._store(principal, upload, body, None))
            key = _Key(key_name, principal, operation, upload)
            if await self._idempotency.is_taken(principal.tenant, key_name):
                key.digest = await _digest(body, principal.plan.file_limit)
                return await self._replay(principal, key)
            try:
                media = await self._store(principal, upload, body, key)
            except KeyTakenError:
                return await self._replay(principal, key)
            except errors.PlanLimitReachedError:
                if await self._is_under_way(principal.tenant, key_name):
                    raise errors.IdempotencyConflictError from None
                raise
            return key.answer or self._respond(media)

    def _respond(self, media: Media) -> StoredResponse:
        return encode_response(201, self._links.record(media))

    async def _replay(self, principal: Principal, key: "_Key") -> StoredResponse:
        found = await self._idempotency.look_up(principal.tenant, key.identity())
        if not isinstance(found, StoredResponse):
            gone = LookupError("the Idempotency-Key expired in this very moment")
            raise errors.UnavailableError(retry_after=1) from gone
        return found

    async def _is_under_way(self, tenant: Tenant, key_name: str) -> bool:
        """Return whether a file has come under this key, or is about to: it may take the very room
        that its repeat lacks."""
        # in this order: a file that ceases to arrive takes its key at that moment
        return await self._database.read(
            sql.is_arriving, tenant, key_name
        ) or await self._idempotency.is_taken(tenant, key_name)

    # --- what every file goes through ------------------------------------------------------------

    async def store(
        self, principal: Principal, upload: Upload, body: AsyncIterator[bytes]
    ) -> Media:
        """Store a file that does not come with a request of its own. Raises what `receive` does."""
        async with self._turn(principal):
            return await self._store(principal, upload, body, None)

    @contextlib.asynccontextmanager
    async def _turn(self, principal: Principal) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(WAIT):
                    turn = self._turns.hold(principal.organization_id)
                    await stack.enter_async_context(turn)
            except TimeoutError:
                raise errors.UploadsBusyError from None
            yield

    async def _store(
        self,
        principal: Principal,
        upload: Upload,
        body: AsyncIterator[bytes],
        key: "_Key | None",
    ) -> Media:
        arriving = await self._reserve(principal, upload, None if key is None else key.name)
        self._arriving.add(arriving.id)
        try:
            with storage_errors():
                async with self._objects.stage() as staged:
                    most = _Most(arriving.size, principal)
                    media_type = await _receive(staged, body, upload, most)
                    if key is not None:
                        key.digest = staged.sha256
                    await self._objects.put_staged(arriving.object_key, staged)
            return await self._finish(arriving, media_type, staged, key)
        except errors.UnavailableError as error:
            # after a commit in doubt the file may be stored: the sweep decides
            if not error.members.get("maybe_stored"):
                await self._undo(arriving)
            raise
        except BaseException:
            # whoever repeats the request under its key gets the file, if that is stored
            await self._undo(arriving, keep_whole=key is not None)
            raise
        finally:
            self._arriving.discard(arriving.id)

    async def _reserve(
        self, principal: Principal, upload: Upload, key_name: str | None
    ) -> ArrivingFile:
        """Insert the row of a file that is to arrive. Raises `PlanLimitReachedError` when there is
        no room for what is announced, or for anything at all."""
        now, media_id = self._database.clock.now(), self._database.clock.new_id()
        most = principal.plan.file_limit if upload.size is None else upload.size
        arriving = ArrivingFile(
            tenant=principal.tenant,
            id=media_id,
            object_key=object_key_of(principal.tenant, media_id, now),
            media_type=upload.claimed_type,
            size=most,
            file_name=upload.file_name,
            node_id=self._node_id(),
            created_at=now,
            expires_at=expiry_of(principal, now),
            key_id=principal.key_id,
            idempotency_key=key_name,
        )

        async def work(connection: Connection) -> ArrivingFile:
            room = await _room_for(connection, principal, media_id, now, upload.size or 1)
            reserved = replace(arriving, size=most if room is None else min(most, room))
            await sql.insert_arriving(connection, reserved)
            return reserved

        return await self._database.transact(work)

    async def _finish(
        self, arriving: ArrivingFile, media_type: str, staged: StagedFile, key: "_Key | None"
    ) -> Media:
        media = Media(
            tenant=arriving.tenant,
            id=arriving.id,
            object_key=arriving.object_key,
            media_type=media_type,
            size=staged.size,
            sha256=staged.sha256,
            file_name=arriving.file_name,
            created_at=arriving.created_at,
            stored_at=self._database.clock.now(),
            expires_at=arriving.expires_at,
            key_id=arriving.key_id,
        )
        record = None
        if key is not None:
            key.answer = self._respond(media)
            record = self._idempotency.record(
                media.tenant, key.identity(), resource_id=media.id, response=key.answer
            )

        async def work(connection: Connection) -> None:
            if not await sql.finish_media(connection, media, arriving.node_id):
                # this node was taken for dead, and its file swept
                raise errors.StorageUnavailableError from LookupError(
                    "the file was given up meanwhile"
                )
            if record is not None:
                await self._idempotency.take(connection, media.tenant, record)

        await self._database.transact(work)
        return media

    # --- what is left behind ---------------------------------------------------------------------

    async def _undo(self, arriving: ArrivingFile, *, keep_whole: bool = False) -> None:
        """Delete what there is of a file; goes on when its caller is canceled."""
        delete = self._delete_unfinished if keep_whole else self._delete
        task = asyncio.create_task(delete([arriving]), context=Context())
        self._undoing.add(task)
        task.add_done_callback(self._undoing.discard)
        try:
            await asyncio.shield(task)
        except Exception:
            log.warning("what is left of an upload is deleted later", exc_info=True)

    async def _delete(self, given_up: Sequence[ArrivingFile]) -> None:
        """Delete files of one tenant, whole or not."""
        shard = given_up[0].tenant.shard
        await self._database.transact(sql.abandon_media, shard, given_up)
        await self._delete_abandoned(shard, given_up)

    async def _delete_unfinished(self, given_up: Sequence[ArrivingFile | Unfinished]) -> None:
        """Delete files, but for those that have become whole meanwhile."""
        for shard in {media.tenant.shard for media in given_up}:
            here = [media for media in given_up if media.tenant.shard == shard]
            abandoned = await self._database.transact(sql.abandon_unfinished, shard, here)
            await self._delete_abandoned(shard, abandoned)

    async def _delete_abandoned(
        self, shard: int, abandoned: Sequence[ArrivingFile | Unfinished]
    ) -> None:
        """Delete files of one shard that are hidden: objects first, for the rows say where they
        are."""
        with storage_errors():
            await self._objects.delete([media.object_key for media in abandoned])
        await self._database.transact(sql.delete_abandoned, shard, abandoned)

    async def run(self, attempt: Attempt = attempt_and_log) -> None:
        """Sweep every so often, until canceled."""
        await run_chore_every(self._sweep_interval, Chore.SWEEP_UPLOADS, self.sweep, attempt)

    async def sweep(self) -> int:
        """Delete what was left by nodes that died, and by uploads that could not tidy up after
        themselves; return how many files. Raises `StorageUnavailableError`."""
        await self._objects.staging.sweep()
        nodes = {node.id for node in await self._database.read(list_alive_nodes)}
        before = self._database.clock.now() - JUST_BEGUN
        unfinished = await self._database.read(
            sql.list_unfinished_media,
            before,
            nodes - {self._node_id()},
            list(self._arriving),
            BATCH,
        )
        await self._delete_unfinished(unfinished)
        return len(unfinished)


class _Key:
    """An Idempotency-Key, whose fingerprint is known once the body has been read."""

    def __init__(self, name: str, principal: Principal, operation: str, upload: Upload) -> None:
        self.name = name
        self._principal = principal
        self._request = (operation, upload.claimed_type, upload.file_name or "")
        self.digest = b""
        self.answer: StoredResponse | None = None

    def identity(self) -> IdempotencyKey:
        made = fingerprint(self._principal, *self._request, self.digest.hex())
        return IdempotencyKey(self.name, made)


async def _room_for(
    connection: Connection, principal: Principal, media_id: UUID, now: datetime, size: int
) -> int | None:
    """Return how many bytes an organization's plan leaves it; None is any number.

    Other uploads of the organization wait until the transaction has ended. Raises
    `PlanLimitReachedError` when there are less than `size`.
    """
    if principal.plan.media_bytes is None:
        return None
    plan = await lock_plan_of(connection, principal.organization_id)
    if plan is None or plan.media_bytes is None:
        return None
    room = plan.media_bytes - await sql.sum_sizes(connection, principal.tenant, media_id)
    if room < size:
        raise plan.make_error("media_bytes", now)
    return room


class _Most:
    """The bytes that a file may have, and what is said of one that has more."""

    def __init__(self, size: int, principal: Principal) -> None:
        self.size = size
        self._plan = principal.plan

    def error(self, now: datetime) -> errors.GatewayError:
        if self._plan.media_bytes is None or self.size == self._plan.file_limit:
            return errors.BodyTooLargeError(self.size)
        return self._plan.make_error("media_bytes", now)


async def _receive(
    staged: StagedFile, body: AsyncIterator[bytes], upload: Upload, most: _Most
) -> str:
    """Write the body to disk, and return its media type. Raises `MediaTypeError` after its first
    bytes, and `most.error` as soon as it is too long."""
    media_type = None
    async for piece in _in_pieces(body, PIECE):
        if media_type is None:
            judge = guess_media_type if upload.is_guess else judge_media_type
            media_type = as_sent(judge(upload.claimed_type, piece[:HEAD]), piece[:HEAD])
            upload.require_kind(media_type)
        if staged.size + len(piece) > most.size:
            raise most.error(datetime.now(UTC))
        await staged.write(piece)
    return media_type or _refuse_empty()


async def _digest(body: AsyncIterator[bytes], most: int) -> bytes:
    digest, size = hashlib.sha256(), 0
    async for piece in _in_pieces(body, PIECE):
        size += len(piece)
        if size > most:
            raise errors.BodyTooLargeError(most)
        await asyncio.to_thread(digest.update, piece)
    return digest.digest()


async def _in_pieces(body: AsyncIterator[bytes], size: int) -> AsyncIterator[bytes]:
    """Yield a body in pieces of this size at least, but for the last."""
    gathered = bytearray()
    async for part in body:
        gathered += part
        if len(gathered) >= size:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)


def _refuse_empty() -> str:
    raise errors.InvalidInputError.at(
        ("body",), "Field required: send the file's bytes as the body", type="missing"
    )
