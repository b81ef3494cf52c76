"""What a message, a transaction, an account and a node cost: the inputs of the model.

They are in `costs.json`, each with where it was found. `python -m bench --only costs --only idle`
finds most of them again.
"""

from pathlib import Path

import msgspec

COSTS = Path(__file__).parent / "costs.json"


class Input(msgspec.Struct, frozen=True):
    value: float
    unit: str
    source: str


class Costs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Milliseconds and microseconds are of processor time."""

    gateway_ms: float
    """A message's own share of a node, besides its transactions."""
    gateway_transaction_ms: float
    postgres_ms: float
    postgres_transaction_ms: float
    client_ms: float
    """Load generator and receiver, where they share the processors."""
    wal_bytes: float
    wal_transaction_bytes: float
    transactions_alone: float
    """Of a message that shares none with another."""
    transactions_full: float
    """Of a message where one node has as much to do as it can."""
    transactions_elsewhere: float
    """How many times as many more, of a message that came to another node than that which sends
    it."""
    accept_gateway_ms: float
    accept_postgres_ms: float
    accept_transactions: float
    """Of a message that is accepted only, with 64 connections to one node."""
    accept_client_ms: float
    node_share: float
    """Of its one core that a node uses at most: now and then it waits for the disk."""
    postgres_share: float
    """Of its cores that PostgreSQL uses before it becomes slow."""
    statements_idle: float
    """That an idle node asks a second."""
    idle_gateway_ms: float
    """Of a second, that an idle node takes."""
    idle_postgres_ms: float
    """Of a second, that an idle node takes of PostgreSQL."""
    account_gateway_ms: float
    """Of a second, that an idle connected account takes."""
    account_postgres_ms: float
    holder_us: float
    """Of PostgreSQL for one lease, whenever a node asks who holds how many: twice a second, once
    for accounts and once for webhooks."""
    account_kib: float
    account_xmpp_kib: float
    node_mib: float
    connections: float
    """Of a node under load: its pool and two."""
    stored_bytes: float
    """That a message leaves on disk, with its events, deliveries and indexes."""
    rows: float
    flush_ms: float
    distributed_cost: float
    """How many times as much a message takes PostgreSQL where its tables are distributed."""


def load_inputs(path: Path = COSTS) -> dict[str, Input]:
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Input])


def load_costs(path: Path = COSTS) -> Costs:
    """Read the inputs. Raises `msgspec.ValidationError` when one is missing or unknown."""
    values = {name: found.value for name, found in load_inputs(path).items()}
    return msgspec.convert(values, Costs)
