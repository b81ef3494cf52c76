"""Whether a node's database is there and fits this release."""

from dataclasses import dataclass
from enum import StrEnum

from heliograph.errors import UnavailableError
from heliograph.platform.aio.cached_value import CachedValue
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.database.revisions import MigrationState, MigrationStatus, Revisions
from heliograph.platform.database.server import get_synchronous_standbys

TTL = 2.0
PATIENCE = 2.0
CHECKS = ("database", "migrations", "standby")


class CheckStatus(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and found; `remedy` says what to do about anything but `ok`."""

    status: CheckStatus
    detail: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    migrations: MigrationStatus
    standbys: str


class ReadinessService:
    """`several_hosts` says whether the database is one that can fail over."""

    def __init__(
        self, database: Database, migrations: Revisions, *, several_hosts: bool = False
    ) -> None:
        self._database = database
        self._migrations = migrations
        self._several_hosts = several_hosts
        self._cache = CachedValue(self._look, ttl=TTL, patience=PATIENCE)

    async def check(self) -> dict[str, Check]:
        """The checks of `CHECKS`, at most a few seconds old; the first alone when it fails."""
        try:
            found = await self._cache.get()
        except UnavailableError:
            return {CHECKS[0]: _UNREACHABLE}
        findings = (
            Check(CheckStatus.OK, "The database answers."),
            _check_migrations(found.migrations),
            self._check_standby(found.standbys),
        )
        return dict(zip(CHECKS, findings, strict=True))

    async def _look(self) -> _Found:
        async def ask(connection: Connection) -> _Found:
            status = await self._migrations.status(connection)
            return _Found(status, await get_synchronous_standbys(connection))

        return await self._database.read(ask, deadline=PATIENCE)

    def _check_standby(self, standbys: str) -> Check:
        if not self._several_hosts:
            return Check(CheckStatus.OK, "The database has one host.")
        if standbys:
            return Check(CheckStatus.OK, "A commit waits for a synchronous standby.")
        return Check(
            CheckStatus.WARNING,
            "The database has several hosts and no synchronous standby: a failover can lose what "
            "was answered with 2xx.",
            "Set synchronous_standby_names on the database's servers.",
        )


_UNREACHABLE = Check(
    CheckStatus.FAILED,
    f"The database did not answer within {PATIENCE:g} seconds.",
    "See that it runs and that HELIOGRAPH_DATABASE_URL leads to it; `heliograph doctor` says more.",
)


def _check_migrations(status: MigrationStatus) -> Check:
    if status.is_usable:
        return Check(CheckStatus.OK, f"The database's schema is {status.state} for this release.")
    if status.state is MigrationState.TOO_NEW:
        return Check(
            CheckStatus.FAILED,
            "The database was migrated by a release later than the next.",
            "Update this installation to that release.",
        )
    return Check(
        CheckStatus.FAILED,
        "The database's schema is behind this release.",
        "Run `heliograph migrate`, or restart the gateway.",
    )
