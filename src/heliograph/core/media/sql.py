"""The table `media`: files that an organization has uploaded or had fetched, and those that came in
through its accounts.

A row without `stored_at` is a file that is arriving at the node `node_id`: it takes its place in
the quota, and says which object may be left if that node dies, and under which Idempotency-Key the
file comes. Without a node, too, it is about to be deleted.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

import msgspec

from heliograph.core.media.model import Media
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement, tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import reads


class ArrivingFile(msgspec.Struct, frozen=True):
    """A file that arrives: `size` is the most that it may take."""

    tenant: Tenant
    id: UUID
    object_key: str
    media_type: str
    size: int
    file_name: str | None
    node_id: UUID
    created_at: datetime
    expires_at: datetime | None
    key_id: str | None = None
    idempotency_key: str | None = None


class Unfinished(msgspec.Struct, frozen=True):
    """What is left of a file that will not be whole, or that has expired."""

    tenant: Tenant
    id: UUID
    object_key: str


class _KeptFile(Protocol):
    @property
    def id(self) -> UUID: ...


Found = TypeVar("Found", bound=_KeptFile)

media_of = reads(Media, tenant=tenant_of)
_unfinished_of = reads(Unfinished, tenant=tenant_of)

# --- arriving ------------------------------------------------------------------------------------

SUM_SIZES = """
SELECT coalesce(sum(size), 0) FROM media
WHERE shard = $1 AND organization_id = $2 AND id <> $3 AND account_id IS NULL
  AND (stored_at IS NOT NULL OR node_id IS NOT NULL)
"""
_NONE = UUID(int=0)


async def sum_sizes(connection: Connection, tenant: Tenant, besides: UUID = _NONE) -> int:
    """Return the bytes of a tenant's uploads, those that arrive included, but for this one. What
    strangers send does not count: they could fill the quota."""
    return int(await connection.fetchval(SUM_SIZES, *tenant, besides))


_ARRIVING = tenant_columns(
    "id uuid, object_key text, media_type text, size bigint, file_name text, node_id uuid,"
    " created_at timestamptz, expires_at timestamptz, key_id text, idempotency_key text"
)
INSERT = _ARRIVING.fill("""
INSERT INTO media (shard, {names}) SELECT $1, {values} FROM {rows}
ON CONFLICT (shard, organization_id, id) DO NOTHING
""")


async def insert_arriving(connection: Connection, arriving: ArrivingFile) -> None:
    await connection.execute(INSERT, arriving.tenant.shard, *_ARRIVING.of([arriving]))


FIND_ARRIVING = """
SELECT id FROM media
WHERE shard = $1 AND organization_id = $2 AND idempotency_key = $3
  AND stored_at IS NULL AND node_id IS NOT NULL
LIMIT 1
"""


async def is_arriving(connection: Connection, tenant: Tenant, idempotency_key: str) -> bool:
    """Return whether a file is arriving under this key."""
    return await connection.fetchrow(FIND_ARRIVING, *tenant, idempotency_key) is not None


FINISH = """
UPDATE media
SET media_type = $4, size = $5, sha256 = $6, stored_at = $7, idempotency_key = NULL
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND node_id = $8
RETURNING id
"""


async def finish_media(connection: Connection, media: Media, node_id: UUID) -> bool:
    """Say that a file is whole. False when it was given up meanwhile."""
    row = await connection.fetchrow(
        FINISH,
        *media.tenant,
        media.id,
        media.media_type,
        media.size,
        media.sha256,
        media.stored_at,
        node_id,
    )
    return row is not None


_RECEIVED = tenant_columns(
    "id uuid, object_key text, media_type text, size bigint, sha256 bytea, file_name text,"
    " account_id uuid, created_at timestamptz, stored_at timestamptz"
)
INSERT_RECEIVED = insertion(
    """
INSERT INTO media (shard, {names}) SELECT {shard}, {values} FROM {rows}
ON CONFLICT (shard, organization_id, id) DO NOTHING
""",
    _RECEIVED,
)


async def insert_received(
    connection: Connection, shards: Shards, received: Sequence[Media]
) -> None:
    """Insert files that came in, which are whole."""
    await INSERT_RECEIVED.insert(connection, shards, received)


# --- giving up and expiring ----------------------------------------------------------------------

_KEYS = tenant_columns("id uuid")
ABANDON = _KEYS.fill("""
UPDATE media AS m SET stored_at = NULL, node_id = NULL FROM {rows}
WHERE m.shard = $1 AND m.organization_id = k.organization_id AND m.id = k.id
""")


async def abandon_media(connection: Connection, shard: int, given_up: Sequence[Any]) -> None:
    """Hide files of one shard, whole or not: they can't become whole any more, and their objects
    may go."""
    await connection.execute(ABANDON, shard, *_KEYS.of(given_up))


ABANDON_UNFINISHED = ABANDON + "  AND m.stored_at IS NULL RETURNING m.id"


async def abandon_unfinished(
    connection: Connection, shard: int, given_up: Sequence[Found]
) -> list[Found]:
    """Abandon those of these files that are still not whole, and return them."""
    rows = await connection.fetch(ABANDON_UNFINISHED, shard, *_KEYS.of(given_up))
    return _only(given_up, rows)


ABANDON_EXPIRED = ABANDON + "  AND m.expires_at <= $4 RETURNING m.id"


async def abandon_expired(
    connection: Connection, shard: int, given_up: Sequence[Found], now: datetime
) -> list[Found]:
    """Abandon those of these files that are still expired, and return them."""
    rows = await connection.fetch(ABANDON_EXPIRED, shard, *_KEYS.of(given_up), now)
    return _only(given_up, rows)


def _only(given_up: Sequence[Found], rows: Sequence[Row]) -> list[Found]:
    abandoned = {row["id"] for row in rows}
    return [media for media in given_up if media.id in abandoned]


DELETE = _KEYS.fill("""
DELETE FROM media AS m USING {rows}
WHERE m.shard = $1 AND m.organization_id = k.organization_id AND m.id = k.id
  AND m.stored_at IS NULL AND m.node_id IS NULL
""")


async def delete_abandoned(connection: Connection, shard: int, given_up: Sequence[Any]) -> None:
    """Delete rows of one shard whose objects are gone."""
    await connection.execute(DELETE, shard, *_KEYS.of(given_up))


LIST_UNFINISHED_MEDIA = """
SELECT shard, organization_id, id, object_key FROM media
WHERE stored_at IS NULL AND created_at <= $1
  AND (node_id IS NULL OR node_id <> ALL($2::uuid[])) AND id <> ALL($3::uuid[])
ORDER BY created_at LIMIT $4
"""


async def list_unfinished_media(
    connection: Connection,
    before: datetime,
    alive: Collection[UUID],
    arriving: Collection[UUID],
    limit: int,
) -> list[Unfinished]:
    """List what is left of files of all tenants, begun before then, that arrive at none of the
    nodes `alive` and are not among the ids `arriving`."""
    rows = await connection.fetch(LIST_UNFINISHED_MEDIA, before, alive, arriving, limit)
    return [_unfinished_of(row) for row in rows]


LIST_EXPIRED = """
SELECT shard, organization_id, id, object_key FROM media
WHERE shard = $1 AND organization_id = $2 AND stored_at IS NOT NULL AND expires_at <= $3
ORDER BY expires_at LIMIT $4
"""


async def list_expired(
    connection: Connection, tenant: Tenant, now: datetime, limit: int
) -> list[Unfinished]:
    rows = await connection.fetch(LIST_EXPIRED, *tenant, now, limit)
    return [_unfinished_of(row) for row in rows]


DELETE_RECEIVED = """
DELETE FROM media WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM media
    WHERE shard = $1 AND organization_id = $2 AND account_id IS NOT NULL AND created_at < $3
      AND (expires_at IS NULL OR expires_at <= $4)
    ORDER BY created_at LIMIT $5
))
"""


async def delete_received(
    connection: Connection, tenant: Tenant, before: datetime, now: datetime, limit: int
) -> int:
    """Delete rows of files that came in before then and that no later message sends on; return how
    many. Their objects are to be deleted afterwards."""
    tag = await connection.execute(DELETE_RECEIVED, *tenant, before, now, limit)
    return int(tag.rpartition(" ")[2])


LIST_KNOWN = "SELECT id FROM media WHERE shard = $1 AND organization_id = $2 AND id = ANY($3)"


async def list_known_media(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> set[UUID]:
    """Return those of these ids that are files of the tenant, whole or not."""
    return {row["id"] for row in await connection.fetch(LIST_KNOWN, *tenant, ids)}


# --- reading and using ---------------------------------------------------------------------------

FIND = "SELECT * FROM media WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_media(connection: Connection, tenant: Tenant, media_id: UUID) -> Media | None:
    """Find a file, also one that is not whole, or whose time has expired."""
    row = await connection.fetchrow(FIND, *tenant, media_id)
    return media_of(row) if row else None


HAS_ORGANIZATION = """
SELECT EXISTS (SELECT 1 FROM organizations WHERE id = $1 AND removed_at IS NULL)
"""


async def has_organization(connection: Connection, organization_id: UUID) -> bool:
    """Return whether an organization is there, and was not removed."""
    return bool(await connection.fetchval(HAS_ORGANIZATION, organization_id))


FIND_OF_ORGANIZATION = """
SELECT m.* FROM media AS m JOIN organizations AS o ON o.shard = m.shard AND o.id = m.organization_id
WHERE o.id = $1 AND o.removed_at IS NULL AND m.id = $2
"""


async def find_media_of_organization(
    connection: Connection, organization_id: UUID, media_id: UUID
) -> Media | None:
    """Find a file by what a link to it says; None when its organization was removed."""
    row = await connection.fetchrow(FIND_OF_ORGANIZATION, organization_id, media_id)
    return media_of(row) if row else None


_KEPT = tenant_columns("id uuid, until timestamptz")
KEEP_UNTIL = statement(
    """
WITH kept AS MATERIALIZED (
    SELECT m.shard, m.organization_id, m.id, k.until FROM {rows}
    JOIN media AS m ON m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
    WHERE m.stored_at IS NOT NULL
      AND (m.expires_at < k.until OR m.account_id IS NOT NULL AND m.expires_at IS NULL)
    ORDER BY k.organization_id, k.id FOR NO KEY UPDATE OF m
)
UPDATE media AS m SET expires_at = kept.until FROM kept
WHERE m.shard = {kept} AND m.organization_id = kept.organization_id AND m.id = kept.id
""",
    _KEPT,
    kept="kept.shard",
)


async def keep_media_until(
    connection: Connection, shards: Shards, until: Mapping[tuple[UUID, UUID], datetime]
) -> None:
    """Keep files, by (organization id, id), at least until then: messages send them.

    They are locked in key order, for others may keep them at the same time.
    """
    rows = [(*key, at) for key, at in sorted(until.items())]
    await connection.execute(*KEEP_UNTIL.transpose(shards, rows))
