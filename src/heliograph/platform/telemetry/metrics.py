"""Metrics: what a node counts, and what is known of all nodes of a machine together.

Counters stand where the thing counted is known to have happened: after the commit. They are this
process's own; `GET /metrics` adds up those of its machine. Names follow the Prometheus naming
rules: base units, `_total` for counters.
"""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

disable_created_metrics()  # type: ignore[no-untyped-call]  # the library's own is untyped

NODE = CollectorRegistry()
"""What each node counts for itself."""

MACHINE = CollectorRegistry()
"""What is reported once for the machine, not for each node."""

_DURATION_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_OUTCOMES = {"delivered": "delivered", "retry": "pending", "failed": "failed"}
"""What an attempt came to, and the delivery's status after it."""


def _counter(name: str, description: str) -> Counter:
    return Counter(f"heliograph_{name}", description, registry=NODE)


def _gauge(name: str, description: str) -> Gauge:
    return Gauge(f"heliograph_{name}", description, registry=MACHINE)


CHORE_FAILURES = Counter(
    "heliograph_chore_failures",
    "Times that a chore of the gateway has failed.",
    ["chore"],
    registry=NODE,
)
MESSAGES_ACCEPTED = _counter("messages_accepted", "Messages accepted by the API and stored.")
MESSAGES_SENT = _counter(
    "messages_sent", "Messages accepted by a chat network, also those typed on the phone itself."
)
MESSAGES_DELIVERED = _counter("messages_delivered", "Messages that reached the recipient's phone.")
MESSAGES_READ = _counter("messages_read", "Messages that the recipient has read.")
MESSAGES_FAILED = _counter("messages_failed", "Messages that failed.")
MESSAGES_RECEIVED = _counter("messages_received", "Messages received from a chat network.")
RATE_STORAGE_LOST = Gauge(
    "heliograph_rate_limit_storage_lost",
    "Nodes that count request rates in their own memory, since the shared storage does not answer.",
    registry=NODE,
)


class RequestsInFlight:
    """A context manager around each request; the library's own takes a lock at both ends."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> None:
        self.count += 1

    def __exit__(self, *_: object) -> None:
        self.count -= 1


REQUESTS_IN_FLIGHT = RequestsInFlight()
Gauge(
    "heliograph_http_requests_in_flight", "Requests that are being answered.", registry=NODE
).set_function(lambda: REQUESTS_IN_FLIGHT.count)
REQUEST_DURATION = Histogram(
    "heliograph_http_request_duration_seconds",
    "From a request's headers to the last byte of its answer, in seconds.",
    ["route", "method", "status"],
    registry=NODE,
    buckets=_DURATION_BUCKETS,
)
LOOP_LAG = Histogram(
    "heliograph_event_loop_lag_seconds",
    "How late the event loop wakes a sleeping task, measured twice a second.",
    registry=NODE,
    buckets=_DURATION_BUCKETS,
)

MESSAGES_QUEUED = _gauge("messages_queued", "Messages that wait to be sent, counted up to 100,000.")
MESSAGES_QUEUED_AGE = _gauge(
    "messages_queued_oldest_age_seconds", "How long the oldest queued message has waited."
)
DELIVERIES_PENDING = _gauge(
    "deliveries_pending",
    "Webhook deliveries of enabled webhooks that wait for an attempt, counted up to 100,000.",
)
DELIVERIES_DUE_AGE = _gauge(
    "deliveries_due_oldest_age_seconds", "How long the oldest due webhook delivery has been due."
)
DATABASE_ANSWERING = _gauge(
    "database_answering", "1 while the database answers this machine, 0 while it does not."
)
CHORES_FAILING = Gauge(
    "heliograph_chores_failing",
    "1 for each chore of the gateway that fails at present, on whichever node.",
    ["chore"],
    registry=MACHINE,
)
DISK_FREE = _gauge(
    "disk_free_bytes", "Free space for the gateway on the disk of its data directory."
)
DISK_SIZE = _gauge("disk_size_bytes", "Size of the disk of the data directory.")
NODES_ANSWERING = _gauge("nodes_answering", "Nodes of this machine included in these sums.")
NODES_SILENT = _gauge(
    "nodes_silent", "Nodes of this machine that did not answer and are left out of these sums."
)

_PROCESS = ProcessCollector(namespace="heliograph", registry=None)
_SUMMED = frozenset(
    f"heliograph_process_{name}" for name in ("cpu_seconds", "resident_memory_bytes", "open_fds")
)
"""The library's metrics of a process that may be added up; a start time may not."""

_durations: dict[tuple[str, str, int], Histogram] = {}


def observe_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count one request under its route's template, so that ids make no series of their own."""
    key = (route, method, status // 100)
    duration = _durations.get(key)
    if duration is None:
        duration = _durations[key] = REQUEST_DURATION.labels(
            route, method if method in _METHODS else "other", f"{status // 100}xx"
        )
    duration.observe(seconds)


@dataclass(frozen=True, slots=True)
class Pool:
    """A node's connections to its database: open ones, those of them idle, and the most allowed."""

    open: int
    idle: int
    limit: int


class NodeReadings(Collector):
    """What a node is asked for when its metrics are read, rather than counting it as it goes."""

    def __init__(
        self,
        session_statuses: Callable[[], Iterable[str]],
        known_statuses: Iterable[str],
        delivery_outcomes: Callable[[], Mapping[str, int]],
        pool: Callable[[], Pool],
        restricted: Callable[[], int],
        holds_lease: Callable[[], bool],
    ) -> None:
        self._session_statuses = session_statuses
        self._known_statuses = tuple(known_statuses)
        self._delivery_outcomes = delivery_outcomes
        self._pool = pool
        self._restricted = restricted
        self._holds_lease = holds_lease
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> str:
        """Return everything this node knows of itself, in Prometheus' text format."""
        return (generate_latest(NODE) + generate_latest(self._registry)).decode()

    def collect(self) -> Iterator[Metric]:
        sessions = GaugeMetricFamily(
            "heliograph_sessions", "Accounts whose sessions run here, by status.", labels=["status"]
        )
        statuses = Tally(self._session_statuses())
        for status in self._known_statuses:
            sessions.add_metric([status], statuses[status])
        yield sessions
        attempts = CounterMetricFamily(
            "heliograph_webhook_attempts", "Webhook posts, by outcome.", labels=["outcome"]
        )
        outcomes = self._delivery_outcomes()
        for outcome, status in _OUTCOMES.items():
            attempts.add_metric([outcome], outcomes.get(status, 0))
        yield attempts
        yield GaugeMetricFamily(
            "heliograph_sessions_restricted",
            "Accounts whose sessions run here and that their network restricts.",
            value=self._restricted(),
        )
        yield GaugeMetricFamily(
            "heliograph_nodes_without_lease",
            "Nodes that do not hold their lease, and so own no accounts and webhooks.",
            value=not self._holds_lease(),
        )
        yield from self._collect_pool()
        yield from (metric for metric in _PROCESS.collect() if metric.name in _SUMMED)

    def _collect_pool(self) -> Iterator[Metric]:
        pool = self._pool()
        for name, description, value in (
            ("connections", "Connections to the database.", pool.open),
            ("connections_idle", "Idle connections to the database.", pool.idle),
            ("connections_limit", "Maximum connections to the database.", pool.limit),
        ):
            yield GaugeMetricFamily(f"heliograph_database_{name}", description, value=value)


def machine_text() -> str:
    """Return what is reported once for the machine, in Prometheus' text format."""
    return generate_latest(MACHINE).decode()


@dataclass(frozen=True, slots=True)
class Family:
    """One metric of a text: the lines that describe it, and each sample's value."""

    head: list[str]
    samples: dict[str, float]


def parse(text: str) -> dict[str, Family]:
    """Return the metrics of a text as a node writes it. Raises `ValueError` for anything else."""
    families: dict[str, Family] = {}
    family = Family([], {})
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = families[line.split(" ", 3)[2]] = Family([line], {})
        elif line.startswith("#"):
            family.head.append(line)
        else:
            sample, _, value = line.rpartition(" ")
            family.samples[sample] = float(value)
    return families


def add_up(nodes: Iterable[Mapping[str, Family]]) -> str:
    """Return the sum of several nodes' metrics, sample by sample, in Prometheus' text format."""
    total: dict[str, Family] = {}
    for node in nodes:
        for name, family in node.items():
            samples = total.setdefault(name, Family(family.head, {})).samples
            for sample, value in family.samples.items():
                samples[sample] = samples.get(sample, 0.0) + value
    return "".join(line + "\n" for family in total.values() for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield from family.head
    for sample, value in family.samples.items():
        yield f"{sample} {value}"
