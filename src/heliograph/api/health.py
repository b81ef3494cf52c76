"""`/healthz`: the process is alive. `/readyz`: it can do its work."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from heliograph.errors import UnavailableError
from heliograph.store.database import Database


def health_routes(database: Database, loops_running: Callable[[], bool]) -> list[Route]:
    async def healthz(_request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def readyz(_request: Request) -> Response:
        checks = {"database": await _is_reachable(database), "loops": loops_running()}
        ready = all(checks.values())
        status = "ready" if ready else "not ready"
        return JSONResponse({"status": status, "checks": checks}, 200 if ready else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


async def _is_reachable(database: Database) -> bool:
    try:
        await database.read(lambda connection: connection.fetchval("SELECT 1"), deadline=2)
    except UnavailableError:
        return False
    return True
