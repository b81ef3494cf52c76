"""Count what one message with one webhook writes: row versions, index entries, dead rows, bytes of
the write-ahead log.

The sandbox reports each status so late that it has a transaction of its own: nothing is saved by
what happens to be written together.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import asyncpg

from bench.checks import count_transactions, require
from bench.client import ask_at_rate
from bench.figures import Cost, Finding
from bench.gateway import AT_ONCE, Gateway, private_gateway
from bench.stage import CONNECTIONS, Stage, buttons, collect, send_samples
from bench.wal import Written, read_wal
from heliograph.platform.database.pool import Connection


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one message may write to its own tables. `cold` are updates that made new index
    entries, since they were not heap-only (HOT)."""

    versions: float
    entries: float
    dead: float
    cold: float


LIMITS = Limits(versions=15, entries=28, dead=8, cold=1.1)
"""What a test holds."""

AIM = Limits(versions=15, entries=30, dead=8, cold=1)
"""The bars of the benchmark. The one update that has to make index entries sets
`conversation_id`."""

OTHERS = frozenset(
    {
        "account_leases",
        "account_message_counts",
        "accounts",
        "api_keys",
        "chores",
        "contact_addresses",
        "contacts",
        "conversations",
        "delivery_counts",
        "message_counts",
        "message_words",
        "nodes",
        "organizations",
        "plans",
        "webhook_leases",
        "webhooks",
        "word_marks",
    }
)
"""Tables that count, lease, search or are about many messages. All others are a message's own, and
so is each that is added."""

_NETWORK, _SYSTEM, _ELSE, _SEQUENCES = (
    "sandbox.",
    "PostgreSQL's own",
    "commits and the like",
    "sequences",
)

_SLOW = AT_ONCE | {"delivered_delay": "2", "read_delay": "2"}
_COUNT = 300
_PEOPLE = 20
_RATE = 50
_PATIENCE = 120.0
_LOOK_EVERY = 0.2


@dataclass(frozen=True, slots=True)
class TableWrites:
    """What was written to one table and its indexes. `hot` updates made no index entries."""

    name: str
    inserts: int = 0
    updates: int = 0
    hot: int = 0
    deletes: int = 0
    entries: int = 0
    wal_bytes: int = 0

    @property
    def is_own(self) -> bool:
        """Tell whether it is a table of messages, their events and deliveries."""
        known = self.name in OTHERS or self.name in (_SYSTEM, _ELSE, _SEQUENCES)
        return not known and not self.name.startswith(_NETWORK)

    @property
    def versions(self) -> int:
        return self.inserts + self.updates

    @property
    def dead(self) -> int:
        return self.updates + self.deletes

    @property
    def cold(self) -> int:
        return self.updates - self.hot


@dataclass(frozen=True, slots=True)
class Writes:
    """What `count` messages wrote."""

    count: int
    tables: Sequence[TableWrites]

    def total(self, name: str, *, own: bool) -> TableWrites:
        """Add up the messages' own tables, or the others."""
        chosen = [table for table in self.tables if table.is_own is own]
        return TableWrites(
            name,
            inserts=sum(table.inserts for table in chosen),
            updates=sum(table.updates for table in chosen),
            hot=sum(table.hot for table in chosen),
            deletes=sum(table.deletes for table in chosen),
            entries=sum(table.entries for table in chosen),
            wal_bytes=sum(table.wal_bytes for table in chosen),
        )

    def each(self, total: int) -> float:
        """Return one message's part."""
        return round(total / self.count, 1)


async def writes(stage: Stage) -> list[Finding]:
    """Send 300 messages, 50 a second, through a gateway of one node."""
    async with private_gateway(1) as gateway:
        return _findings(await count_writes(stage.on(gateway), _COUNT))


async def count_writes(stage: Stage, count: int = _COUNT) -> Writes:
    """Send so many messages to people who are known. A process of PostgreSQL tells what it has
    counted when it ends at the latest: so the gateway is started anew before and after."""
    gateway = stage.gateway
    [customer] = await gateway.add_customers(stage.receiver.url, 1, network=_SLOW)
    await send_samples(stage, _PEOPLE)
    await _await_words(gateway, _PEOPLE)
    await _restart(gateway)
    async with gateway.database() as connection:
        before, start = await _read_tables(connection), await _position(connection)
    requests = buttons(customer.client, customer.account_id, count, _PEOPLE)
    move = stage.track("what a message writes", 3 * count)
    async with customer.client.connections(CONNECTIONS) as connections:
        await ask_at_rate(connections, requests, _RATE)
    arrivals = await collect(stage, 3 * count, move)
    transactions = await count_transactions(gateway, [customer], arrivals)
    require(transactions > 2.9, f"statuses were written together: {transactions} transactions")
    await _await_words(gateway, _PEOPLE + count)
    async with gateway.database() as connection:
        written = await _read_wal(gateway, connection, start)
    await _restart(gateway)
    async with gateway.database() as connection:
        after = await _read_tables(connection)
    return Writes(count, _compare(before, after, *written))


async def _restart(gateway: Gateway) -> None:
    await gateway.stop()
    await gateway.start()
    await gateway.await_connected()


async def _await_words(gateway: Gateway, count: int) -> None:
    """Wait until all messages can be found by their words, which comes last."""
    deadline = time.monotonic() + _PATIENCE
    async with gateway.database() as connection:
        while await connection.fetchval("SELECT count(*) FROM message_words") < count:
            require(time.monotonic() < deadline, "the words of messages were not read in time")
            await asyncio.sleep(_LOOK_EVERY)


async def _position(connection: Connection) -> str:
    return str(await connection.fetchval("SELECT pg_current_wal_flush_lsn()::text"))


# Partitions count as their table.
_TABLES = """
SELECT coalesce(pg_partition_root(relid), relid)::regclass::text AS name,
    sum(n_tup_ins)::bigint AS inserts, sum(n_tup_upd)::bigint AS updates,
    sum(n_tup_hot_upd)::bigint AS hot, sum(n_tup_del)::bigint AS deletes
FROM pg_stat_user_tables GROUP BY 1
"""


async def _read_tables(connection: Connection) -> list[asyncpg.Record]:
    return list(await connection.fetch(_TABLES))


# Whose a file is: an index, and what is too long for a row, are their table's.
_FILES = """
SELECT pg_relation_filenode(c.oid)::bigint AS file,
    CASE WHEN n.nspname = 'pg_catalog' THEN $1 WHEN c.relkind = 'S' THEN $2
        ELSE coalesce(pg_partition_root(o.oid), o.oid)::regclass::text END AS name
FROM pg_class AS c
LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
LEFT JOIN pg_class AS long ON long.reltoastrelid = coalesce(i.indrelid, c.oid)
JOIN pg_class AS o ON o.oid = coalesce(long.oid, i.indrelid, c.oid)
JOIN pg_namespace AS n ON n.oid = o.relnamespace
WHERE pg_relation_filenode(c.oid) IS NOT NULL
"""


async def _read_wal(
    gateway: Gateway, connection: Connection, start: str
) -> tuple[Written, dict[int, str]]:
    """Return what was written since then, and the names of the tables by their files."""
    database = await connection.fetchval(
        "SELECT oid::bigint FROM pg_database WHERE datname = current_database()"
    )
    written = await read_wal(gateway.data_dir, database, start, await _position(connection))
    rows = await connection.fetch(_FILES, _SYSTEM, _SEQUENCES)
    return written, {row["file"]: row["name"] for row in rows}


def _compare(
    before: Iterable[asyncpg.Record],
    after: Iterable[asyncpg.Record],
    written: Written,
    names: dict[int, str],
) -> list[TableWrites]:
    """List the tables that were written to, by their names."""
    counts: dict[str, Counter[str]] = {}
    for sign, rows in ((-1, before), (1, after)):
        for row in rows:
            of_table = counts.setdefault(row["name"], Counter())
            for column in ("inserts", "updates", "hot", "deletes"):
                of_table[column] += sign * row[column]
    for column, by_file in (("entries", written.entries), ("wal_bytes", written.bytes)):
        for file, number in by_file.items():
            name = names.get(file, _SYSTEM) if file else _ELSE
            counts.setdefault(name, Counter())[column] += number
    tables = [TableWrites(name, **counts[name]) for name in sorted(counts)]
    return [table for table in tables if table.versions or table.dead or table.wal_bytes]


def _findings(found: Writes) -> list[Finding]:
    own, others = found.total("own", own=True), found.total("others", own=False)
    parts = "; ".join(_describe(found, table) for table in found.tables if table.is_own)
    return [
        _cost(found, "row versions", own.versions, AIM.versions, note=parts),
        _cost(found, "index entries", own.entries, AIM.entries),
        _cost(found, "dead rows", own.dead, AIM.dead),
        _cost(found, "updates that made index entries", own.cold, AIM.cold),
        _cost(found, "WAL of its own tables", own.wal_bytes),
        _cost(found, "WAL of all others", others.wal_bytes),
        _cost(found, "row versions in all other tables", others.versions),
    ]


def _describe(found: Writes, table: TableWrites) -> str:
    return (
        f"{table.name} {found.each(table.versions):g} versions, {found.each(table.entries):g} "
        f"entries, {found.each(table.dead):g} dead, {found.each(table.hot):g} HOT updates"
    )


def _cost(
    found: Writes, name: str, total: int, most: float | None = None, *, note: str | None = None
) -> Cost:
    unit = "bytes" if name.startswith("WAL") else ""
    return Cost(name=name, value=found.each(total), unit=unit, most=most, note=note)
