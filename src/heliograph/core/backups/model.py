"""What an archive says of itself."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from heliograph.errors import ConfigurationError
from heliograph.platform.files.archive import SIGNATURES, SUMS, ArchiveError
from heliograph.platform.objects import is_key

FORMAT = 2

DUMP = "database.dump"
KEYS = "keys/secret-keys"
MANIFEST = "manifest.json"
OBJECTS = "objects/"
"""The prefix of an archive's members that are objects, before their keys."""

_MEMBERS = frozenset({DUMP, KEYS, MANIFEST, SUMS, SIGNATURES})


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`revisions` are the schema's, `key_ids` those of the keys that encrypted what is stored.

    `rows` counts by table. `missing` are objects that were deleted while the backup was made,
    `lost` those that the storage does not have although the database names them, and `damaged`
    those whose bytes there are not those that were stored. Sizes are in bytes; `dumped_by` and
    `postgres` are PostgreSQL's major versions.
    """

    format: int
    gateway: str
    taken_at: datetime
    revisions: list[str]
    postgres: int
    dumped_by: int
    database_bytes: int
    rows: dict[str, int]
    objects: int
    object_bytes: int
    missing: list[str]
    lost: list[str]
    damaged: list[str]
    key_ids: list[str]
    has_keys: bool


def read_manifest(data: bytes) -> Manifest:
    """Read a manifest. Raises `ConfigurationError` for one that this release can't read."""
    try:
        head = msgspec.json.decode(data, type=_BackupHead)
        if head.format > FORMAT:
            raise ConfigurationError(
                "The archive was written by a later release.",
                remedy="Restore it with that release.",
            )
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ArchiveError(f"The archive's manifest can't be read: {error}.") from error


class _BackupHead(msgspec.Struct):
    format: int


def check_contents(members: Iterable[tuple[str, int]], manifest: Manifest) -> None:
    """Check that the members, by name and size in bytes, are those that the manifest lists.

    Raises `ArchiveError`. Digests prove that an archive is as it was written, not who wrote it: a
    name could lead anywhere.
    """
    names: set[str] = set()
    objects = object_bytes = 0
    for name, size in members:
        if name in names or SIGNATURES in names or (SUMS in names and name != SIGNATURES):
            raise ArchiveError(f"The archive has {name!r} twice, or after its end.")
        names.add(name)
        if name.startswith(OBJECTS):
            _check_object(name)
            objects += 1
            object_bytes += size
        elif name not in _MEMBERS:
            raise ArchiveError(f"The archive has {name!r}, which no backup has.")
    wanted = {DUMP, MANIFEST, SUMS} | ({KEYS} if manifest.has_keys else set())
    if missing := sorted(wanted - names):
        raise ArchiveError(f"The archive lacks {missing[0]}.", remedy="Use another backup.")
    if (objects, object_bytes) != (manifest.objects, manifest.object_bytes):
        raise ArchiveError(
            f"The archive has {objects:,} objects of {object_bytes:,} bytes, and its manifest says "
            f"{manifest.objects:,} of {manifest.object_bytes:,}.",
            remedy="Use another backup.",
        )


def _check_object(name: str) -> None:
    if not is_key(name.removeprefix(OBJECTS)):
        raise ArchiveError(f"The archive has {name!r}, which is no object of the gateway's.")
