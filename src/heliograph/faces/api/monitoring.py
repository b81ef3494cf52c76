"""Probes and metrics.

`/healthz` says that the process is alive, `/readyz` whether the node can do its work and what keeps
it from that, and `/metrics` what this machine's nodes count, added up, for Prometheus.
"""

import asyncio
import hmac
import math
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import structlog
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heliograph.core.cluster.backlog import BacklogService
from heliograph.core.cluster.chores import Chore, Chores
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.model import CheckStatus
from heliograph.core.health.node import NodeState
from heliograph.core.rates.client_addresses import parse_client_address
from heliograph.errors import InvalidMetricsTokenError, MetricsTokenNotSetError, UnavailableError
from heliograph.faces.api.encoding import respond, respond_error
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.telemetry import metrics

log = structlog.get_logger()

NODE_TIMEOUT = 1.0
"""Seconds that another node has to answer."""
TTL = 1.0
"""Seconds for which the last reading is repeated: adding it up takes milliseconds."""

_FAILED = CheckStatus.FAILED
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
_NO_STORE = {"Cache-Control": "no-store"}


def node_metrics_routes(node: metrics.NodeReadings) -> list[Route]:
    """Return `/metrics` of one node alone. It listens on loopback and needs no token."""

    async def get_metrics(_request: Request) -> Response:
        return _respond(node.text())

    return [Route("/metrics", get_metrics)]


def machine_metrics_routes(
    node: metrics.NodeReadings,
    other_ports: Callable[[], Iterable[int]],
    backlog: BacklogService,
    token: str | None,
    data_dir: Path,
    *,
    chores: Chores | None = None,
    is_open_here: bool,
) -> list[Route]:
    """Serve `/metrics` of the machine: this node's, those of the admin ports, and the backlog.

    `is_open_here` says that clients on this machine need no token if none is set. Where others
    reach the gateway it has to be false: a proxy on this machine that adds no header looks like
    such a client.
    """

    open_here = is_open_here and token is None

    async def get_metrics(request: Request) -> Response:
        refusal = None if open_here and _is_local(request) else _refusal(request, token)
        if refusal is not None:
            return refusal
        return _respond(await text.get())

    async def read() -> str:
        *others, _, _, _ = await asyncio.gather(
            *map(_ask, other_ports()),
            _set_backlog(backlog),
            _set_chores(chores),
            _set_disk(data_dir),
        )
        answers = [metrics.parse(node.text()), *(other for other in others if other is not None)]
        metrics.NODES_ANSWERING.set(len(answers))
        metrics.NODES_SILENT.set(1 + len(others) - len(answers))
        return metrics.add_up(answers) + metrics.machine_text()

    text = CachedValue(read, ttl=TTL, timeout=10 * NODE_TIMEOUT)
    return [Route("/metrics", get_metrics)]


def _respond(text: str) -> Response:
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})


def _refusal(request: Request, token: str | None) -> Response | None:
    """Return the refusal for a client without the token, None for one with it."""
    if token is None:
        return respond_error(MetricsTokenNotSetError())
    given = request.headers.get("authorization", "").encode()
    if hmac.compare_digest(given, f"Bearer {token}".encode()):
        return None
    return respond_error(InvalidMetricsTokenError())


def _is_local(request: Request) -> bool:
    """Return whether the client is on this machine and is not a proxy for another.

    Headers can only make a client remote, never local.
    """
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    address = parse_client_address(request.client.host)
    return address is not None and address.is_loopback


async def _set_backlog(backlog: BacklogService) -> None:
    """Set the gauges of the backlog; NaN, which draws no line, where it can't be read."""
    queued = queued_age = pending = due_age = math.nan
    metrics.DATABASE_ANSWERING.set(0)
    with suppress(UnavailableError):
        waiting = await backlog.count()
        metrics.DATABASE_ANSWERING.set(1)
        queued, queued_age = waiting.messages, waiting.messages_age
        pending, due_age = waiting.deliveries, waiting.deliveries_age
    metrics.MESSAGES_QUEUED.set(queued)
    metrics.MESSAGES_QUEUED_AGE.set(queued_age)
    metrics.DELIVERIES_PENDING.set(pending)
    metrics.DELIVERIES_DUE_AGE.set(due_age)


async def _set_chores(chores: Chores | None) -> None:
    """Set the gauge of failing chores; leave it out where that can't be read."""
    metrics.CHORES_FAILING.clear()
    if chores is None:
        return
    with suppress(UnavailableError):
        failing = {each.chore for each in await chores.list_failing()}
        for chore in {*Chore, *failing}:
            metrics.CHORES_FAILING.labels(chore).set(chore in failing)


async def _set_disk(data_dir: Path) -> None:
    """Set the gauges of the disk; NaN if the folder does not exist."""
    free = size = math.nan
    with suppress(OSError):
        usage = await asyncio.to_thread(shutil.disk_usage, data_dir)
        free, size = usage.free, usage.total
    metrics.DISK_FREE.set(free)
    metrics.DISK_SIZE.set(size)


async def _ask(port: int) -> Mapping[str, metrics.Family] | None:
    """Read a node's metrics from its admin port; return None when no node answers there."""
    try:
        async with asyncio.timeout(NODE_TIMEOUT):
            return metrics.parse(await _get(port))
    except (OSError, TimeoutError, ValueError):
        return None


async def _get(port: int) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b"GET /metrics HTTP/1.0\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    if b" 200 " not in head.partition(b"\r\n")[0]:
        raise ValueError("a node answers 200")
    return body.decode()


class _TellUnready:
    """Log why a node is not ready, each time the reason changes."""

    def __init__(self) -> None:
        self._told: frozenset[str] = frozenset()

    def __call__(self, faults: Mapping[str, str]) -> None:
        if self._told == faults.keys() or faults.keys() == {"draining"}:
            return
        self._told = frozenset(faults)
        if faults:
            log.warning("not ready", reasons=dict(faults))
        else:
            log.info("ready again")


def health_routes(readiness: ReadinessService, state: NodeState) -> list[Route]:
    tell = _TellUnready()

    async def healthz(_request: Request) -> Response:
        return respond({"status": "alive"}, headers=_NO_STORE)

    async def readyz(_request: Request) -> Response:
        checks = [*await readiness.check(), *await state.check()]
        faults = {check.name: check.detail for check in checks if check.status is _FAILED}
        ready = not faults
        tell(faults)
        body = {
            "status": "ready" if ready else "not ready",
            "checks": {
                check.name: {
                    "status": check.status,
                    "detail": check.detail,
                    "remedy": check.remedy or None,
                }
                for check in checks
            },
        }
        return respond(body, 200 if ready else 503, _NO_STORE)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]
