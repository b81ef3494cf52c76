"""The real PostgreSQL for the tests: started once, migrated once, a fresh database each."""

import asyncio
import os
import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg
import hypothesis
import pytest

from heliograph.settings import DataSettings, Settings
from heliograph.startup import list_migration_folders
from heliograph.store.embedded import EmbeddedPostgres
from heliograph.store.migrate import Migrations
from plain_logs import log_plainly

_OTHER_POSTGRES = "HELIOGRAPH_TEST_DATABASE_URL"
_other_url = os.environ.get(_OTHER_POSTGRES)
T = TypeVar("T")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long",
        action="store_true",
        help="the chaos tests and the state machines in their long form",
    )
    parser.addoption(
        "--results",
        default=".chaos",
        metavar="FOLDER",
        help="where the chaos tests write what they counted (default: %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tests see no setting of the shell they are started from."""
    log_plainly()
    hypothesis.settings.register_profile("long", max_examples=1000)
    if config.getoption("--long"):
        hypothesis.settings.load_profile("long")
    for name in [name for name in os.environ if name.startswith("HELIOGRAPH_")]:
        if name != _OTHER_POSTGRES:  # which the processes that share the tests have yet to read
            del os.environ[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests of one name: processes that share the tests would run but one of them."""
    names = Counter(item.nodeid for item in items)
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise pytest.UsageError(f"more than one test has the name {', '.join(twice)}")


@pytest.fixture(scope="session", autouse=True)
def _no_stray_variable() -> None:
    os.environ.pop(_OTHER_POSTGRES, None)


@pytest.fixture(scope="session")
def reachable_dir() -> Iterator[Path]:
    """A folder that every user can pass through, which pytest's own is not for root."""
    folder = Path(tempfile.mkdtemp(prefix="heliograph-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_url(reachable_dir: Path) -> Iterator[str]:
    """A server to make databases on: ours, or the one HELIOGRAPH_TEST_DATABASE_URL names."""
    if _other_url:
        yield _other_url
        return
    server = EmbeddedPostgres(Settings(data=DataSettings(dir=reachable_dir / "postgres")))
    try:
        server.start()
        yield server.owner_url
    finally:
        server.stop()


@pytest.fixture(scope="session")
def template_database(postgres_url: str) -> Iterator[str]:
    """The name of a database that has every table and no row."""
    name = f"template_{secrets.token_hex(6)}"
    run(_execute(postgres_url, f"CREATE DATABASE {name}"))
    run(Migrations(list_migration_folders()).upgrade(at_database(postgres_url, name)))
    yield name
    run(_execute(postgres_url, f"DROP DATABASE {name}"))


@pytest.fixture
def database_url(postgres_url: str, template_database: str) -> Iterator[str]:
    """The URL of a database of this test's own, migrated and empty."""
    name = f"test_{secrets.token_hex(6)}"
    run(_execute(postgres_url, f"CREATE DATABASE {name} TEMPLATE {template_database}"))
    yield at_database(postgres_url, name)
    run(_execute(postgres_url, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def empty_database_url(postgres_url: str) -> Iterator[str]:
    """The URL of a database of this test's own, without any table."""
    name = f"test_{secrets.token_hex(6)}"
    run(_execute(postgres_url, f"CREATE DATABASE {name}"))
    yield at_database(postgres_url, name)
    run(_execute(postgres_url, f"DROP DATABASE {name} WITH (FORCE)"))


def at_database(url: str, name: str) -> str:
    """The same server's URL for the database `name`."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on a loop of its own, leaving the test's loop alone."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work)


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
