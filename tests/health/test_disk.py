"""A full disk is told: of the data directory, and of the database, which may be elsewhere."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
from structlog.testing import capture_logs

from databases import CONNECT_TIMEOUT
from heliograph.core.health.disk import check_disk
from heliograph.core.health.model import CheckStatus
from heliograph.errors import UnavailableError
from heliograph.platform.database import complaints
from heliograph.platform.database.pool import Connection, Database

pytestmark = pytest.mark.one_server("breaks a table by a trigger")

FULL = 'could not extend file "base/16385/17000": No space left on device'
REFUSE = """
CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION '{message}' USING ERRCODE = '{code}';
END $$
"""
REFUSE_ROWS = """
CREATE TRIGGER refuse BEFORE INSERT ON plans FOR EACH STATEMENT EXECUTE FUNCTION refuse()
"""


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Of which a table refuses rows, as all do when their disk is full."""
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    await database.pool.execute(REFUSE.format(message=FULL, code="disk_full"))
    await database.pool.execute(REFUSE_ROWS)
    yield database
    await database.close()


async def insert(connection: Connection) -> None:
    await connection.execute("INSERT INTO plans (name) VALUES ('new')")


async def test_the_database_is_believed_when_it_says_that_its_disk_is_full(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_disk(tmp_path, database.complaints.disk_full, is_running=True).name == "disk"
    with capture_logs() as logged, pytest.raises(UnavailableError) as raised:
        await database.within(0.5).transact(insert)
    assert isinstance(raised.value.__cause__, asyncpg.DiskFullError)
    assert "can't store anything" in str(raised.value), "it can be reached"
    check = check_disk(tmp_path, database.complaints.disk_full, is_running=True)
    assert check.status is CheckStatus.WARNING
    assert check.detail == f"The database's disk is full: {FULL}."
    [line] = [line for line in logged if line["log_level"] == "error"]
    assert line["event"] == "the database's disk is full"
    assert FULL in line["error"]
    monkeypatch.setattr(complaints, "LOG_INTERVAL", 0.0)
    assert database.complaints.disk_full is None, "it is over, unless it says so again"


async def test_work_that_never_gives_up_says_why_it_is_not_done(database: Database) -> None:
    await database.pool.execute(REFUSE.format(message="too slow", code="query_canceled"))
    with capture_logs() as logged, pytest.raises(UnavailableError):
        await database.within(5.0).transact(insert)
    [line] = [line for line in logged if line["log_level"] == "error"]
    assert line["event"] == "the database fails, and is asked again"
    assert line["error"].startswith("QueryCanceledError")


@pytest.mark.parametrize(("is_running", "status"), [(True, "warning"), (False, "failed")])
def test_a_disk_that_is_nearly_full_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_running: bool, status: str
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=100 * 1024**2))
    check = check_disk(tmp_path / "data", is_running=is_running)
    assert check.status == status
    assert check.detail == f"0.1 GiB are free on the disk of {tmp_path / 'data'}."
    assert "What frees space" in check.remedy
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2 * 1024**3))
    assert check_disk(tmp_path, is_running=is_running).status is CheckStatus.OK
