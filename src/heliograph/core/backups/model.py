"""What an archive says of itself."""

from datetime import datetime

import msgspec

from heliograph.errors import ConfigurationError

FORMAT = 1

DUMP = "database.dump"
KEYS = "keys/secret-keys"
MANIFEST = "manifest.json"
OBJECTS = "objects/"
"""Members of an archive; objects have their keys behind that."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`revisions` are the schema's, `key_ids` those of the keys that encrypted what is stored.

    `rows` counts by table. `missing` are objects that were deleted while the backup was made, and
    `lost` those that the storage does not have although the database names them. Sizes are in
    bytes; `dumped_by` and `postgres` are PostgreSQL's major versions.
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
    key_ids: list[str]
    has_keys: bool


def read_manifest(data: bytes) -> Manifest:
    """Raises `ConfigurationError` for a manifest that this release can't read."""
    try:
        if msgspec.json.decode(data)["format"] != FORMAT:
            raise ConfigurationError(
                "The archive was written by a later release.",
                remedy="Restore it with that release.",
            )
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise ConfigurationError(f"The archive's manifest can't be read: {error}.") from error
