"""The program that ends dead nodes' leases: it does so at once, or fails without a word."""

import os
import subprocess
import sys
from uuid import UUID, uuid4

from core_scene import register
from databases import CONNECT_TIMEOUT
from heliograph.platform.database.pool import Database


def end(url: str, *ids: UUID) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "heliograph.core.cluster.ended_nodes", *map(str, ids)],
        env={**os.environ, "HELIOGRAPH_DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def test_the_nodes_that_are_named_end(database_url: str) -> None:
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    try:
        one, two, living = [await register(database, uuid4()) for _ in range(3)]
        ended = end(database_url, one, two)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        rows = await database.pool.fetch("SELECT id FROM nodes")
        assert [row["id"] for row in rows] == [living]
    finally:
        await database.close()


def test_a_database_that_is_away_is_no_traceback_in_the_log() -> None:
    ended = end("postgresql://a@127.0.0.1:1/x", uuid4())
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
