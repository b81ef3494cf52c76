"""The private PostgreSQL: made, started, stopped and found again.

    <data dir>/gateway.lock    held by the one gateway that runs here
    <data dir>/postgres.json   where the server is and its superuser's password, mode 0600
    <data dir>/postgres-owner.password  the password of the role that owns the tables, the same
    <data dir>/postgres-node.password   the password of the role that nodes have, the same
    <home>/data                the cluster; `home` is `<data dir>/postgres` or a place that the
    <home>/socket              server's user can reach (`server_user`)
    <home>/postgres.log

The server listens on a Unix socket that its own user (and root) may open, and asks for a generated
password. It is stopped by the kernel when the gateway dies; where the kernel can't do that, the
next start stops the server that was left over.
"""

import asyncio
import contextlib
import hashlib
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import asyncpg
import structlog

from heliograph.platform.database.roles import NODE, OWNER, hand_to_owner, make_roles
from heliograph.platform.embedded.orphans import stop_orphans
from heliograph.platform.embedded.postmaster import (
    ENVIRONMENT,
    SHORT_PREFIX,
    EmbeddedPostgresError,
    Postmaster,
    remove_short_dir,
)
from heliograph.platform.embedded.programs import MAJOR, provide_binaries
from heliograph.platform.embedded.record import (
    FILE,
    NAME,
    EmbeddedRecord,
    find_record,
    load_role_password,
)
from heliograph.platform.embedded.server_user import find_server_user
from heliograph.platform.files.data_dir import (
    DataDirLock,
    is_locked,
    load_secret_key,
    make_data_dir,
    read_secret_key,
)
from heliograph.platform.files.private import write_private
from heliograph.platform.files.running_gateway import list_other_data_dirs
from heliograph.platform.parent_death import tie_to_parent
from heliograph.settings import Settings

log = structlog.get_logger()

NEW = "data.new"
"""The folder of a cluster that is whole, and gets the name `data` next."""

_SHARED_HOME = Path("/var/lib/heliograph")
_FEW = 3  # other gateways that are named to somebody who finds none
_SOCKET = ".s.PGSQL.5432"
_SOCKET_PATH_LIMIT = 103  # bytes; 107 on Linux, 103 on macOS

# The password is 32 random bytes, so that one round of hashing would be as good as thousands; but
# some clients take fewer than a thousand for an attack and refuse.
_ROUNDS = "1000"
_INITDB_OPTIONS = (
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--auth-local=scram-sha-256",
    "--auth-host=reject",
    f"--username={NAME}",
    "--set=password_encryption=scram-sha-256",
    f"--set=scram_iterations={_ROUNDS}",
)

# `terse` keeps the values of a refused row, which may be a customer's, out of the log.
_SERVER_OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "synchronous_commit": "on",
    "max_wal_size": "1GB",
    "random_page_cost": "1.1",
    "autovacuum_naptime": "5s",  # the planner guesses about a table until it has been analyzed
    "autovacuum_analyze_scale_factor": "0.5",  # with 0.1 it would read growing tables all the time
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "scram_iterations": _ROUNDS,
}


class EmbeddedPostgres:
    """The private PostgreSQL of one data directory, run by this process.

    `start` is called from the main thread. Between `start` and `stop` the lock is held.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._data_dir = settings.data_dir
        self._locks: list[DataDirLock] = []
        self._postmaster: Postmaster | None = None

    def lock(self) -> None:
        """Make the data directory if need be and take its lock. Raises `DataDirError`."""
        self._is_new = make_data_dir(self._data_dir)
        self._locks.append(DataDirLock.acquire(self._data_dir))

    def start(self) -> Settings:
        """Start the server, making it first if need be; return settings that lead to it.

        Raises `ConfigurationError`: the data directory is in use, no place is reachable for the
        server's user, or the server does not start.
        """
        if not self._locks:
            self.lock()
        try:
            self._prepare(self._is_new)
            self._postmaster = self._describe_server()
            self._postmaster.launch(_tell_start)
            asyncio.run(set_up(self._record, self._data_dir))
        except BaseException:
            self.stop()
            raise
        return self._settings.with_database(
            self._record.role_url(NODE, self._data_dir),
            [*self._settings.secret.keys, load_secret_key(self._data_dir)],
        )

    @property
    def superuser_url(self) -> str:
        """The URL of the database for what no other role may do."""
        return self._record.superuser_url()

    @property
    def owner_url(self) -> str:
        """The URL of the database for migrations, backups and restores."""
        return self._record.role_url(OWNER, self._data_dir)

    def _prepare(self, is_new: bool) -> None:
        self._find_place(is_new)
        record = self._make_cluster(find_record(self._data_dir))
        check_version(self._cluster)
        stop_orphans(self._cluster)
        remove_short_dir(record.socket)
        self._record = replace(record, socket=str(self._make_socket_dir(self._home / "socket")))
        self._record.save(self._data_dir)

    def _find_place(self, is_new: bool) -> None:
        """Decide who runs the server, where, and with which programs; lock that place, too."""
        known = find_home(self._data_dir)
        self._user = find_server_user(self._settings.embedded.user, known)
        self._home = known or self._choose_home(is_new)
        if self._data_dir not in self._home.parents:
            self._make_outer_home()
        self._check_owner()
        self._user.make_folder(self._home)
        self._binaries = provide_binaries(self._user, self._home)
        self._cluster = self._home / "data"

    def _choose_home(self, is_new: bool) -> Path:
        if self._settings.embedded.dir is not None:
            return self._settings.embedded.dir.expanduser().absolute() / _outer_name(self._data_dir)
        if self._user.drop and is_new and self._user.can_reach(self._data_dir.parent):
            # Our own folder, made this moment: the server's user may pass through and no more.
            os.chown(self._data_dir, 0, self._user.gid)
            self._data_dir.chmod(0o710)
        if not self._user.drop or self._user.can_reach(self._data_dir):
            return self._data_dir / "postgres"
        return _SHARED_HOME / _outer_name(self._data_dir)

    def _make_outer_home(self) -> None:
        advice = (
            f"Set HELIOGRAPH_EMBEDDED_DIR to a folder that the user {self._user.name} can reach, "
            "HELIOGRAPH_EMBEDDED_USER to another user, or HELIOGRAPH_DATABASE_URL to a PostgreSQL "
            "of your own."
        )
        try:
            self._home.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._home.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise EmbeddedPostgresError(
                f"The private PostgreSQL's folder {self._home} can't be made ({error.strerror}).",
                remedy=advice,
            ) from None
        if not self._user.can_reach(self._home.parent):
            raise EmbeddedPostgresError(
                f"The user {self._user.name}, who runs the private PostgreSQL, can't reach "
                f"{self._home.parent}.",
                remedy=advice,
            )
        self._locks.append(DataDirLock.acquire(self._home))

    def _check_owner(self) -> None:
        if self._home.exists() and self._home.stat().st_uid not in (0, self._user.uid):
            raise EmbeddedPostgresError(
                f"The private PostgreSQL in {self._home} belongs to another user.",
                remedy="Run the gateway as that user or as root, or set HELIOGRAPH_DATA_DIR to "
                "another folder.",
            )

    def _make_cluster(self, record: EmbeddedRecord | None) -> EmbeddedRecord:
        """Make the cluster, in three steps of which each can be the last before a crash."""
        unfinished = self._home / NEW
        if self._cluster.exists():
            if record is None:
                raise EmbeddedPostgresError(
                    f"{self._home} holds a database, and {self._data_dir / FILE}, which opens "
                    "it, is missing.",
                    remedy="Put that file back, or move the database away to start empty.",
                )
            return record
        if record is None:
            shutil.rmtree(unfinished, ignore_errors=True)
            password = secrets.token_urlsafe(32)
            self._initialize(unfinished, password)
            inside = self._home.is_relative_to(self._data_dir)
            home = self._home.relative_to(self._data_dir) if inside else self._home
            record = EmbeddedRecord(home=str(home), password=password)
            record.save(self._data_dir)
        elif not unfinished.exists():
            raise _no_files(self._home, self._data_dir)
        unfinished.rename(self._cluster)
        return record

    def _initialize(self, cluster: Path, password: str) -> None:
        password_file = self._home / "password"
        write_private(password_file, password)
        result = self._run(
            "initdb", *_INITDB_OPTIONS, f"--pwfile={password_file}", f"--pgdata={cluster}"
        )
        password_file.unlink()
        if result.returncode:
            raise EmbeddedPostgresError(
                f"The private PostgreSQL can't be made in {self._home}: {result.stdout.strip()}",
                remedy="If this persists, set HELIOGRAPH_DATABASE_URL to a PostgreSQL of your own.",
            )

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self._binaries / program), *arguments]
        return subprocess.run(  # noqa: S603 - our own
            command,
            cwd=self._home,
            check=False,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            umask=0o077,
            preexec_fn=tie_to_parent(signal.SIGKILL),
            **self._user.credentials,
        )

    def _make_socket_dir(self, folder: Path) -> Path:
        """Make a folder for a server's socket: this one, or a short one if its path is too long."""
        is_short = len(os.fsencode(folder / _SOCKET)) <= _SOCKET_PATH_LIMIT
        if is_short and "," not in str(folder):  # a comma parts hosts in a database URL
            shutil.rmtree(folder, ignore_errors=True)
            self._user.make_folder(folder)
            return folder
        short = Path(tempfile.mkdtemp(prefix=SHORT_PREFIX, dir="/tmp"))
        self._user.make_folder(short)
        return short

    def _describe_server(self) -> Postmaster:
        return self._describe(self._binaries, self._cluster, self._record.socket)

    def _describe(self, binaries: Path, cluster: Path, socket: str) -> Postmaster:
        options = _SERVER_OPTIONS | {"unix_socket_directories": socket}
        arguments = [f"--{name}={value}" for name, value in options.items()]
        return Postmaster(
            command=[str(binaries / "postgres"), "-D", str(cluster), *arguments],
            cluster=str(cluster),
            home=str(self._home),
            socket_dir=socket,
            credentials=self._user.credentials,
        )

    @property
    def postmaster(self) -> Postmaster:
        """The server's process, between `start` and `stop`."""
        if self._postmaster is None:
            raise EmbeddedPostgresError("The private PostgreSQL has not been started.")
        return self._postmaster

    @property
    def locks(self) -> list[int]:
        """Descriptors that hold the data directory while they are open."""
        return [lock.descriptor for lock in self._locks]

    def stop(self, timeout: float = 5.0) -> None:
        """Stop the server, as `Postmaster.stop` does, and release the lock."""
        try:
            if self._postmaster is not None:
                self._postmaster.stop(timeout)
        finally:
            self._postmaster = None
            while self._locks:
                self._locks.pop().release()


def _tell_start(seconds: int) -> None:
    log.info("the private PostgreSQL is starting, and may have to recover first", seconds=seconds)


async def set_up(record: EmbeddedRecord, data_dir: Path) -> None:
    """Make the database and the roles, whichever are not there yet, or not as they are to be."""
    connection = await asyncpg.connect(record.superuser_url("postgres"))
    try:
        with contextlib.suppress(asyncpg.DuplicateDatabaseError):
            await connection.execute(f"CREATE DATABASE {NAME}")
        await make_roles(
            connection,
            owner_password=load_role_password(data_dir, OWNER),
            node_password=load_role_password(data_dir, NODE),
        )
    finally:
        await connection.close()
    connection = await asyncpg.connect(record.superuser_url())
    try:
        await hand_to_owner(connection)
    finally:
        await connection.close()


def check_stopped(data_dir: Path) -> None:
    """Raise `EmbeddedPostgresError` for a database that a start would refuse; its server does not
    run."""
    home = find_home(data_dir)
    if home is None:
        return
    try:
        if (home / "data").exists():
            check_version(home / "data")
        elif not (home / NEW).exists():
            raise _no_files(home, data_dir)
    except OSError as error:
        raise EmbeddedPostgresError(
            f"The private PostgreSQL's files in {home} can't be read ({error.strerror}).",
            remedy="Run this as the user that the gateway runs as.",
        ) from None


def _no_files(home: Path, data_dir: Path) -> EmbeddedPostgresError:
    return EmbeddedPostgresError(
        f"The private PostgreSQL's files in {home} are missing.",
        remedy=f"Put them back, or remove {data_dir / FILE} to start empty.",
    )


def read_cluster_version(cluster: Path) -> int:
    """Return the major version of the PostgreSQL that has made a cluster."""
    return int((cluster / "PG_VERSION").read_text(encoding="ascii"))


def check_version(cluster: Path) -> None:
    """Raise `EmbeddedPostgresError` for a cluster that this release's programs can't start."""
    major = read_cluster_version(cluster)
    if major != MAJOR:
        raise EmbeddedPostgresError(
            f"The private database was made by PostgreSQL {major}, and this release has "
            f"PostgreSQL {MAJOR}.",
            remedy="Run `heliograph database upgrade` once, which keeps the former one beside it."
            if major < MAJOR
            else "Run the release that has made it.",
        )


def resolve_settings(settings: Settings) -> Settings:
    """Return settings with the database's URL, for a command beside a running gateway.

    Settings that have a URL are returned as they are. Raises `EmbeddedPostgresError` when the
    private PostgreSQL is wanted and either it or its gateway is not running.
    """
    if not settings.is_embedded:
        return settings
    url = connect_url(settings.data_dir)
    return settings.with_database(url, [*settings.secret.keys, read_secret_key(settings.data_dir)])


def find_owner_url(settings: Settings) -> str:
    """Return the database's URL for migrations and backups, beside a running gateway.

    Raises `EmbeddedPostgresError` when the private PostgreSQL is wanted and not running.
    """
    if not settings.is_embedded:
        return settings.database_url
    return _find_running(settings.data_dir).role_url(OWNER, settings.data_dir)


def provide_roles(settings: Settings) -> None:
    """Make sure that the running private PostgreSQL has this release's roles: the gateway that
    started it may be of an earlier one. On other databases roles are the operator's.

    Raises `EmbeddedPostgresError` as `find_owner_url` does.
    """
    if settings.is_embedded:
        asyncio.run(set_up(_find_running(settings.data_dir), settings.data_dir))


def connect_url(data_dir: Path) -> str:
    """Return the URL with which nodes open the private PostgreSQL of a gateway that runs in
    `data_dir`.

    Raises `EmbeddedPostgresError` when either it or the gateway is not running.
    """
    return _find_running(data_dir).role_url(NODE, data_dir)


def _find_running(data_dir: Path) -> EmbeddedRecord:
    if not is_locked(data_dir):
        raise EmbeddedPostgresError(
            f"No gateway is running on the data directory {data_dir}.",
            remedy=_where_to_look(data_dir),
        )
    record = find_record(data_dir)
    if record is None or not (Path(record.socket) / _SOCKET).exists():
        raise EmbeddedPostgresError(
            f"The gateway on the data directory {data_dir} is running, but its private PostgreSQL "
            "is not.",
            remedy="The gateway is starting it: try again in a few seconds. If that does not help, "
            "the gateway's log says why.",
        )
    return record


def _where_to_look(data_dir: Path) -> str:
    start = "Start one with `heliograph serve`"
    others = list_other_data_dirs(data_dir)
    if others:
        ways = " or ".join(
            f"HELIOGRAPH_DATA_DIR={shlex.quote(str(other))}" for other in others[:_FEW]
        )
        return f"{start}, or set {ways} for one that runs elsewhere."
    return (
        f"{start}, or set HELIOGRAPH_DATA_DIR or HELIOGRAPH_DATABASE_URL as the running gateway "
        "has it."
    )


def find_home(data_dir: Path) -> Path | None:
    """Return the folder of the private PostgreSQL's files, once it has been made."""
    record = find_record(data_dir)
    return data_dir / record.home if record else None


def _outer_name(data_dir: Path) -> str:
    """Return a folder's name for a cluster outside of its data directory.

    A data directory that was deleted and made anew must not meet its predecessor's cluster, whose
    password and secret key are gone.
    """
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    return f"{digest}-{secrets.token_hex(4)}"
