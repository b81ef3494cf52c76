"""An installation on Citus, for tests that need one.

They are run where HELIOGRAPH_TEST_DATABASE_URL names a coordinator, and left out elsewhere: no
package of Debian's has Citus.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from databases import create_database, drop_database, run
from heliograph.app.distribution import distribute_database
from heliograph.app.startup import migrate_database
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import Settings, load_settings

LIST_WORKERS = "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0"


async def fetch(url: str, query: str, *values: object) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        rows: list[asyncpg.Record] = await connection.fetch(query, *values)
        return rows
    finally:
        await connection.close()


def list_workers(url: str) -> list[str]:
    """The URLs of the workers of this coordinator; none on a server without Citus."""
    try:
        rows = run(fetch(url, LIST_WORKERS))
    except asyncpg.UndefinedTableError:
        return []
    return [
        urlsplit(url)._replace(netloc=f"{_user(url)}{row['host']}:{row['port']}").geturl()
        for row in rows
    ]


def _user(url: str) -> str:
    user, at, _ = urlsplit(url).netloc.rpartition("@")
    return user + at


_url = os.environ.get("HELIOGRAPH_TEST_DATABASE_URL")
if not (_url and list_workers(_url)):
    collect_ignore_glob = ["test_*.py"]


SHARDS = 8


class Installation:
    """A database of its own on the coordinator and on each worker, and the program's settings."""

    def __init__(self, url: str, workers: list[str], folder: Path) -> None:
        self.url = url
        self.workers = workers
        self.environment = {
            "HELIOGRAPH_DATABASE_URL": url,
            "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
            "HELIOGRAPH_DATA_DIR": str(folder),
            "HELIOGRAPH_SHARDS": str(SHARDS),
        }

    @property
    def settings(self) -> Settings:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return load_settings()

    def rows(self, query: str, *values: object) -> list[asyncpg.Record]:
        return run(fetch(self.url, query, *values))

    def value(self, query: str, *values: object) -> object:
        [row] = self.rows(query, *values)
        return row[0]

    def migrate(self) -> None:
        migrate_database(self.url)

    def distribute(self) -> list[str]:
        return distribute_database(self.settings, lambda _done, _total: None)

    def lose_worker(self, port: int) -> str:
        """Have the coordinator look for its last worker at another port; return its name."""
        row = self.rows(
            "UPDATE pg_dist_node SET nodeport = $1 WHERE nodeid = "
            "(SELECT max(nodeid) FROM pg_dist_node) RETURNING nodename, nodeport",
            port,
        )[0]
        return f"{row['nodename']}:{row['nodeport']}"

    def add_worker(self, url: str) -> None:
        parts = urlsplit(url)
        self.rows("SELECT citus_add_node($1, $2)", parts.hostname, parts.port)


@pytest.fixture
def without_workers(postgres_url: str, tmp_path: Path) -> Iterator[Installation]:
    """An installation whose coordinator knows no worker yet; nothing is migrated."""
    url = create_database(postgres_url, "template0")
    name = urlsplit(url).path
    servers = [urlsplit(each)._replace(path=name).geturl() for each in list_workers(postgres_url)]
    try:
        for server in servers:
            run(
                fetch(
                    urlsplit(server)._replace(path="/postgres").geturl(),
                    f"CREATE DATABASE {name[1:]}",
                )
            )
        for server in (url, *servers):
            run(fetch(server, "CREATE EXTENSION citus"))
        installation = Installation(url, servers, tmp_path)
        parts = urlsplit(url)
        installation.rows("SELECT citus_set_coordinator_host($1, $2)", parts.hostname, parts.port)
        yield installation
    finally:
        drop_database(postgres_url, url)
        for server in servers:
            drop_database(urlsplit(server)._replace(path="/postgres").geturl(), url)


@pytest.fixture
def installation(without_workers: Installation) -> Installation:
    """An installation with two workers or more, whose tables lie on the coordinator."""
    for worker in without_workers.workers:
        without_workers.add_worker(worker)
    without_workers.migrate()
    return without_workers


@pytest.fixture
def distributed(installation: Installation) -> Installation:
    """The same, with tables that lie where they belong."""
    installation.distribute()
    return installation
