"""The real PostgreSQL for the tests: started once, migrated once, a fresh database each."""

import gc
import os
import re
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]  # as all of xdist
from xdist.scheduler import LoadFileScheduling, Scheduling  # type: ignore[import-untyped]

import prepared_data
from databases import fresh_database, migrated_template, run, spare_the_disk
from emptied_database import EmptiedDatabase
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.settings import DataSettings, Settings
from plain_logs import log_plainly, take_back_logs

pytest_plugins = ("known_types", "patience", "tested_server", "time_spent", "whole_day")
_AUTHORITY = Path(__file__).parent / "support" / "no_authority.pem"
_LONGEST = (
    "tests/chaos/test_availability",
    "tests/chaos/test_patroni",
    "tests/chaos/test_long_snapshot",
    "tests/chaos/test_killed_uploads",
    "tests/chaos/test_full_disk",
    "tests/chaos/test_paused_owner",
    "tests/outside/test_prometheus",
    "tests/acceptance/",
    "tests/chaos/",
    "tests/api/test_schemathesis",
    "tests/backups/",
    "tests/embedded/",
    "tests/app/test_supervisor",
    "tests/clients/",
)
"""How the names of those begin that are to be run first; a run says at its end what took long."""
_OTHER_POSTGRES = "HELIOGRAPH_TEST_DATABASE_URL"
_other_url = os.environ.get(_OTHER_POSTGRES)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long",
        action="store_true",
        help="the chaos tests and the state machines in their long form",
    )
    parser.addoption("--image", metavar="NAME", help="the image to run, for tests/image")
    parser.addoption("--systemd", action="store_true", help="make a machine, for tests/systemd")
    parser.addoption(
        "--results",
        default=".chaos",
        metavar="FOLDER",
        help="where the chaos tests write what they counted (default: %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tests see no setting of the shell they are started from."""
    gc.disable()  # for as long as tests are collected, which makes much and drops little
    log_plainly()
    _heed_ctrl_c()
    config.pluginmanager.register(prepared_data)
    _trust_nobody()
    _load_profile(1000 if config.getoption("--long") else 30)
    for name in [name for name in os.environ if name.startswith("HELIOGRAPH_")]:
        if name != _OTHER_POSTGRES:  # which the processes that share the tests have yet to read
            del os.environ[name]


def _heed_ctrl_c() -> None:
    """Undo what `make test &` in a script does: a shell has its background jobs ignore SIGINT, and
    so would each program that a test starts and stops by it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _trust_nobody() -> None:
    """Let TLS clients read one authority instead of the system's: each that is made, also for plain
    HTTP, else takes 20 ms of processor for a few hundred. No test speaks TLS to a public server."""
    os.environ["SSL_CERT_FILE"] = str(_AUTHORITY)
    os.environ["SSL_CERT_DIR"] = "/nonexistent"


def _load_profile(max_examples: int) -> None:
    """How long an example takes is the machine's: by itself Hypothesis fails it after 0.2 s."""
    hypothesis.settings.register_profile(
        "patient",
        max_examples=max_examples,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests of one name, since processes that share the tests would run but one of them; put
    those first that take the longest, so that no process is left alone with them at the end."""
    names = Counter(item.nodeid for item in items)
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise pytest.UsageError(f"more than one test has the name {', '.join(twice)}")
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    found = (at for at, name in enumerate(_LONGEST) if item.nodeid.startswith(name))
    return next(found, len(_LONGEST))


def pytest_collection_finish() -> None:
    """Let the garbage collector look at what tests make, not again and again at all the modules.
    What of them is garbage is little, and to look for it takes a second."""
    gc.freeze()
    gc.enable()


class _OneProcessForOneGateway(LoadFileScheduling):  # type: ignore[misc]  # which has no types
    """Each file's tests run in one process, and so do all in a folder that shares a gateway."""

    def _split_scope(self, nodeid: str) -> str:
        shared = re.match(r".*/shared_\w+/", nodeid)
        return shared[0] if shared else str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    is_by_file = config.getvalue("dist") == "loadfile"
    return _OneProcessForOneGateway(config, log) if is_by_file else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """Refuse a test that has configured the logs for those after it."""
    result = yield
    assert not take_back_logs(), "configure logs within `logs_configured_anew`"
    return result


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
    prepared_data.prepare_data(reachable_dir / "postgres")
    server = EmbeddedPostgres(Settings(data=DataSettings(dir=reachable_dir / "postgres")))
    try:
        server.start()
        run(spare_the_disk(server.superuser_url))
        yield server.superuser_url
    finally:
        server.stop()


@pytest.fixture(scope="session")
def template_database(postgres_url: str) -> Iterator[str]:
    """The name of a database that has every table and no row."""
    with migrated_template(postgres_url, NetworkRegistry().list_migration_folders()) as name:
        yield name


@pytest.fixture(scope="session")
def emptied_database(postgres_url: str, template_database: str) -> Iterator[EmptiedDatabase]:
    database = EmptiedDatabase(postgres_url, template_database)
    yield database
    database.close()


@pytest.fixture
def database_url(emptied_database: EmptiedDatabase) -> Iterator[str]:
    """The URL of a database that is this test's alone as long as it runs, migrated and empty."""
    with emptied_database.lend() as url:
        yield url


@pytest.fixture
def own_database_url(postgres_url: str, template_database: str) -> Iterator[str]:
    """The same, made for this test and dropped after it: for what looks at plans, at statistics or
    at what a database is made of."""
    with fresh_database(postgres_url, template_database) as url:
        yield url


@pytest.fixture(scope="module")
def module_database_url(postgres_url: str, template_database: str) -> Iterator[str]:
    """The same for all tests of a module: for matrices, whose tests keep apart by themselves."""
    with fresh_database(postgres_url, template_database) as url:
        yield url


@pytest.fixture
def empty_database_url(postgres_url: str) -> Iterator[str]:
    """The URL of a database of this test's own, without any table."""
    with fresh_database(postgres_url) as url:
        yield url
