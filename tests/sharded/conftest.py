"""An installation on Citus, for tests that need one.

They are run where HELIOGRAPH_TEST_DATABASE_URL names a coordinator, and left out elsewhere: no
package of Debian's has Citus.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from citus import SHARDS, fetch, join_workers, list_workers, make_coordinator
from databases import fresh_database, list_worker_databases, run
from heliograph.app.distribution import distribute_database
from heliograph.app.startup import migrate_database
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import Settings, load_settings

_url = os.environ.get("HELIOGRAPH_TEST_DATABASE_URL")
if not (_url and run(list_workers(_url))):
    collect_ignore_glob = ["test_*.py"]


class Installation:
    """A database of its own on the coordinator and on each worker, and the program's settings."""

    def __init__(self, server_url: str, url: str, workers: list[str], folder: Path) -> None:
        self._server_url = server_url
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
        run(join_workers(self._server_url, self.url, self.workers))


@contextmanager
def making_installation(postgres_url: str, folder: Path) -> Iterator[Installation]:
    """An installation whose coordinator knows no worker yet; nothing is migrated."""
    with fresh_database(postgres_url) as url:
        workers = list_worker_databases(postgres_url, url)
        run(make_coordinator(url, workers))
        yield Installation(postgres_url, url, workers, folder)


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
