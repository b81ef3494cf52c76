"""Predict what a topology carries, and which resource is used up first.

Each resource has a load that grows with the rate. The rate that can be sustained is the highest at
which none is used up. Transactions are what is shared: the less time a node has, the more messages
gather for each, so a node with little to do makes many small ones, and one that is full makes as
few as it can. What a message must cost sets the rate; what it does cost is what a machine shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bench.capacity.costs import Costs

_MOST = 1e6
_STEPS = 60
_SECONDS_OF_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """`cores` are those of PostgreSQL, of each worker if there are several. On one machine, they
    are shared by PostgreSQL, the nodes, and whoever loads them."""

    nodes: int = 1
    cores: int = 2
    workers: int = 1
    is_one_machine: bool = False
    wal_mb_per_second: float = 200.0
    accounts: int = 0
    webhooks: int = 0


@dataclass(frozen=True, slots=True)
class Prediction:
    """`shares` says for each resource how much of it is used at `rate`: 1 is all of it."""

    rate: float
    first: str
    shares: Mapping[str, float]
    gateway_ms: float
    postgres_ms: float
    wal_bytes: float
    transactions: float


@dataclass(frozen=True, slots=True)
class Message:
    """What a message costs at some rate."""

    gateway_ms: float
    postgres_ms: float
    client_ms: float
    wal_bytes: float
    transactions: float


def cost_at(costs: Costs, nodes: int, rate: float) -> Message:
    """Return what a message's whole way does cost where so many nodes share this rate. A node makes
    as many transactions as it has time for."""
    per_node = rate / nodes
    room = costs.node_share - per_node * costs.gateway_ms / 1000
    affordable = room / (per_node * costs.gateway_transaction_ms / 1000)
    least = least_transactions(costs, Topology(nodes=nodes))
    return _cost(costs, min(costs.transactions_alone, max(least, affordable)))


def least_cost(costs: Costs, topology: Topology) -> Message:
    """Return what a message's whole way must cost, where nodes have as much to do as they can."""
    return _cost(costs, least_transactions(costs, topology))


def least_transactions(costs: Costs, topology: Topology) -> float:
    """Return how few transactions a message takes. One that came to another node than that which
    sends it takes more. Nodes of one machine share the messages that are under way in a benchmark,
    so each gathers the fewer, the more nodes there are."""
    elsewhere = 1 - 1 / topology.nodes
    shared_by = topology.nodes if topology.is_one_machine else 1
    return costs.transactions_full * shared_by * (1 + elsewhere * costs.transactions_elsewhere)


def _cost(costs: Costs, transactions: float) -> Message:
    return Message(
        gateway_ms=costs.gateway_ms + costs.gateway_transaction_ms * transactions,
        postgres_ms=costs.postgres_ms + costs.postgres_transaction_ms * transactions,
        client_ms=costs.client_ms,
        wal_bytes=costs.wal_bytes + costs.wal_transaction_bytes * transactions,
        transactions=transactions,
    )


def accept_cost(costs: Costs, nodes: int) -> Message:
    """Return what accepting alone costs over 64 connections: those of one node share transactions,
    and each node has the fewer, the more nodes there are."""
    transactions = costs.accept_transactions * nodes
    return Message(
        gateway_ms=costs.accept_gateway_ms + costs.gateway_transaction_ms * transactions,
        postgres_ms=costs.accept_postgres_ms + costs.postgres_transaction_ms * transactions,
        client_ms=costs.accept_client_ms,
        wal_bytes=0,
        transactions=transactions,
    )


def predict(costs: Costs, topology: Topology, *, given: Message | None = None) -> Prediction:
    """Find the highest rate. `given` is what a message costs, where that was measured."""
    low, high = 0.0, _MOST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if max(shares_at(costs, topology, middle, given=given).values()) > 1:
            high = middle
        else:
            low = middle
    shares = shares_at(costs, topology, low, given=given)
    each = given or least_cost(costs, topology)
    return Prediction(
        rate=low,
        first=max(shares, key=lambda name: shares[name]),
        shares=shares,
        gateway_ms=each.gateway_ms,
        postgres_ms=each.postgres_ms,
        wal_bytes=each.wal_bytes,
        transactions=each.transactions,
    )


def shares_at(
    costs: Costs,
    topology: Topology,
    rate: float,
    *,
    given: Message | None = None,
) -> dict[str, float]:
    """Return how much of each resource this rate of messages must use."""
    each = given or least_cost(costs, topology)
    gateway = rate * each.gateway_ms / 1000 + idle_gateway_cores(costs, topology)
    times = costs.distributed_cost if topology.workers > 1 else 1
    postgres = rate * times * each.postgres_ms / 1000 + idle_postgres_cores(costs, topology)
    shares = {
        "a node's core": gateway / (topology.nodes * costs.node_share),
        "WAL to the disk": rate
        * each.wal_bytes
        / topology.workers
        / 1e6
        / topology.wal_mb_per_second,
    }
    if topology.is_one_machine:
        clients = rate * each.client_ms / 1000
        shares["the machine's cores"] = (gateway + postgres + clients) / topology.cores
    else:
        cores = topology.cores * topology.workers * costs.postgres_share
        shares["PostgreSQL's cores"] = postgres / cores
    return shares


def idle_gateway_cores(costs: Costs, topology: Topology) -> float:
    return (
        topology.nodes * costs.idle_gateway_ms + topology.accounts * costs.account_gateway_ms
    ) / 1000


def idle_postgres_cores(costs: Costs, topology: Topology) -> float:
    """Return the cores that PostgreSQL needs for questions and pings while nobody sends."""
    leases = topology.accounts + topology.webhooks
    return (
        topology.nodes * costs.idle_postgres_ms
        + topology.accounts * costs.account_postgres_ms
        + topology.nodes * leases * costs.holder_us / 1000
    ) / 1000


def nodes_for(costs: Costs, rate: float, *, accounts: int = 0) -> int:
    """Return how many nodes this rate needs, and these accounts, with one core each."""
    nodes = 1
    while shares_at(costs, Topology(nodes=nodes, accounts=accounts), rate)["a node's core"] > 1:
        nodes += max(1, nodes // 50)
    return nodes


def stored_gb_per_day(costs: Costs, rate: float) -> float:
    return rate * costs.stored_bytes * _SECONDS_OF_DAY / 1e9
