"""`/healthz`: the process is alive. `/readyz`: it can do its work, or what keeps it from that."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heliograph.core.cluster.readiness import Check, CheckStatus, ReadinessService
from heliograph.faces.api.encoding import respond

_NO_STORE = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class NodeState:
    """How this node is, as far as it knows by itself."""

    loops_running: Callable[[], bool]
    is_listening: Callable[[], bool]
    is_draining: Callable[[], bool]
    counts_alone: Callable[[], Awaitable[bool]]

    async def check(self) -> dict[str, Check]:
        return {
            "loops": _check_loops(running=self.loops_running()),
            "notifications": _check_notifications(listening=self.is_listening()),
            "rates": _check_rates(lost=await self.counts_alone()),
            "draining": _check_draining(draining=self.is_draining()),
        }


def health_routes(readiness: ReadinessService, state: NodeState) -> list[Route]:
    async def healthz(_request: Request) -> Response:
        return respond({"status": "alive"}, headers=_NO_STORE)

    async def readyz(_request: Request) -> Response:
        checks = await readiness.check() | await state.check()
        ready = all(check.status is not CheckStatus.FAILED for check in checks.values())
        body = {"status": "ready" if ready else "not ready", "checks": checks}
        return respond(body, 200 if ready else 503, _NO_STORE)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def _check_loops(*, running: bool) -> Check:
    if running:
        return Check(CheckStatus.OK, "Every loop of this node is at work.")
    return Check(
        CheckStatus.FAILED,
        "This node does not hold its lease, or one of its loops has ended.",
        "It mends itself once the database answers; else its log says why. Restart it if it stays.",
    )


def _check_notifications(*, listening: bool) -> Check:
    if listening:
        return Check(CheckStatus.OK, "This node hears of new work at once.")
    return Check(
        CheckStatus.WARNING,
        "This node does not hear of new work at once, and looks for it once a second.",
        "It reconnects by itself. A pooler in between must let LISTEN through: connect to "
        "PostgreSQL directly, or in session mode.",
    )


def _check_rates(*, lost: bool) -> Check:
    if not lost:
        return Check(CheckStatus.OK, "Request rates are counted where the settings say.")
    return Check(
        CheckStatus.WARNING,
        "The shared storage of request rates does not answer: this node counts in its memory, and "
        "allows the full rate by itself.",
        "See that it runs and that HELIOGRAPH_RATE_LIMIT_URL leads to it. Counting together begins "
        "again by itself.",
    )


def _check_draining(*, draining: bool) -> Check:
    if not draining:
        return Check(CheckStatus.OK, "This node takes requests.")
    return Check(
        CheckStatus.FAILED,
        "This node is stopping: it ends the requests it has and takes no more.",
        "Send requests to another node.",
    )
