"""The program that ends dead nodes' leases: it does so at once, or fails without a word."""

import os
import subprocess
import sys
from uuid import UUID, uuid4

import asyncpg

from databases import SCHEMA_REVISION
from heliograph.core.cluster.sql import insert_node, list_alive_nodes


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
    ids = [uuid4() for _ in range(3)]
    connection = await asyncpg.connect(database_url)
    for node_id in ids:
        await insert_node(
            connection,
            node_id,
            name="host:1",
            roles=["api"],
            version="1.0",
            schema_revision=SCHEMA_REVISION,
            admin_port=None,
            lease_seconds=60,
        )
    ended = end(database_url, *ids[:2])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    alive = {node.id for node in await list_alive_nodes(connection)}
    await connection.close()
    assert alive & {*ids} == {ids[2]}


def test_a_database_that_is_away_is_no_traceback_in_the_log() -> None:
    ended = end("postgresql://a@127.0.0.1:1/x", uuid4())
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
