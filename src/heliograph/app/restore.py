"""`heliograph restore`: an archive into an empty database, which may then be served.

    read all of it → check its maker → objects → database, in one transaction → migrations

Digests prove that an archive is as it was written, a signature by one of this installation's keys
that it is our own. Whoever made it, its content is loaded by a role that is not a superuser; where
a superuser is available, it creates that role for the load alone.

However a restore ends, the database has either the whole archive or nothing of it. A data directory
is marked from the first change to the last, and is not served meanwhile.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import SecretStr

from heliograph.app.backup import read_member
from heliograph.app.startup import migrate_database, migrate_private_database
from heliograph.core.backups import sql
from heliograph.core.backups.model import (
    DUMP,
    KEYS,
    MANIFEST,
    OBJECTS,
    Manifest,
    check_contents,
    read_manifest,
)
from heliograph.core.backups.signatures import is_signed, list_signers
from heliograph.errors import ConfigurationError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import parse_secret_keys
from heliograph.platform.database.dump import find_programs, load
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts
from heliograph.platform.database.failures import explain_failure, find_role
from heliograph.platform.database.loading_role import is_superuser, loading_role
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT, holding_migration_lock
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.revisions import FROM_BEFORE, MigrationState, Revisions
from heliograph.platform.database.roles import hand_to_database_owner
from heliograph.platform.embedded.programs import list_program_folders
from heliograph.platform.embedded.record import find_record
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.platform.files import unfinished_restore
from heliograph.platform.files.archive import (
    SUMS,
    ArchiveError,
    read_chunks,
    read_members,
    read_signatures,
    verify_archive,
)
from heliograph.platform.files.data_dir import find_secret_key, store_secret_key
from heliograph.platform.files.room import check_room
from heliograph.platform.objects import Objects, ObjectStorageError
from heliograph.settings import Settings

Show = Callable[[str, int, int | None], None]
_MAX_MANIFEST_SIZE = 64 * 1024 * 1024  # bytes; the manifest lists objects deleted meanwhile
_EMPTY = 64 * 1024 * 1024  # bytes of an empty server
_FEW = 5  # tables named in the error about a database that is not empty


class RestoreError(ConfigurationError):
    """This archive can't be restored here."""


def restore(
    settings: Settings,
    archive: Path,
    show: Show,
    *,
    keys: Sequence[SecretStr] = (),
    from_elsewhere: bool = False,
) -> Manifest:
    """Restore an archive into the empty database that the settings name, and return its manifest.
    Call it in the main thread.

    Unless `from_elsewhere`, the archive must be signed with one of the settings' keys, the data
    directory's, or `keys`. Raises `ConfigurationError`. Nothing changes before the whole archive
    has been read.
    """
    verify_archive(archive, lambda done, total: show("Reading the archive", done, total))
    manifest = _read_manifest(archive)
    check_contents(((name, size) for name, size, _ in read_members(archive)), manifest)
    _check_revisions(manifest)
    work = _Restore(settings, archive, manifest, show, from_elsewhere)
    if not from_elsewhere:
        _check_maker(archive, [*_list_keys(settings), *keys])
    work.check_keys()
    if settings.is_embedded:
        work.restore_privately()
    else:
        work.restore_into(settings.database_url)
        migrate_database(settings.database_url)
        asyncio.run(hand_to_database_owner(settings.database_url))
    return manifest


def _list_keys(settings: Settings) -> list[SecretStr]:
    """List the installation's keys, without those that an archive brings."""
    own = find_secret_key(settings.data_dir)
    return [*settings.secret.keys, *([own] if own else [])]


def _check_maker(archive: Path, keys: Sequence[SecretStr]) -> None:
    """Raise `RestoreError` unless one of the keys has signed the archive."""
    digest, signatures = read_signatures(archive)
    texts = [key.get_secret_value() for key in keys]
    if texts and is_signed(parse_secret_keys(texts), digest, signatures):
        return
    signers = list_signers(signatures)
    raise RestoreError(
        f"It is not known who made this archive: it is signed with the key "
        f"{' and '.join(signers)}, which {'are' if len(signers) > 1 else 'is'} not set here."
        if signers
        else "It is not known who made this archive: it is not signed.",
        remedy="If it is yours, set HELIOGRAPH_SECRET_KEYS to the key that you keep apart from it, "
        "the gateway's or the one in its data directory's secret.key. If you know where it has "
        "been since it was made, --from-elsewhere restores it all the same.",
    )


def _read_manifest(archive: Path) -> Manifest:
    data = b""
    for chunk in read_member(archive, MANIFEST):
        data += chunk
        if len(data) > _MAX_MANIFEST_SIZE:
            raise ArchiveError(
                f"The archive's manifest has more than {_MAX_MANIFEST_SIZE:,} bytes."
            )
    if not data:
        raise ArchiveError(f"The archive lacks {MANIFEST}.", remedy="Use another backup.")
    return read_manifest(data)


def _check_revisions(manifest: Manifest) -> None:
    revisions = Revisions(NetworkRegistry().list_migration_folders())
    state = revisions.compare(manifest.revisions).state
    if state is MigrationState.TOO_OLD:
        raise RestoreError(f"This archive {FROM_BEFORE}: start with an empty database.")
    if state in (MigrationState.NEWER, MigrationState.TOO_NEW):
        raise RestoreError(
            f"The archive is from a later release ({manifest.gateway}, schema "
            f"{', '.join(manifest.revisions)}).",
            remedy="Restore it with that release.",
        )


class _Restore:
    def __init__(
        self,
        settings: Settings,
        archive: Path,
        manifest: Manifest,
        show: Show,
        from_elsewhere: bool,
    ) -> None:
        self._settings = settings
        self._archive = archive
        self._manifest = manifest
        self._show = show
        self._from_elsewhere = from_elsewhere
        self._own_key: str | None = None

    # --- keys ------------------------------------------------------------------------------------

    def check_keys(self) -> None:
        """Choose the data directory's key. Raises `RestoreError` if the archive needs another."""
        archived = self._read_keys()
        texts = [key.get_secret_value() for key in self._settings.secret.keys]
        if self._settings.is_embedded:
            found = find_secret_key(self._settings.data_dir)
            # the data directory's own key is always the last one
            last = next(iter(archived[-1:] or texts[-1:]), None)
            self._own_key = found.get_secret_value() if found else last
            texts += [self._own_key] if self._own_key else []
        have = {key.key_id for key in parse_secret_keys(texts)} if texts else set()
        missing = [key_id for key_id in self._manifest.key_ids if key_id not in have]
        if missing:
            raise RestoreError(
                f"What is in the archive was encrypted with keys that are not set "
                f"({', '.join(missing)}).",
                remedy=self._where_keys_are(archived),
            )

    def _read_keys(self) -> list[str]:
        first = next(read_member(self._archive, KEYS), b"")  # far more than any keys
        texts = first.decode(errors="replace").split()
        if texts:
            parse_secret_keys(texts, variable=f"{KEYS} of the archive")
        return texts

    def _where_keys_are(self, archived: Sequence[str]) -> str:
        if not archived:
            return (
                "The archive was made without keys: set HELIOGRAPH_SECRET_KEYS as the gateway had "
                "it, with the key in its data directory's secret.key, if it had one."
            )
        return (
            f"Set HELIOGRAPH_SECRET_KEYS to what `tar -xOf {self._archive} {KEYS}` shows, with "
            "commas in between."
        )

    # --- where it goes ---------------------------------------------------------------------------

    def restore_privately(self) -> None:
        """Restore into a new private PostgreSQL."""
        data_dir, identity = self._settings.data_dir, self._identity()
        unfinished = unfinished_restore.find_restored(data_dir)
        if unfinished not in (None, identity):
            raise RestoreError(
                f"Another archive was being restored into {data_dir}.",
                remedy="Remove the data directory, or continue with that archive.",
            )
        if unfinished is None and find_record(data_dir) is not None:
            raise RestoreError(
                f"The data directory {data_dir} has a database already.",
                remedy="Restore into another one with --into, or move this one away.",
            )
        embedded = EmbeddedPostgres(self._settings)
        try:
            embedded.lock()
            needed = _EMPTY + self._manifest.database_bytes + self._manifest.object_bytes
            check_room(data_dir, needed, "what is in the archive")
            unfinished_restore.begin_restore(data_dir, identity)
            if self._own_key is not None:
                store_secret_key(data_dir, self._own_key)
            embedded.start()
            self.restore_into(
                embedded.owner_url,
                superuser_url=embedded.superuser_url,
                may_be_done=unfinished is not None,
            )
            migrate_private_database(embedded.owner_url)
            unfinished_restore.end_restore(data_dir)
        finally:
            embedded.stop()

    def _identity(self) -> str:
        """Return what identifies this archive."""
        return hashlib.sha256(b"".join(read_member(self._archive, SUMS))).hexdigest()

    def restore_into(
        self, url: str, *, superuser_url: str | None = None, may_be_done: bool = False
    ) -> None:
        """Restore objects and database. `superuser_url` is for creating the role that loads them;
        `may_be_done` says that an earlier run, which was killed, may have loaded the database."""
        try:
            asyncio.run(self._restore_into(url, superuser_url or url, may_be_done))
        except ObjectStorageError as error:
            raise RestoreError(
                f"The object storage has failed: {error}.", remedy="Try again."
            ) from error
        except CONNECT_FAILURES as error:
            raise explain_failure(
                error, find_role(url), failed="The database can't be restored"
            ) from error

    async def _restore_into(self, url: str, superuser_url: str, may_be_done: bool) -> None:
        async with holding_migration_lock(url) as connection:  # a gateway started now waits
            tables = await sql.list_tables(connection)
            if tables and not may_be_done and not await self._is_loaded(connection, tables):
                raise RestoreError(
                    f"The database is not empty: it has {len(tables)} tables, such as "
                    f"{', '.join(tables[:_FEW])}.",
                    remedy="Restore into an empty database.",
                )
            await self._check_role(connection)
            await self._restore_objects()
            await self._load_database(url, superuser_url, is_loaded=bool(tables))
            await self._check_rows(connection)
            await connection.execute("ANALYZE")

    async def _check_role(self, connection: Connection) -> None:
        """Refuse a stranger's archive where a superuser will work with its content: triggers in it
        would run with the superuser's rights."""
        if self._from_elsewhere and await is_superuser(connection):
            raise RestoreError(
                "HELIOGRAPH_DATABASE_URL names a superuser of its server, who must not load an "
                "archive from elsewhere.",
                remedy="Make a role that owns the database and is not a superuser, as "
                "deploy/postgresql/roles.sql does, and name it in the URL.",
            )

    async def _is_loaded(self, connection: Connection, tables: Sequence[str]) -> bool:
        """Return whether the database holds exactly this archive, unused since: an earlier run that
        was killed after loading leaves it so."""
        wanted = self._manifest
        if {*tables} != {*wanted.rows, sql.NODES}:
            return False
        return (
            await sql.list_revisions(connection) == wanted.revisions
            and await sql.list_key_ids(connection) == wanted.key_ids
            and await sql.count_rows(connection) == wanted.rows
        )

    async def _restore_objects(self) -> None:
        objects = Objects(self._settings.objects_url, self._settings.data_dir / "staging")
        done = 0
        for name, _, content in read_members(self._archive):
            if not name.startswith(OBJECTS):
                continue
            async with objects.stage() as staged:
                for data in read_chunks(content):
                    await staged.write(data)
                await objects.put_staged(name.removeprefix(OBJECTS), staged)
            done += 1
            self._show("Objects", done, self._manifest.objects)

    async def _load_database(self, url: str, superuser_url: str, *, is_loaded: bool) -> None:
        """Load the dump unless it is loaded already; even then a role may have to be dropped."""
        connection = await Hosts(superuser_url).connect(timeout=CONNECT_TIMEOUT)
        try:
            async with loading_role(connection, url) as loading:
                if not is_loaded:
                    major = connection.get_server_version().major
                    await asyncio.to_thread(self._load, loading, major)
        finally:
            await connection.close()

    def _load(self, url: str, server: int) -> None:
        programs = find_programs(max(self._manifest.dumped_by, server), list_program_folders())
        load(programs, url, server, self._shown(read_member(self._archive, DUMP)))

    def _shown(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        done = 0
        for data in chunks:
            yield data
            done += len(data)
            self._show("Database", done, None)

    async def _check_rows(self, connection: Connection) -> None:
        found = await sql.count_rows(connection)
        for table, count in self._manifest.rows.items():
            if found.get(table) != count:
                raise RestoreError(
                    f"{table} has {found.get(table)} rows, and the archive's manifest says {count}."
                )
