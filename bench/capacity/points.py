"""Points that were measured, and how far the model is from each.

Some were used to find the inputs, or decided the form of the model (`is_fitted`); the others were
not. A point whose run measured what a message took (`given`) checks how rates follow from costs.
One whose run had one node as well (`one_node`) checks how nodes add up: the pace of that machine is
taken from its one node.
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from bench.capacity.costs import Costs
from bench.capacity.latency import simulate
from bench.capacity.model import Message, Topology, accept_cost, cost_at, least_cost, predict

POINTS = Path(__file__).parent / "points.json"
MOST = 0.20


class Quantity(StrEnum):
    RATE = "messages a second"
    ACCEPTS = "accepts a second"
    WAL = "bytes of WAL a message"
    GATEWAY = "ms of nodes a message"
    POSTGRES = "ms of PostgreSQL a message"
    TRANSACTIONS = "transactions a message"
    MEMORY = "MiB"
    STATEMENTS = "statements a second"
    P50 = "p50 ms"
    P99 = "p99 ms"
    ACCEPT_P99 = "accept p99 ms"


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    gateway_ms: float
    postgres_ms: float


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`rate` is what was offered; without it, as much as was finished."""

    name: str
    source: str
    quantity: Quantity
    measured: float
    nodes: int = 1
    accounts: int = 0
    rate: float | None = None
    is_fitted: bool = False
    given: Given | None = None
    one_node: float | None = None


class Checked(msgspec.Struct, frozen=True):
    point: Point
    predicted: float

    @property
    def error(self) -> float:
        """Return by what share of the measured value the model is above it."""
        return self.predicted / self.point.measured - 1

    @property
    def is_within(self) -> bool:
        return abs(self.error) <= MOST


def load_points(path: Path = POINTS) -> list[Point]:
    return msgspec.json.decode(path.read_bytes(), type=list[Point])


def check(costs: Costs, points: Sequence[Point]) -> list[Checked]:
    return [Checked(point, _predict(costs, point)) for point in points]


def _predict(costs: Costs, point: Point) -> float:
    if point.quantity in (Quantity.RATE, Quantity.ACCEPTS):
        return _rate(costs, point)
    if point.quantity in (Quantity.P50, Quantity.P99, Quantity.ACCEPT_P99):
        return _latency(costs, point)
    if point.quantity is Quantity.MEMORY:
        return costs.node_mib + point.accounts * costs.account_kib / 1024
    if point.quantity is Quantity.STATEMENTS:
        return costs.statements_idle * point.nodes
    return _of_a_message(costs, point)


def _latency(costs: Costs, point: Point) -> float:
    assert point.rate is not None
    if point.quantity is Quantity.ACCEPT_P99:
        return simulate(costs, point.rate, steps=1).accept_p99_ms
    found = simulate(costs, point.rate)
    return found.p50_ms if point.quantity is Quantity.P50 else found.p99_ms


def _rate(costs: Costs, point: Point) -> float:
    found = predict(costs, _machine(point.nodes), given=_given(costs, point))
    if point.one_node is None:
        return found.rate
    return found.rate * point.one_node / predict(costs, _machine(1)).rate


def _given(costs: Costs, point: Point) -> Message | None:
    if point.quantity is Quantity.ACCEPTS:
        return accept_cost(costs, point.nodes)
    if point.given is None:
        return None
    return Message(point.given.gateway_ms, point.given.postgres_ms, costs.client_ms, 0, 0)


def _of_a_message(costs: Costs, point: Point) -> float:
    if point.rate is None:
        each = least_cost(costs, _machine(point.nodes))
    else:
        each = cost_at(costs, point.nodes, point.rate)
    return {
        Quantity.WAL: each.wal_bytes,
        Quantity.GATEWAY: each.gateway_ms,
        Quantity.POSTGRES: each.postgres_ms,
        Quantity.TRANSACTIONS: each.transactions,
    }[point.quantity]


def _machine(nodes: int) -> Topology:
    """Return the machine on which all points were measured: two cores for everything."""
    return Topology(nodes=nodes, cores=2, is_one_machine=True)
