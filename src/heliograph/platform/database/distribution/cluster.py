"""The servers of a Citus database: a coordinator, which all clients connect to, and workers."""

from collections.abc import Sequence
from dataclasses import dataclass

from heliograph.platform.database.pool import Connection

FIND_VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'citus'"
IS_AVAILABLE = "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'citus'"
IS_COORDINATOR = "SELECT groupid = 0 FROM pg_dist_local_group"

CONNECT_TIMEOUT = 3.0
"""Seconds that the coordinator has to reach a worker when checking whether it is up."""

# The coordinator may also hold shards, like a worker: then it is listed as one.
LIST_WORKERS = """
SELECT nodeid AS id, groupid AS group_id, nodename AS host, nodeport AS port
FROM pg_dist_node
WHERE noderole = 'primary' AND isactive AND shouldhaveshards
ORDER BY nodename, nodeport
"""

# All workers at once; a worker that this session has not asked before gets a new connection.
ASK_ALL = "SELECT nodeid, success, result FROM run_command_on_all_nodes($1)"
LIMIT_CONNECTING = f"SET LOCAL citus.node_connection_timeout TO {round(CONNECT_TIMEOUT * 1000)}"


@dataclass(frozen=True, slots=True)
class Worker:
    """A server that has shards, as the coordinator reaches it."""

    id: int
    group_id: int
    host: str
    port: int

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """A worker's answer to a command; if it couldn't be reached, `problem` says why."""

    text: str | None
    problem: str | None


async def find_citus(connection: Connection) -> str | None:
    """Return the version of Citus, or None if the extension is missing or not created."""
    version: str | None = await connection.fetchval(FIND_VERSION)
    return version


async def is_citus_available(connection: Connection) -> bool:
    """Return whether the server has Citus installed, so that the extension can be created."""
    found: bool = await connection.fetchval(IS_AVAILABLE)
    return found


async def is_coordinator(connection: Connection) -> bool:
    found: bool = await connection.fetchval(IS_COORDINATOR)
    return found


async def list_workers(connection: Connection) -> list[Worker]:
    """List the servers that may have shards, in the order of their names."""
    return [Worker(**row) for row in await connection.fetch(LIST_WORKERS)]


async def ask_workers(
    connection: Connection, workers: Sequence[Worker], command: str
) -> dict[Worker, WorkerAnswer]:
    """Have the coordinator run a command with one value on each worker, and return the answers.

    Use a new connection: one that has already reached a worker would wait for it, if it hangs,
    until the statement times out. Raises what asyncpg raises.
    """
    by_id = {worker.id: worker for worker in workers}
    async with connection.transaction():
        await connection.execute(LIMIT_CONNECTING)
        rows = await connection.fetch(ASK_ALL, command)
    answers = {
        by_id[row["nodeid"]]: _answer(row["result"], succeeded=row["success"])
        for row in rows
        if row["nodeid"] in by_id
    }
    return {
        worker: answers.get(worker, WorkerAnswer(None, "it is not asked")) for worker in workers
    }


def _answer(result: str, *, succeeded: bool) -> WorkerAnswer:
    return WorkerAnswer(result, None) if succeeded else WorkerAnswer(None, result)
