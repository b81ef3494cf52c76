"""The checks of a database: that it answers, and fits this release and these settings."""

import asyncpg

from heliograph.core.cluster.chores_sql import list_failing
from heliograph.core.health.chores import check_chores
from heliograph.core.health.guard import guard_refused
from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.core.health.replication import check_replication
from heliograph.core.health.sql import count_accounts_by_network, list_enabled_urls
from heliograph.core.health.workers import WorkersService
from heliograph.core.secret_keys import service as secret_keys
from heliograph.core.secret_keys.sql import list_canaries
from heliograph.errors import UnavailableError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.crypto import (
    DecryptError,
    InvalidSecretKeyError,
    SecretBox,
    parse_secret_keys,
)
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.database.revisions import (
    FROM_BEFORE,
    MigrationState,
    MigrationStatus,
    Revisions,
)
from heliograph.platform.database.server import ServerState, read_server_state
from heliograph.settings import Settings

TTL = 2.0
CHECK_TIMEOUT = 2.0

_MAX_CLOCK_OFFSET = 2.0  # seconds
_OLDEST_POSTGRES = 15

LEAD_TO_THE_PRIMARY = (
    "Let HELIOGRAPH_DATABASE_URL lead to the primary. A load balancer in between must ask which "
    "server that is."
)


class ReadinessService:
    """Checks a node's database, at most every `TTL` seconds.

    `several_hosts`: the database can fail over. `workers` are those of Citus, where it is there.
    """

    def __init__(
        self,
        database: Database,
        migrations: Revisions,
        *,
        several_hosts: bool = False,
        workers: WorkersService | None = None,
    ) -> None:
        self._database = database
        self._migrations = migrations
        self._several_hosts = several_hosts
        self._workers = workers
        self._cache = CachedValue(self._read, ttl=TTL, timeout=CHECK_TIMEOUT)

    async def check(self) -> list[Check]:
        """Make the checks of the database; return `database` alone when it does not answer."""
        try:
            return [*await self._cache.get(), *await self._check_workers()]
        except UnavailableError:
            detail = f"The database did not answer within {CHECK_TIMEOUT:g} seconds."
            # A node has the URL of the private PostgreSQL in the same setting as that of any other,
            # so only `doctor` can say which setting to check.
            remedy = "Make sure that it runs and can be reached; `heliograph doctor` says more."
            return [failed("database", detail, remedy)]

    async def _check_workers(self) -> list[Check]:
        return [] if self._workers is None else await self._workers.check()

    async def _read(self) -> list[Check]:
        return await self._database.within(CHECK_TIMEOUT).read(
            check_connected, self._migrations, self._several_hosts
        )


async def check_connected(
    connection: Connection, migrations: Revisions, several_hosts: bool
) -> list[Check]:
    server = await read_server_state(connection)
    return [
        _check_server(server),
        _check_role(server),
        _check_letters(server),
        await guard_refused("migrations", _ask_migrations(connection, migrations), server.role),
        check_replication(server.replication, server.role, several_hosts=several_hosts),
        _check_clock(server),
        await guard_refused("chores", _check_chores(connection), server.role),
    ]


async def _check_chores(connection: Connection) -> Check:
    try:
        return check_chores(await list_failing(connection))
    except asyncpg.UndefinedTableError:
        return check_chores([])


def _check_server(server: ServerState) -> Check:
    major, minor = server.version
    detail = f"PostgreSQL {major}.{minor} answers."
    if major < _OLDEST_POSTGRES:
        return failed("database", detail, f"Update it to {_OLDEST_POSTGRES} or newer.")
    if server.is_read_only:
        return failed(
            "database",
            f"PostgreSQL {major}.{minor} answers and takes no writes, as a standby.",
            LEAD_TO_THE_PRIMARY,
        )
    return ok("database", detail)


def _check_role(server: ServerState) -> Check:
    if not server.is_superuser:
        return ok("role", f"The role {server.role} is not a superuser.")
    return warning(
        "role",
        f"The role {server.role} is a superuser, who may do anything to the whole server.",
        "Use a role in HELIOGRAPH_DATABASE_URL that owns only the gateway's database.",
    )


def _check_letters(server: ServerState) -> Check:
    if server.encoding == "UTF8" and server.folds_letters:
        return ok(
            "letters", "The database stores every character and handles upper and lower case."
        )
    if server.encoding != "UTF8":
        detail = f"The database's encoding is {server.encoding}, which lacks most letters."
    else:
        detail = "The database's locale knows only the letters A to Z: 'élodie' won't find Élodie."
    return warning(
        "letters",
        detail,
        "Make a database with ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0, and restore a "
        "backup into it.",
    )


async def _ask_migrations(connection: Connection, migrations: Revisions) -> Check:
    return _check_migrations(await migrations.status(connection))


def _check_migrations(status: MigrationStatus) -> Check:
    if status.state is MigrationState.EXPANDED:
        return warning(
            "migrations",
            "The database's schema has what this release needs, and still has what only the "
            "previous release needs.",
            "Run `heliograph migrate` once no node of the previous release runs.",
        )
    if status.is_usable:
        revisions = ", ".join(sorted(status.current))
        detail = f"The database's schema is {status.state} for this release ({revisions})."
        return ok("migrations", detail)
    if status.state is MigrationState.TOO_NEW:
        return failed(
            "migrations",
            "A later release migrated the database, and this one can't work with it any more.",
            "Update this installation to that release.",
        )
    if status.state is MigrationState.TOO_OLD:
        return failed(
            "migrations",
            f"This database {FROM_BEFORE}.",
            "Start with an empty one.",
        )
    if not status.current:
        return failed(
            "migrations",
            "The database has no schema yet.",
            "Start the gateway, or run `heliograph migrate`. To restore a backup, leave it empty.",
        )
    return failed(
        "migrations",
        f"The database's schema is behind this release ({', '.join(sorted(status.current))}).",
        "Run `heliograph migrate`, or restart the gateway. If nodes of an earlier release have to "
        "stop first, it names them.",
    )


def _check_clock(server: ServerState) -> Check:
    direction = "ahead of" if server.clock_offset > 0 else "behind"
    seconds = abs(server.clock_offset)
    detail = f"The database's clock is {seconds:.3f} s {direction} this machine's."
    if seconds <= _MAX_CLOCK_OFFSET:
        return ok("clock", detail)
    return warning("clock", detail, "Synchronize the clocks of both machines (NTP).")


async def check_secret_keys(connection: Connection, settings: Settings) -> Check:
    texts = [key.get_secret_value() for key in settings.secret.keys]
    try:
        keys = parse_secret_keys(texts)
        box, canaries = SecretBox(keys), await list_canaries(connection)
        for canary in canaries.values():
            box.check_canary(canary)
    except (InvalidSecretKeyError, DecryptError) as error:
        return failed("secret keys", str(error), secret_keys.REMEDY)
    except asyncpg.UndefinedTableError:
        return ok("secret keys", f"Secret keys: {len(texts)}; nothing is encrypted yet.")
    if canaries and keys[0].key_id not in canaries:
        unused = secret_keys.explain_unused(keys[0].key_id)
        return warning("secret keys", unused, secret_keys.UNUSED_REMEDY)
    return ok("secret keys", f"Secret keys: {len(texts)}; they decrypt what is stored.")


async def check_accounts(connection: Connection, networks: NetworkRegistry) -> Check:
    """Check that each account has the driver of its network on this machine."""
    try:
        counts = await count_accounts_by_network(connection)
    except asyncpg.UndefinedTableError:
        return ok("accounts", "There are no accounts yet.")
    unusable = networks.list_unusable()
    without_driver = {
        name: counts[name] for name in counts if name in unusable or name not in networks.names()
    }
    if not without_driver:
        return ok("accounts", f"Accounts: {sum(counts.values())}; each has its network's driver.")
    listed = ", ".join(f"{name} ({count})" for name, count in sorted(without_driver.items()))
    reasons = "".join(f" {unusable[name]}" for name in sorted(without_driver) if name in unusable)
    return failed(
        "accounts",
        f"Accounts use networks without a working driver on this machine: {listed}.{reasons}",
        "Install what each network needs, and restart the gateway: until then these accounts "
        "stay disconnected.",
    )


async def check_endpoints(connection: Connection, settings: Settings) -> Check:
    """Check that no enabled webhook leads to an address that is never posted to."""
    # imports an HTTP client, for which no other command should wait
    from heliograph.platform.outbound_http import AddressPolicy, OutboundError, check_url

    policy = AddressPolicy(settings.allow_private.value)
    refused = []
    try:
        for url in await list_enabled_urls(connection):
            try:
                check_url(url, policy)
            except OutboundError as error:
                refused.append(str(error))
    except asyncpg.UndefinedTableError:
        return ok("endpoints", "There are no webhooks yet.")
    if not refused:
        return ok("endpoints", "Every enabled webhook leads to an address that is allowed.")
    return warning(
        "endpoints",
        f"Nothing is posted to enabled webhooks ({len(refused):,}): {min(refused)}",
        "If that is wanted, set HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE to `loopback` for addresses of "
        "this machine, or to `all` for every private one. Else change or disable these webhooks.",
    )
