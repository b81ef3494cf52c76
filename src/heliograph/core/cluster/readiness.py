"""The checks of an installation and of a node: what is wrong, and what to do about it.

`heliograph doctor` prints all that apply to its settings (`examine`). `/readyz` answers with those
that a running node can check: of its database (`ReadinessService`) and of itself (`NodeState`).
A check has the same name in both.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import asyncpg

from heliograph.core.secret_keys.sql import list_canaries
from heliograph.errors import ConfigurationError, UnavailableError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.crypto import (
    DecryptError,
    InvalidSecretKeyError,
    SecretBox,
    parse_secret_keys,
)
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts, list_hosts
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.database.revisions import MigrationState, MigrationStatus, Revisions
from heliograph.platform.database.server import ServerState, read_server_state
from heliograph.platform.embedded.server import find_home, resolve_settings
from heliograph.platform.embedded.server_user import find_binaries, find_server_user
from heliograph.platform.files.data_dir import find_holder, is_locked
from heliograph.platform.files.running_gateway import find_gateway, list_other_data_dirs
from heliograph.platform.objects import ObjectNotFoundError, Objects, ObjectStorageError
from heliograph.settings import AllowPrivate, Role, Settings, list_unknown_variables

TTL = 2.0
PATIENCE = 2.0

_MIN_FREE_SPACE = 1024**3  # bytes
_MAX_CLOCK_OFFSET = 2.0  # seconds
_OLDEST_POSTGRES = 15


class CheckStatus(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """What was checked and found; `remedy` is what to do about anything but `ok`."""

    name: str
    status: CheckStatus
    detail: str
    remedy: str = ""


def _ok(name: str, detail: str) -> Check:
    return Check(name, CheckStatus.OK, detail)


def _warning(name: str, detail: str, remedy: str) -> Check:
    return Check(name, CheckStatus.WARNING, detail, remedy)


def _failed(name: str, detail: str, remedy: str) -> Check:
    return Check(name, CheckStatus.FAILED, detail, remedy)


class ReadinessService:
    """Checks a node's database, at most every `TTL` seconds.

    `several_hosts`: the database can fail over.
    """

    def __init__(
        self, database: Database, migrations: Revisions, *, several_hosts: bool = False
    ) -> None:
        self._database = database
        self._migrations = migrations
        self._several_hosts = several_hosts
        self._cache = CachedValue(self._read, ttl=TTL, timeout=PATIENCE)

    async def check(self) -> list[Check]:
        """The checks of the database; `database` alone when it does not answer."""
        try:
            return await self._cache.get()
        except UnavailableError:
            detail = f"The database did not answer within {PATIENCE:g} seconds."
            # A node has the URL of the private PostgreSQL in the same setting as that of any other,
            # so only `doctor` can say which setting to check.
            remedy = "Make sure that it runs and can be reached; `heliograph doctor` says more."
            return [_failed("database", detail, remedy)]

    async def _read(self) -> list[Check]:
        return await self._database.within(PATIENCE).read(
            _check_connected, self._migrations, self._several_hosts
        )


@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of this node, as far as it knows without the database."""

    settings: Settings
    loops_running: Callable[[], bool]
    is_listening: Callable[[], bool]
    is_draining: Callable[[], bool]
    has_lost_rate_storage: Callable[[], Awaitable[bool]]

    async def check(self) -> list[Check]:
        return [
            _check_loops(running=self.loops_running()),
            _check_notifications(listening=self.is_listening()),
            _check_rates(self.settings, storage_lost=await self.has_lost_rate_storage()),
            _check_draining(draining=self.is_draining()),
        ]


async def examine(settings: Settings) -> list[Check]:
    """Every check that applies to an installation with these settings, whether it runs or not."""
    return [
        _check_python(),
        _check_variables(),
        _check_data_dir(settings),
        _check_space(settings),
        _check_gateway(settings),
        _check_port(settings),
        _check_rates(settings),
        _check_proxies(settings),
        _check_metrics(settings),
        await _check_sign_in(settings),
        _check_webhooks(settings),
        check_networks(NetworkRegistry()),
        await _check_objects(settings),
        *([_check_binaries(settings)] if settings.is_embedded else []),
        *await _check_database(settings),
    ]


async def _check_database(settings: Settings) -> list[Check]:
    if settings.is_embedded and not _is_running(settings):
        return [_ok("database", "It is private, and started together with the gateway.")]
    try:
        resolved = resolve_settings(settings)
        connection = await Hosts(resolved.database_url).connect(
            timeout=resolved.database.connect_timeout
        )
    except ConfigurationError as error:
        return [_failed("database", error.problem, error.remedy)]
    except CONNECT_FAILURES as error:
        detail = f"The database can't be reached: {error or 'it does not answer'}."
        return [_failed("database", detail, _advise_on_connecting(settings))]
    try:
        revisions = Revisions(NetworkRegistry().list_migration_folders())
        several_hosts = len(list_hosts(resolved.database_url)) > 1
        return [
            *await _check_connected(connection, revisions, several_hosts),
            await _check_keys(connection, resolved),
        ]
    finally:
        await connection.close()


def _advise_on_connecting(settings: Settings) -> str:
    if not settings.is_embedded:
        return "Check HELIOGRAPH_DATABASE_URL, and that the database is running."
    log = (find_home(settings.data_dir) or settings.data_dir) / "postgres.log"
    return f"The gateway starts it again by itself. If it stays down, {log} says why."


async def _check_connected(
    connection: Connection, migrations: Revisions, several_hosts: bool
) -> list[Check]:
    server = await read_server_state(connection)
    status = await migrations.status(connection)
    return [
        _check_version(server),
        _check_role(server),
        _check_migrations(status),
        _check_standby(server, several_hosts),
        _check_clock(server),
    ]


def _check_version(server: ServerState) -> Check:
    major, minor = server.version
    detail = f"PostgreSQL {major}.{minor} answers."
    if major >= _OLDEST_POSTGRES:
        return _ok("database", detail)
    return _failed("database", detail, f"Update it to {_OLDEST_POSTGRES} or newer.")


def _check_role(server: ServerState) -> Check:
    if not server.is_superuser:
        return _ok("role", f"The role {server.role} is not a superuser.")
    return _warning(
        "role",
        f"The role {server.role} is a superuser, who may do anything to the whole server.",
        "Use a role in HELIOGRAPH_DATABASE_URL that owns only the gateway's database.",
    )


def _check_migrations(status: MigrationStatus) -> Check:
    if status.is_usable:
        revisions = ", ".join(sorted(status.current))
        detail = f"The database's schema is {status.state} for this release ({revisions})."
        return _ok("migrations", detail)
    if status.state is MigrationState.TOO_NEW:
        return _failed(
            "migrations",
            "The database was migrated by a release later than the next.",
            "Update this installation to that release.",
        )
    return _failed(
        "migrations",
        "The database's schema is behind this release.",
        "Run `heliograph migrate`, or restart the gateway.",
    )


def _check_standby(server: ServerState, several_hosts: bool) -> Check:
    if server.standbys:
        return _ok("standby", "A commit waits for a synchronous standby.")
    if not several_hosts:
        return _ok("standby", "The database has one host.")
    return _warning(
        "standby",
        "The database has several hosts and no synchronous standby: a failover can lose what was "
        "answered with 2xx.",
        "Set synchronous_standby_names on the database's servers.",
    )


def _check_clock(server: ServerState) -> Check:
    direction = "ahead of" if server.clock_offset > 0 else "behind"
    seconds = abs(server.clock_offset)
    detail = f"The database's clock is {seconds:.3f} s {direction} this machine's."
    if seconds <= _MAX_CLOCK_OFFSET:
        return _ok("clock", detail)
    return _warning("clock", detail, "Synchronize the clocks of both machines (NTP).")


async def _check_keys(connection: Connection, settings: Settings) -> Check:
    texts = [key.get_secret_value() for key in settings.secret.keys]
    try:
        box = SecretBox(parse_secret_keys(texts))
        for canary in await list_canaries(connection):
            box.check_canary(canary)
    except (InvalidSecretKeyError, DecryptError) as error:
        remedy = (
            "Set HELIOGRAPH_SECRET_KEYS as it was when the data was written; newer keys go first."
        )
        return _failed("secret keys", str(error), remedy)
    except asyncpg.UndefinedTableError:
        return _ok("secret keys", f"There are {len(texts)}; nothing is encrypted yet.")
    return _ok("secret keys", f"There are {len(texts)}; they decrypt what is stored.")


def _check_loops(*, running: bool) -> Check:
    if running:
        return _ok("loops", "Every loop of this node is at work.")
    return _failed(
        "loops",
        "This node does not hold its lease, or one of its loops has ended.",
        "It recovers once the database answers; otherwise its log says why. Restart it if it does "
        "not recover.",
    )


def _check_notifications(*, listening: bool) -> Check:
    if listening:
        return _ok("notifications", "This node is notified of new work at once.")
    return _warning(
        "notifications",
        "This node is not notified of new work, and looks for it once a second.",
        "It reconnects by itself. A pooler in between must let LISTEN through: connect to "
        "PostgreSQL directly, or in session mode.",
    )


def _check_draining(*, draining: bool) -> Check:
    if not draining:
        return _ok("draining", "This node takes requests.")
    return _failed(
        "draining",
        "This node is stopping: it finishes the requests it has and takes no more.",
        "Send requests to another node.",
    )


def _check_rates(settings: Settings, *, storage_lost: bool = False) -> Check:
    if storage_lost:
        return _warning(
            "rates",
            "The shared storage of request rates does not answer: this node counts in its memory, "
            "and allows the full rate by itself.",
            "Make sure that it runs and that HELIOGRAPH_RATE_LIMIT_URL leads to it. Counting "
            "together begins again by itself.",
        )
    if settings.rate_limit.url is not None:
        return _ok("rates", "Request rates are counted in the shared storage.")
    if settings.server.nodes > 1 and Role.API in settings.server.roles:
        return _warning(
            "rates",
            f"Each of {settings.server.nodes} nodes allows the full rate by itself.",
            "Set HELIOGRAPH_RATE_LIMIT_URL to a Redis that they share.",
        )
    return _ok("rates", "Request rates are counted in the node's memory.")


def check_networks(networks: NetworkRegistry) -> Check:
    failed = networks.failures()
    broken = [str(error) for error in failed.values() if not error.is_extra]
    if not broken:
        names = ", ".join(name for name in networks.names() if name not in failed)
        return _ok("networks", f"Drivers are installed for {names}.")
    return _failed(
        "networks",
        " ".join(broken),
        "Repair or uninstall each, and restart the gateway: until then its accounts stay "
        "disconnected.",
    )


def _check_python() -> Check:
    return _ok("Python", f"This is Python {sys.version.split()[0]} at {sys.executable}.")


def _check_variables() -> Check:
    unknown = list_unknown_variables()
    if not unknown:
        return _ok("environment", "Every HELIOGRAPH_ variable is known.")
    return _warning("environment", f"{', '.join(unknown)}: no such setting.", "Check the spelling.")


def _find_existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _check_data_dir(settings: Settings) -> Check:
    folder = _find_existing(settings.data_dir)
    try:
        with tempfile.TemporaryFile(dir=folder):
            return _ok("data directory", f"{settings.data_dir} can be written.")
    except OSError as error:
        return _failed(
            "data directory",
            f"{folder} can't be written: {error.strerror}.",
            "Set HELIOGRAPH_DATA_DIR to a folder that you may write to.",
        )


def _check_space(settings: Settings) -> Check:
    free = shutil.disk_usage(_find_existing(settings.data_dir)).free
    detail = f"{free / 1024**3:.1f} GiB are free."
    if free >= _MIN_FREE_SPACE:
        return _ok("disk", detail)
    return _failed("disk", detail, "Free some space, or move the data directory.")


def _is_running(settings: Settings) -> bool:
    try:
        return is_locked(settings.data_dir)
    except ConfigurationError:
        return False


def _check_gateway(settings: Settings) -> Check:
    gateway = find_gateway(settings.data_dir)
    if gateway is not None:
        return _ok("gateway", f"It runs at {settings.public_url}, process {gateway.process}.")
    others = ", ".join(map(str, list_other_data_dirs(settings.data_dir)))
    elsewhere = f" Others run on {others}." if others else ""
    return _ok("gateway", f"None is running on this data directory.{elsewhere}")


def _check_port(settings: Settings) -> Check:
    host, port = settings.server.host, settings.server.port
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
        return _ok("port", f"{host}:{port} is free.")
    except OSError as error:
        detail = f"The gateway can't listen on {host}:{port}: {error.strerror}."
    gateway = find_gateway(settings.data_dir)
    if gateway is not None or (settings.is_embedded and _is_running(settings)):
        holder = find_holder(settings.data_dir) if gateway is None else gateway.process
        return _ok("port", f"{host}:{port} is held by this gateway, process {holder}.")
    remedy = "If that is not this gateway, stop it or set HELIOGRAPH_PORT to another port."
    # A gateway with an external database may run on another data directory.
    return (_failed if settings.is_embedded else _warning)("port", detail, remedy)


def _check_proxies(settings: Settings) -> Check:
    trusted = settings.server.trusted_proxies
    if trusted:
        return _ok("proxies", f"{', '.join(map(str, trusted))} may say who the client is.")
    if not settings.is_behind_a_proxy:
        return _ok("proxies", "None is trusted to say who the client is.")
    return _warning(
        "proxies",
        "Every client has the proxy's address, and shares its limits.",
        "Name the proxy in HELIOGRAPH_TRUSTED_PROXIES if it writes X-Forwarded-For.",
    )


def _check_metrics(settings: Settings) -> Check:
    if settings.metrics.token is not None:
        return _ok("metrics", "They are shown to whoever has the token.")
    if settings.is_for_this_machine_alone:
        return _ok("metrics", "They are shown to this machine.")
    return _ok("metrics", "They are shown to nobody: HELIOGRAPH_METRICS_TOKEN is not set.")


async def _check_sign_in(settings: Settings) -> Check:
    issuer = settings.sign_in.issuer
    if issuer is None:
        return _ok("sign-in", "No provider is set: only a demo can be signed in to.")
    if not settings.allows_sessions:
        return _failed(
            "sign-in",
            f"Nobody can sign in at {settings.public_url}: a session could be overheard.",
            "Set HELIOGRAPH_PUBLIC_URL to an address that begins with https://.",
        )
    # an HTTP client and cryptography, for which no other command should wait
    from heliograph.platform.oidc.provider import find_problem

    if problem := await find_problem(issuer):
        remedy = "Check HELIOGRAPH_OIDC_ISSUER, and that the provider can be reached from here."
        return _failed("sign-in", problem, remedy)
    return _ok("sign-in", f"{issuer} answers; its redirect address is {settings.redirect_uri}.")


def _check_webhooks(settings: Settings) -> Check:
    allowed = settings.allow_private
    if allowed is AllowPrivate.NONE:
        return _ok("webhooks", "They are posted to public addresses only.")
    where = "this machine" if allowed is AllowPrivate.LOOPBACK else "every private address"
    detail = f"They are posted to public addresses and to {where}."
    if settings.is_for_this_machine_alone:
        return _ok("webhooks", detail)
    remedy = (
        "Whoever may add a webhook can reach what listens there. Unless that is wanted, unset "
        "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE."
    )
    return _warning("webhooks", detail, remedy)


async def _check_objects(settings: Settings) -> Check:
    if settings.objects.url is None:
        return _ok("object storage", "Objects are kept in the data directory.")
    try:
        await Objects(settings.objects_url).try_out()
    except ConfigurationError as error:
        return _failed("object storage", error.problem, error.remedy)
    except (ObjectStorageError, ObjectNotFoundError) as error:
        remedy = "Check HELIOGRAPH_OBJECTS_URL, the credentials, and that the bucket exists."
        return _failed("object storage", str(error), remedy)
    return _ok("object storage", f"{settings.objects_url} stores, reads and deletes.")


def _check_binaries(settings: Settings) -> Check:
    try:
        user = find_server_user(settings.embedded.user, find_home(settings.data_dir))
        program = find_binaries() / "postgres"
        result = subprocess.run(  # noqa: S603 - the program that came with our packages
            [str(program), "--version"], check=True, capture_output=True, text=True
        )
        detail = f"{result.stdout.strip()}, run by the user {user.name}."
        return _ok("private PostgreSQL", detail)
    except ConfigurationError as error:
        return _failed("private PostgreSQL", error.problem, error.remedy)
    except (OSError, subprocess.CalledProcessError) as error:
        remedy = "Set HELIOGRAPH_DATABASE_URL to a PostgreSQL of your own."
        return _failed("private PostgreSQL", f"It does not run: {error}.", remedy)
