"""`/healthz`: the process is alive. `/readyz`: it can do its work, or what keeps it from that."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heliograph.core.cluster.readiness import Check, CheckStatus, NodeState, ReadinessService
from heliograph.faces.api.encoding import respond

_NO_STORE = {"Cache-Control": "no-store"}


def health_routes(readiness: ReadinessService, state: NodeState) -> list[Route]:
    async def healthz(_request: Request) -> Response:
        return respond({"status": "alive"}, headers=_NO_STORE)

    async def readyz(_request: Request) -> Response:
        checks = [*await readiness.check(), *await state.check()]
        ready = all(check.status is not CheckStatus.FAILED for check in checks)
        body = {
            "status": "ready" if ready else "not ready",
            "checks": {check.name: _serialize(check) for check in checks},
        }
        return respond(body, 200 if ready else 503, _NO_STORE)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def _serialize(check: Check) -> dict[str, str | None]:
    return {"status": check.status, "detail": check.detail, "remedy": check.remedy or None}
