"""What a commit waits for, asked of real servers: a failover may happen behind one address."""

import asyncio
import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from chaos.postgres_pair import PostgresPair, Server, postgres_pair
from connections import connected
from heliograph.core.health.database import check_connected
from heliograph.core.health.doctor import examine
from heliograph.core.health.model import Check
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migrate import Migrations
from heliograph.settings import DatabaseSettings, DataSettings, SecretSettings, Settings

pytestmark = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="servers are known by /proc"
)

ASYNCHRONOUS = "SELECT FROM pg_stat_replication WHERE sync_state = 'async'"
NOBODY = "SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_replication)"
RELOAD = "SELECT pg_reload_conf()"


@pytest.fixture(scope="module")
def servers(reachable_dir: Path) -> Iterator[PostgresPair]:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o711)
    with postgres_pair(folder / "servers") as pair:
        pair.first.rows("CREATE ROLE plain LOGIN PASSWORD 'plain'")
        yield pair


@pytest.fixture
def pair(servers: PostgresPair) -> PostgresPair:
    """With a synchronous standby, whatever the test before has made of it."""
    if not servers.second.is_running:
        servers.second.start()
    servers.first.wait_for_standby()
    return servers


def wait_for_nobody(pair: PostgresPair) -> None:
    pair.first.rows("ALTER SYSTEM RESET synchronous_standby_names", RELOAD)
    pair.first.until(ASYNCHRONOUS)


def checks(server: Server, url: str | None = None, *, several_hosts: bool = False) -> list[Check]:
    """As a node behind one address has them."""

    async def ask() -> list[Check]:
        async with connected(url or server.url) as connection:
            return await check_connected(connection, Migrations(), several_hosts)

    return asyncio.run(ask())


def standby(server: Server, url: str | None = None) -> Check:
    return next(check for check in checks(server, url) if check.name == "standby")


@contextlib.contextmanager
def reading_changes(pair: PostgresPair) -> Iterator[None]:
    """Somebody follows what the database writes, as a change data capture does."""
    pair.first.rows("CREATE PUBLICATION changes")
    reader = pair.begin(
        "pg_recvlogical",
        f"--dbname={pair.first.url}",
        *("--slot=changes", "--create-slot", "--start", "--file=-", "--plugin=pgoutput"),
        *("--option=proto_version=1", "--option=publication_names=changes"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        pair.first.until("SELECT FROM pg_stat_replication WHERE state = 'streaming'")
        yield
    finally:
        reader.kill()
        reader.wait()


def as_plain(server: Server) -> str:
    """The server's address for a role without the rights of pg_monitor."""
    return f"postgresql://plain:plain@{server.host}/postgres"


def test_a_synchronous_standby_is_in_order(pair: PostgresPair) -> None:
    found = standby(pair.first)
    assert (found.status, found.detail) == ("ok", "A commit waits for a synchronous standby.")


def test_an_asynchronous_standby_behind_one_address_is_a_warning(pair: PostgresPair) -> None:
    wait_for_nobody(pair)
    for url in (None, as_plain(pair.first)):
        found = standby(pair.first, url)
        assert (found.status, "a standby, and a commit waits for none" in found.detail) == (
            "warning",
            True,
        )
        assert "synchronous_standby_names" in found.remedy


def test_a_role_that_may_not_see_it_says_so(pair: PostgresPair) -> None:
    found = standby(pair.first, as_plain(pair.first))
    assert (found.status, "lacks pg_monitor" in found.detail) == ("ok", True)
    pair.first.rows("GRANT pg_monitor TO plain")
    assert "pg_monitor" not in standby(pair.first, as_plain(pair.first)).detail
    pair.first.rows("REVOKE pg_monitor FROM plain")


def test_a_synchronous_standby_that_is_gone_is_a_warning(pair: PostgresPair) -> None:
    pair.second.kill()
    pair.first.until(NOBODY)
    found = standby(pair.first)
    assert (found.status, "none is connected" in found.detail) == ("warning", True)


@pytest.mark.parametrize("setting", ["off", "local"])
def test_a_role_whose_commits_wait_for_nothing(pair: PostgresPair, setting: str) -> None:
    pair.first.rows(f"ALTER ROLE plain SET synchronous_commit = {setting}")
    found = standby(pair.first, as_plain(pair.first))
    pair.first.rows("ALTER ROLE plain RESET synchronous_commit")
    assert (found.status, f"synchronous_commit is {setting}" in found.detail) == ("warning", True)
    assert "for the role plain" in found.remedy


def test_who_reads_changes_from_a_logical_slot_is_no_standby(pair: PostgresPair) -> None:
    wait_for_nobody(pair)
    pair.second.kill()
    pair.first.until(NOBODY)
    with reading_changes(pair):
        assert standby(pair.first).status == "ok"


def test_a_server_that_takes_no_writes_fails(pair: PostgresPair) -> None:
    found = next(check for check in checks(pair.second) if check.name == "database")
    assert (found.status, "takes no writes" in found.detail) == ("failed", True)
    assert "load balancer" in found.remedy


async def connect(url: str) -> str:
    connection = await Hosts(url).connect(timeout=10)
    try:
        return str(await connection.fetchval("SELECT current_user"))
    finally:
        await connection.close()


def test_a_standby_behind_one_address_is_not_even_read_from(pair: PostgresPair) -> None:
    with pytest.raises(asyncpg.TargetServerAttributeNotMatched, match="standby"):
        asyncio.run(connect(pair.second.url))
    assert asyncio.run(connect(pair.second.url + "?target_session_attrs=any")) == "heliograph"


def test_doctor_says_what_to_do_about_a_standby(pair: PostgresPair, tmp_path: Path) -> None:
    settings = Settings(
        data=DataSettings(dir=tmp_path),
        database=DatabaseSettings(url=SecretStr(pair.second.url)),
        secret=SecretSettings(keys=(SecretStr(generate_secret_key()),)),
    )
    found = next(check for check in asyncio.run(examine(settings)) if check.name == "database")
    assert (found.status, "it is a standby" in found.detail) == ("failed", True)
    assert "load balancer" in found.remedy
