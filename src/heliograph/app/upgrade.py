"""`heliograph database upgrade`: move the private database to the next major version of PostgreSQL.

    former server → dump → successor, in one transaction → rows counted → names changed

It dumps and loads, as backup and restore do: `pg_upgrade` needs the same locale settings in both
versions, and may leave a cluster that neither can start.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from heliograph.core.backups import sql
from heliograph.errors import ConfigurationError
from heliograph.platform.database.dump import dump, find_programs, load
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import reason_of
from heliograph.platform.embedded.programs import MAJOR, list_program_folders
from heliograph.platform.embedded.upgrade import UpgradingPostgres
from heliograph.platform.files.room import check_room
from heliograph.settings import Settings

Show = Callable[[str, int, int | None], None]


class UpgradeError(ConfigurationError):
    """The private database can't be upgraded."""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """`former` and `now` are major versions of PostgreSQL; `kept` is where the former files are."""

    former: int
    now: int
    rows: int
    kept: Path


def upgrade_private_database(settings: Settings, show: Show) -> Upgraded | None:
    """Upgrade the private database of a gateway that does not run; None if it needs none.

    To be used in the main thread. Raises `ConfigurationError`; then the database is as it was.
    """
    if not settings.is_embedded:
        raise UpgradeError(
            "HELIOGRAPH_DATABASE_URL names a PostgreSQL of your own.",
            remedy="Upgrade it as its version's documentation says; nodes continue by themselves "
            "once it is back.",
        )
    with UpgradingPostgres(settings) as servers:
        if servers.former_major is None:
            return None
        try:
            rows = asyncio.run(_copy(servers, show))
        except CONNECT_FAILURES as error:
            raise UpgradeError(f"The upgrade has failed: {reason_of(error)}.") from error
        servers.replace_former()
        return Upgraded(servers.former_major, MAJOR, rows, servers.kept)


async def _copy(servers: UpgradingPostgres, show: Show) -> int:
    """Copy all rows but those of living nodes; return how many there are."""
    former = await asyncpg.connect(servers.former_url)
    successor = await asyncpg.connect(servers.owner_url)
    try:
        async with former.transaction(isolation="repeatable_read", readonly=True):
            snapshot = await sql.export_snapshot(former)
            # at worst as large as the former one
            check_room(servers.home, snapshot.database_bytes, "the database's successor")
            wanted = await sql.count_rows(former)
            await asyncio.to_thread(_pour, servers, snapshot.id, show)
        found = await sql.count_rows(successor)
        if found != wanted:
            different = sorted(table for table in wanted if found.get(table) != wanted[table])
            raise UpgradeError(
                f"{len(different)} tables have other rows than before, such as {different[0]}."
            )
        await successor.execute("ANALYZE")
        return sum(found.values())
    finally:
        await successor.close()
        await former.close()


def _pour(servers: UpgradingPostgres, snapshot: str, show: Show) -> None:
    programs = find_programs(MAJOR, list_program_folders())
    dumped = dump(programs, servers.former_url, snapshot)
    load(programs, servers.owner_url, MAJOR, _shown(dumped, show))


def _shown(chunks: Iterator[bytes], show: Show) -> Iterator[bytes]:
    done = 0
    for data in chunks:
        yield data
        done += len(data)
        show("Database", done, None)
