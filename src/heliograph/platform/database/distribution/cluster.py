"""The servers of a database on Citus: a coordinator, to which all connect, and workers."""

from collections.abc import Sequence
from dataclasses import dataclass

from heliograph.platform.database.pool import Connection

FIND_VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'citus'"
IS_AVAILABLE = "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'citus'"
IS_COORDINATOR = "SELECT groupid = 0 FROM pg_dist_local_group"

CONNECT_TIMEOUT = 3.0
"""Seconds that the coordinator has to reach a worker that is asked whether it is there."""

# The coordinator may keep tables of its own beside those of workers: then it is one of them.
LIST_WORKERS = """
SELECT nodeid AS id, groupid AS group_id, nodename AS host, nodeport AS port
FROM pg_dist_node
WHERE noderole = 'primary' AND isactive AND shouldhaveshards
ORDER BY nodename, nodeport
"""

# All at once, each over a new connection if this session has not asked it before.
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
    """What a worker answered to a command; where it can't be reached, `problem` says why."""

    text: str | None
    problem: str | None


async def find_citus(connection: Connection) -> str | None:
    """Find the version of Citus; None on a PostgreSQL without it, or where it was not created."""
    version: str | None = await connection.fetchval(FIND_VERSION)
    return version


async def is_citus_available(connection: Connection) -> bool:
    """Whether the server has Citus, so that the extension could be created."""
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

    To be used on a new connection: over one that reached a worker before, a worker that hangs is
    waited for until the statement is cut off. Raises what asyncpg raises.
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
