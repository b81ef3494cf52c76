"""`heliograph backup`: database, objects and keys in one archive, while the gateway works.

    snapshot → dump → objects that the snapshot's rows name → keys → manifest → read back → rename

The database comes first: an object is stored before a row names it, so it is there to be copied
unless it has expired meanwhile. See docs/decisions/0070.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import msgspec

from heliograph import __version__
from heliograph.core.backups import sql
from heliograph.core.backups.model import (
    DUMP,
    FORMAT,
    KEYS,
    MANIFEST,
    OBJECTS,
    Manifest,
    check_contents,
)
from heliograph.core.backups.signatures import sign
from heliograph.core.media.model import FILES
from heliograph.errors import ConfigurationError
from heliograph.platform.crypto import parse_secret_keys
from heliograph.platform.database.dump import check_dump, dump, find_programs, read_major
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts
from heliograph.platform.database.failures import explain_failure, find_role
from heliograph.platform.database.pool import Connection
from heliograph.platform.embedded.programs import list_program_folders
from heliograph.platform.embedded.record import find_record
from heliograph.platform.embedded.server import (
    EmbeddedPostgres,
    find_owner_url,
    provide_roles,
    resolve_settings,
)
from heliograph.platform.files.age import AgeRecipients
from heliograph.platform.files.archive import (
    ArchiveWriter,
    read_chunks,
    read_members,
    verify_archive,
)
from heliograph.platform.files.data_dir import is_locked
from heliograph.platform.files.room import check_room
from heliograph.platform.files.unfinished_restore import check_restored
from heliograph.platform.objects import ObjectNotFoundError, Objects, ObjectStorageError
from heliograph.settings import Settings

CONNECT_TIMEOUT = 10.0

Show = Callable[[str, int, int | None], None]
"""Receives the part being done, the bytes done so far, and the bytes in all."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read in the snapshot. `files` counts the bytes that organizations have uploaded."""

    snapshot: sql.Snapshot
    rows: dict[str, int]
    revisions: list[str]
    key_ids: list[str]
    objects: dict[str, bytes | None]
    files: int


def back_up(
    settings: Settings,
    target: Path,
    *,
    with_keys: bool,
    show: Show,
    recipients: AgeRecipients | None = None,
) -> Manifest:
    """Write an archive of this installation, and read it back. Returns its manifest.

    With `recipients` it is encrypted once it is whole. Raises `ConfigurationError` when the
    database can't be reached, the disk is too small, or a program of PostgreSQL is missing or
    fails; then there is no file `target`.
    """
    with (
        reachable_database(settings) as (resolved, url),
        ArchiveWriter(target, recipients) as archive,
    ):
        work = _Backup(resolved, url, archive, target, show, is_encrypted=recipients is not None)
        return work.run(with_keys=with_keys)


@contextlib.contextmanager
def reachable_database(settings: Settings) -> Iterator[tuple[Settings, str]]:
    """Give settings with the keys, and the URL of the database's owner.

    A private PostgreSQL whose gateway does not run is started for as long as it takes.
    """
    if settings.is_embedded:
        check_restored(settings.data_dir)
    if not settings.is_embedded or is_locked(settings.data_dir):
        provide_roles(settings)
        yield resolve_settings(settings), find_owner_url(settings)
        return
    if find_record(settings.data_dir) is None:
        raise ConfigurationError(
            f"There is no database in the data directory {settings.data_dir}.",
            remedy="Set HELIOGRAPH_DATA_DIR or HELIOGRAPH_DATABASE_URL to the gateway's own value.",
        )
    embedded = EmbeddedPostgres(settings)
    try:
        yield embedded.start(), embedded.owner_url
    finally:
        embedded.stop()


class _Backup:
    def __init__(
        self,
        settings: Settings,
        url: str,
        archive: ArchiveWriter,
        target: Path,
        show: Show,
        *,
        is_encrypted: bool,
    ) -> None:
        self._settings = settings
        self._url = url
        self._archive = archive
        self._target = target
        self._show = show
        self._is_encrypted = is_encrypted

    def run(self, *, with_keys: bool) -> Manifest:
        try:
            return asyncio.run(self._write(with_keys))
        except asyncpg.UndefinedTableError as error:
            raise ConfigurationError(
                "The database has no schema yet, so there is nothing to back up.",
                remedy="Does HELIOGRAPH_DATABASE_URL name the gateway's database?",
            ) from error
        except CONNECT_FAILURES as error:
            raise explain_failure(
                error, find_role(self._url), failed="The backup has failed"
            ) from error
        except ObjectStorageError as error:
            raise ConfigurationError(
                f"The object storage has failed: {error}.", remedy="Try again."
            ) from error

    async def _write(self, with_keys: bool) -> Manifest:
        read, programs = await self._dump()
        copied = await self._copy_objects(read)
        keys = [key.get_secret_value() for key in self._settings.secret.keys]
        if with_keys:
            self._archive.add(KEYS, "".join(f"{key}\n" for key in keys).encode())
        manifest = _describe(read, programs, copied, has_keys=with_keys)
        self._archive.add(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
        self._archive.finish(
            lambda digest: sign(parse_secret_keys(keys), digest),
            lambda path: self._check(path, programs, manifest),
        )
        return manifest

    async def _dump(self) -> tuple[_Read, Path]:
        connection = await Hosts(self._url).connect(timeout=CONNECT_TIMEOUT)
        try:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                read = await _read(connection)
                programs = find_programs(read.snapshot.postgres, list_program_folders())
                _check_disk(self._target, read, copies=2 if self._is_encrypted else 1)
                with self._archive.member(DUMP) as write:
                    done = 0
                    for data in dump(programs, self._url, read.snapshot.id):
                        write(data)
                        done += len(data)
                        self._show("Database", done, None)
                return read, programs
        finally:
            await connection.close()

    async def _copy_objects(self, read: _Read) -> "_Copied":
        objects = Objects(self._settings.objects_url, self._settings.data_dir / "staging")
        received = set(await objects.list_keys(FILES.rstrip("/")))
        keys = [*read.objects, *sorted(received - read.objects.keys())]
        copied = _Copied()
        for number, key in enumerate(keys):
            self._show("Objects", number, len(keys))
            try:
                size, digest = await self._copy(objects, key)
                copied.count += 1
                copied.bytes += size
                if read.objects.get(key) not in (None, digest):
                    copied.damaged.append(key)
            except ObjectNotFoundError:
                copied.missing.append(key)
        copied.missing, copied.lost = await self._part(copied.missing)
        return copied

    async def _copy(self, objects: Objects, key: str) -> tuple[int, bytes]:
        """Copy an object; return its size in bytes and its SHA-256."""
        size, digest = await objects.get_size(key), hashlib.sha256()
        with self._archive.member(OBJECTS + key) as write:
            async for chunk in objects.read(key, 0, size):
                write(chunk)
                digest.update(chunk)
        return size, digest.digest()

    async def _part(self, missing: Sequence[str]) -> tuple[list[str], list[str]]:
        """Split missing objects into those that no row names any more and those that are lost."""
        if not missing:
            return [], []
        connection = await Hosts(self._url).connect(timeout=CONNECT_TIMEOUT)
        try:
            named = set(await sql.list_objects(connection))
        finally:
            await connection.close()
        return [key for key in missing if key not in named], sorted(named.intersection(missing))

    def _check(self, path: Path, programs: Path, manifest: Manifest) -> None:
        """Raise `ArchiveError` for what a restore would refuse."""
        verify_archive(path, lambda done, total: self._show("Reading it back", done, total))
        check_contents(((name, size) for name, size, _ in read_members(path)), manifest)
        check_dump(programs, read_member(path, DUMP))


class _Copied:
    def __init__(self) -> None:
        self.count = 0
        self.bytes = 0
        self.missing: list[str] = []
        self.lost: list[str] = []
        self.damaged: list[str] = []


async def _read(connection: Connection) -> _Read:
    return _Read(
        snapshot=await sql.export_snapshot(connection),
        rows=await sql.count_rows(connection),
        revisions=await sql.list_revisions(connection),
        key_ids=await sql.list_key_ids(connection),
        objects=await sql.list_objects(connection),
        files=await sql.sum_files(connection),
    )


def _describe(read: _Read, programs: Path, copied: _Copied, *, has_keys: bool) -> Manifest:
    return Manifest(
        format=FORMAT,
        gateway=__version__,
        taken_at=read.snapshot.taken_at,
        revisions=read.revisions,
        postgres=read.snapshot.postgres,
        dumped_by=read_major(programs / "pg_dump") or read.snapshot.postgres,
        database_bytes=read.snapshot.database_bytes,
        rows=read.rows,
        objects=copied.count,
        object_bytes=copied.bytes,
        missing=copied.missing,
        lost=copied.lost,
        damaged=copied.damaged,
        key_ids=read.key_ids,
        has_keys=has_keys,
    )


def _check_disk(target: Path, read: _Read, *, copies: int) -> None:
    """Refuse a disk without room for the archive. A dump is compressed and has no indexes, so a
    quarter of the database's size is usually plenty."""
    size = read.files + read.snapshot.database_bytes // 4
    check_room(target.parent, copies * size, "the archive")


def read_member(path: Path, wanted: str) -> Iterator[bytes]:
    """Yield the content of one member of an archive."""
    for name, _, content in read_members(path):
        if name == wanted:
            yield from read_chunks(content)
            return
