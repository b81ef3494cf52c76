"""An installation on Citus, for tests that need one.

They are run where HELIOGRAPH_TEST_DATABASE_URL names a coordinator, and left out elsewhere: no
package of Debian's has Citus.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from databases import run
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

    @contextmanager
    def losing_worker(self, port: int) -> Iterator[str]:
        """Have the coordinator look for its last worker at another port; yield its name there."""
        [last] = self.rows("SELECT nodeid, nodeport FROM pg_dist_node ORDER BY nodeid DESC LIMIT 1")
        move = "UPDATE pg_dist_node SET nodeport = $1 WHERE nodeid = $2 RETURNING nodename"
        try:
            yield f"{self.value(move, port, last['nodeid'])}:{port}"
        finally:
            self.rows(move, last["nodeport"], last["nodeid"])

    def join_workers(self) -> None:
        for worker in self.workers:
            parts = urlsplit(worker)
            self.rows("SELECT citus_add_node($1, $2)", parts.hostname, parts.port)


@contextmanager
def making_installation(postgres_url: str, folder: Path) -> Iterator[Installation]:
    """An installation whose coordinator knows no worker yet; nothing is migrated."""
    servers = [postgres_url, *list_workers(postgres_url)]
    name = f"test_{secrets.token_hex(6)}"
    urls = [urlsplit(server)._replace(path=f"/{name}").geturl() for server in servers]
    try:
        for server, url in zip(servers, urls, strict=True):
            run(fetch(server, f"CREATE DATABASE {name} TEMPLATE template0"))
            run(fetch(url, "CREATE EXTENSION citus"))
        installation = Installation(urls[0], urls[1:], folder)
        parts = urlsplit(urls[0])
        installation.rows("SELECT citus_set_coordinator_host($1, $2)", parts.hostname, parts.port)
        yield installation
    finally:
        for server in servers:
            _drop(server, name)


def _drop(server: str, name: str) -> None:
    """Drop a database. Citus's own daemon comes back whenever it is thrown out."""
    for _ in range(10):
        with suppress(asyncpg.ObjectInUseError):
            run(fetch(server, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            return
        time.sleep(1)


@pytest.fixture
def without_workers(postgres_url: str, tmp_path: Path) -> Iterator[Installation]:
    with making_installation(postgres_url, tmp_path) as installation:
        yield installation


@pytest.fixture
def installation(without_workers: Installation) -> Installation:
    """An installation with workers, whose tables lie on the coordinator."""
    without_workers.join_workers()
    without_workers.migrate()
    return without_workers


@pytest.fixture(scope="module")
def distributed(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """An installation whose tables lie where they belong: each test leaves it as it was."""
    with making_installation(postgres_url, tmp_path_factory.mktemp("data")) as installation:
        installation.join_workers()
        installation.distribute()
        yield installation
